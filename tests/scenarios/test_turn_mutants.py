"""Mutation proof of the scenarios about turns, failures and stops: each mutant turns a test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Mutant, Workshop, check_noticed, mutants, mutated, named

HERE = Path(__file__).parent

RESTART = [
    *mutants(
        HERE,
        "scenarios/restart_next_turn.py",
        "test_restart_next_turn.py",
        (
            "the run is resumed",
            'evidence, verb="next-turn")',
            'evidence, verb="resume")',
            "what_each_way_of_going_on_comes_to[answers-open]",
        ),
        (
            "how the next turn ends is no matter",
            "        broken\n        or judge_turns",
            "        judge_turns",
            "what_each_way_of_going_on_comes_to[sends-open]",
        ),
        (
            "effects are not counted",
            "        or judge_turns(unfaulted.effects, effects)\n",
            "",
            "what_each_way_of_going_on_comes_to[charges-twice]",
        ),
        (
            "the stored history plays no part",
            '        or judge_conversation(reported, unfaulted.evidence["stored"])\n',
            "",
            "what_each_way_of_going_on_comes_to[trusts]",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/turns.py",
        "test_restart_next_turn.py",
        (
            "the next turn need not come to its end",
            "if not effects.get(NEXT_TURN):",
            "if False:",
            "what_each_way_of_going_on_comes_to[says-nothing]",
        ),
        (
            "effects may double",
            "if wrong := judge_at_most_once(",
            "if wrong := None and judge_at_most_once(",
            "what_each_way_of_going_on_comes_to[charges-twice]",
        ),
        (
            "what the user said may be lost",
            "if said != wanted:",
            "if said > wanted:",
            "what_each_way_of_going_on_comes_to[forgets]",
        ),
        (
            "what the user said may double",
            "if said != wanted:",
            "if said < wanted:",
            "what_each_way_of_going_on_comes_to[repeats-user]",
        ),
    ),
    *mutants(
        HERE,
        "verdicts.py",
        "test_restart_next_turn.py",
        (
            "a turn that was cut off has to be finished",
            "return judge_effects([name for name in expected if name in done], done, when=when)",
            "return judge_effects(expected, done, when=when)",
            "what_each_way_of_going_on_comes_to[answers-open]",
        ),
        (
            "twice is at most once",
            "if name in expected and count > 1:",
            "if name in expected and count > 2:",
            "what_was_said_of_a_double",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/whole_runs.py",
        "test_restart_next_turn.py",
        (
            "the next turn may fail without a fault",
            "    if ended.returncode != 0:\n",
            "    if False:\n",
            "what_cannot_be_judged[never-goes-on]",
        ),
        (
            "the next turn may double without a fault",
            "        if count != 1:\n",
            "        if False:\n",
            "what_cannot_be_judged[twice]",
        ),
        (
            "the next turn may go unreported",
            "    if NEXT_TURN not in trial.provider.effects:\n",
            "    if False:\n",
            "what_cannot_be_judged[no-report]",
        ),
        (
            "a history may be broken from the start",
            "if problem_found := find_break(history):",
            "if problem_found := None:",
            "what_cannot_be_judged[starts-unpaired+trusts]",
        ),
    ),
]

ACK_LOST = mutants(
    HERE,
    "scenarios/provider_ack_lost.py",
    "test_provider_ack_lost.py",
    (
        "the answer comes",
        "    trial.provider.drop_held()\n    status",
        "    trial.provider.answer_held()\n    status",
        "the_error_is_quoted",
    ),
    (
        "the effect did not happen",
        "hold_in_call(trial, AFTER_EFFECT,",
        'hold_in_call(trial, "before-effect",',
        "what_each_way_of_meeting_it_comes_to[tells-model]",
    ),
    (
        "any call is the agent's",
        "if broken := not_there(",
        "if broken := None and not_there(",
        "what_cannot_be_judged[next-start-calls-from-outside]",
    ),
    (
        "an error need not say a word",
        "if status < 0 or said is None:",
        "if status < 0:",
        "what_each_way_of_meeting_it_comes_to[mute]",
    ),
    (
        "a signal is an error that was seen",
        "if status < 0 or said is None:",
        "if said is None:",
        "what_each_way_of_meeting_it_comes_to[dies]",
    ),
    (
        "an error makes up for a double",
        "    if wrong:\n        return wrong\n",
        "",
        "what_each_way_of_meeting_it_comes_to[retries+raises-later]",
    ),
    (
        "a run that ended is complete",
        "        wrong\n        or stored\n",
        "        stored\n",
        "what_each_way_of_meeting_it_comes_to[goes-quietly]",
    ),
    (
        "the stored history plays no part",
        "        wrong\n        or stored\n",
        "        wrong\n",
        "what_each_way_of_meeting_it_comes_to[tells-model+unpairs]",
    ),
)

STOP = mutants(
    HERE,
    "scenarios/graceful_stop.py",
    "test_graceful_stop.py",
    (
        "SIGKILL in place of SIGTERM",
        "os.kill(agent.pid, signal.SIGTERM)",
        "os.kill(agent.pid, signal.SIGKILL)",
        "what_each_way_of_stopping_comes_to[keyless+handles]",
    ),
    (
        "the group outlives its main process",
        "        trial.end(agent)\n        held.connection.wait_closed(_DIES_WITHIN)\n",
        "        pass\n",
        "the_whole_group_ends_with_its_main_process",
    ),
    (
        "a run that ended has to be resumed well",
        "if broken and finished and",
        "if False and",
        "what_each_way_of_stopping_comes_to[keyless+handles+resume-complains]",
    ),
    (
        "a resume may fail",
        "if broken and finished and",
        "if broken and",
        "what_each_way_of_stopping_comes_to[resume-crashes]",
    ),
    (
        "a resume of a run that ended may hang",
        " and broken.outcome != Outcome.HUNG:",
        ":",
        "a_resume_that_hangs_is_a_fail",
    ),
    (
        "effects are not counted",
        "        or wrong\n",
        "",
        "what_each_way_of_stopping_comes_to[notes-and-goes]",
    ),
    (
        "the stored history plays no part",
        "        or stored\n",
        "",
        "what_each_way_of_stopping_comes_to[keyed+resume-unpairs]",
    ),
    (
        "nobody gets more time",
        "max(GRACE, GRACE_RUNS * unfaulted.seconds)",
        "min(GRACE, GRACE_RUNS * unfaulted.seconds)",
        "a_slow_run_gets_more_time",
    ),
)

HOLDING = [
    *mutants(
        HERE,
        "scenarios/holding.py",
        "test_graceful_stop.py",
        (
            "who has gone is answered",
            "    if held.connection.is_open():\n",
            "    if True:\n",
            "who_does_nothing_about_it_is_gone_before_the_answer",
        ),
        (
            "nobody is answered",
            "    if held.connection.is_open():\n",
            "    if False:\n",
            "who_takes_its_time_gets_its_answer",
        ),
    ),
    *mutants(
        HERE,
        "stderr_tail.py",
        "test_what_was_said.py",
        (
            "a rule is a word",
            "if any(map(str.isalnum, line))",
            "if line.strip()",
            "the_last_words_are_the_last_ones_that_say_something",
        ),
        (
            "a note is an error",
            "if _ERROR.match(line)",
            "if line",
            "an_error_counts_for_more_than_a_note",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/holding.py",
        "test_cancel_mid_stream.py",
        (
            "the first time is held",
            "if (reached.point, reached.number) == (point, number):",
            "if reached.point == point:",
            "each_detail_goes_away_in_its_own_way",
        ),
    ),
    *mutants(
        HERE,
        "processes/signals.py",
        "test_graceful_stop.py",
        (
            "the next signal is asked about",
            "bit = 1 << (number - 1)",
            "bit = 1 << number",
            "what_the_kernel_tells_about_a_signal",
        ),
    ),
]

MODEL = [
    *mutants(
        HERE,
        "scenarios/model_error_after_tool.py",
        "test_model_error_after_tool.py",
        (
            "the model fails once for the user too",
            'return FAILS if point == USERS_RETRY and reached.phase == "start" else GO_ON',
            "return GO_ON",
            "the_model_fails_once_or_until_the_end_of_start",
        ),
        (
            "the model never gets well",
            'if point == USERS_RETRY and reached.phase == "start" else',
            "if point == USERS_RETRY else",
            "the_model_fails_once_or_until_the_end_of_start",
        ),
        (
            "a framework need not retry",
            "if point == OWN_RETRY and status != 0:",
            "if False:",
            "what_each_way_of_going_on_comes_to[plain]",
        ),
        (
            "a model's error may be swallowed",
            "if point == USERS_RETRY and status == 0:",
            "if False:",
            "what_each_way_of_going_on_comes_to[swallows]",
        ),
        (
            "the point may come before the tool",
            "    if not before:\n",
            "    if False:\n",
            "what_cannot_be_judged[model-first]",
        ),
        (
            "effects are not counted",
            "        or judge_effects(unfaulted.effects, trial.provider.effects, when=_WHEN)\n",
            "",
            "what_each_way_of_going_on_comes_to[asks-again+forgets]",
        ),
        (
            "repeated calls are fine",
            "        or _judge_repeated(trial, len(before))\n",
            "",
            "what_each_way_of_going_on_comes_to[asks-again+forgets+keyed]",
        ),
        (
            "every call is a repetition",
            "        if call.effect in answered:\n",
            "        if True:\n",
            "what_each_way_of_going_on_comes_to[asks-again]",
        ),
        (
            "the stored history plays no part",
            "        or stored\n",
            "",
            "what_each_way_of_going_on_comes_to[asks-again+unpairs]",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/whole_runs.py",
        "test_model_error_after_tool.py",
        (
            "a point that was never reached is fine",
            "if missing := Counter(points) - reached:",
            "if missing := {}:",
            "what_cannot_be_judged[no-model]",
        ),
    ),
]

CANCEL = [
    *mutants(
        HERE,
        "scenarios/cancel_mid_stream.py",
        "test_cancel_mid_stream.py",
        (
            "the first piece is enough",
            "_NUMBER = 2\n",
            "_NUMBER = 1\n",
            "what_cannot_be_judged[one-piece]",
        ),
        (
            "a client only ever closes",
            "client.answer(detail if by_watcher else GO_ON)",
            "client.answer(CLOSE if by_watcher else GO_ON)",
            "each_detail_goes_away_in_its_own_way",
        ),
        (
            "no connection is lost",
            "lost = detail == _DISCONNECT and",
            "lost = False and",
            "each_detail_goes_away_in_its_own_way",
        ),
        (
            "a held call is lost",
            "        answer_late(trial, held)\n",
            "        trial.provider.drop_held()\n",
            "a_held_call_is_answered_late",
        ),
        (
            "a client that has gone may be sent text",
            "    if _sent(trial) != sent:\n",
            "    if False:\n",
            "more_text_for_nobody_is_an_error",
        ),
        (
            "a watcher need not hear",
            "    while client.connection.is_open():\n",
            "    while False:\n",
            "a_watcher_that_hears_nothing_is_an_error",
        ),
        (
            "any call is the agent's",
            "if broken := not_there(",
            "if broken := None and not_there(",
            "a_call_from_outside_is_an_error",
        ),
        (
            "how the next turn ends is no matter",
            "        broken\n        or judge_turns",
            "        judge_turns",
            "what_each_way_of_going_on_comes_to[leaves-open+sends-open]",
        ),
        (
            "effects are not counted",
            "        or judge_turns(unfaulted.effects, trial.provider.effects)\n",
            "",
            "what_each_way_of_going_on_comes_to[charges-twice]",
        ),
        (
            "nobody need know what happened",
            "charged=charged)",
            "charged=None)",
            "the_call_of_what_happened_is_looked_for",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/turns.py",
        "test_cancel_mid_stream.py",
        (
            "a call that happened may be forgotten",
            'if charged and found["call"] < stored.get("call", 0):',
            "if False:",
            "the_call_of_what_happened_is_looked_for",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/whole_runs.py",
        "test_cancel_mid_stream.py",
        (
            "a point that was reached once was reached often",
            "if missing := Counter(points) - reached:",
            "if missing := Counter(set(points)) - reached:",
            "what_cannot_be_judged[one-piece]",
        ),
    ),
]

AFTER_A_KILL = [
    *mutants(
        HERE,
        "scenarios/kill_mid_tool.py",
        "test_history_after_a_kill.py",
        (
            "the stored history plays no part",
            "        or stored\n",
            "",
            "a_history_that_a_resume_spoils_fails_kill_mid_tool[keyed+resume-unpairs]",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/kill_sweep.py",
        "test_history_after_a_kill.py",
        (
            "the stored history plays no part",
            "        if found.unpaired and broken is None:\n",
            "        if False:\n",
            "a_history_that_a_resume_spoils_fails_kill_sweep",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/clean_run.py",
        "test_history_after_a_kill.py",
        (
            "a history may be broken from the start",
            "    if state.unpaired:\n",
            "    if False:\n",
            "a_history_that_is_broken_from_the_start_is_an_error",
        ),
    ),
]

LOST_WRITE = [
    Mutant(
        "the stored history plays no part",
        "scenarios/lost_session_write.py",
        "            or judge_reported(reported, when)\n",
        "",
        ("test_lost_session_write.py::test_a_history_that_a_resume_spoils_is_a_fail",),
    )
]

MUTANTS = [*LOST_WRITE, *RESTART, *ACK_LOST, *STOP, *HOLDING, *MODEL, *CANCEL, *AFTER_A_KILL]


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_scenario_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """The named test fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")


def test_every_mutant_can_be_made() -> None:
    """On each Python all of them still fit the text that they change."""
    for mutant in MUTANTS:
        assert mutated(mutant)
