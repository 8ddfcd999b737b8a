"""Mutation proof of batch-kill and changed-world: each way of breaking them turns a test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Mutant, Workshop, check_noticed, mutants, mutated, named

HERE = Path(__file__).parent


BATCH = mutants(
    HERE,
    "scenarios/batch_kill.py",
    "test_batch_kill.py",
    (
        "the third call is held",
        "_HELD_CALL = 2",
        "_HELD_CALL = 3",
        "what_a_pass_has_seen",
    ),
    (
        "both points are one",
        '"between-results-recorded": AFTER_EFFECT',
        '"between-results-recorded": BEFORE_EFFECT',
        "what_a_pass_has_seen",
    ),
    (
        "any calls are a batch",
        "if set(calls[:_SIZE]) != _NAMES:",
        "if False:",
        "a_run_without_a_fault_that_is_no_batch[one-charge]",
    ),
    (
        "calls in turns are a batch",
        "if calls and batch_size(history) != _SIZE:",
        "if False:",
        "a_run_without_a_fault_that_is_no_batch[one-a-turn]",
    ),
    (
        "a history may be broken from the start",
        "if problem_found := find_break(history):",
        "if problem_found := None:",
        "a_run_without_a_fault_that_is_no_batch[broken-from-the-start]",
    ),
    (
        "calls beside the held one are answered",
        "        stop_there=True,\n",
        "",
        "parallel_calls_are_in_one_state_at_the_kill",
    ),
    (
        "an answer that was sent is an answer that was taken",
        "    return trial.provider.taken\n",
        '    return tuple(c.effect for c in trial.provider.calls if c.effect == "charge_card_1")\n',
        "a_fault_that_did_not_land_between_two_results[next-start-leaves-the-answer]",
    ),
    (
        "without an answer there is something between results",
        "    if not answered:\n",
        "    if False:\n",
        "a_fault_that_did_not_land_between_two_results[next-start-leaves-the-answer]",
    ),
    (
        "any call may be the second",
        "if strangers := {*answered, killed.effect} - _NAMES:",
        "if strangers := set():",
        "a_fault_that_did_not_land_between_two_results[next-start-audits]",
    ),
    (
        "how a resume ends plays no part",
        "        broken\n        or judge_effects",
        "        judge_effects",
        "what_each_kind_of_agent_gets[resume-crashes]",
    ),
    (
        "effects are not counted",
        'or judge_effects(expected, trial.provider.effects, when="after resume")\n',
        "\n",
        "what_each_kind_of_agent_gets[forgets]",
    ),
    (
        "repeated calls are fine",
        "        or _judge_repeated(trial, answered)\n",
        "",
        "a_repeated_call_is_a_fail_although_its_key_hides_it",
    ),
    (
        "every call of a resume is a repetition",
        'if call.phase == "resume" and call.effect in answered:',
        'if call.phase == "resume":',
        "what_each_kind_of_agent_gets[notes-each]",
    ),
    (
        "the stored history plays no part",
        'or _judge_history(reported, unfaulted.evidence["stored_calls"])',
        "or None",
        "a_history_that_a_resume_spoils",
    ),
    (
        "calls may be missing",
        "stored_calls is not None and calls < stored_calls",
        "False",
        "a_history_that_a_resume_spoils[forgets-its-history]",
    ),
    (
        "what cannot be read any more is fine",
        "        return Judgement(\n            FAIL,\n            Outcome.STATE_LOST,",
        "        return None and Judgement(\n            FAIL,\n            Outcome.STATE_LOST,",
        "a_history_that_a_resume_spoils[loses-its-history]",
    ),
    (
        "the answered call is named in its turn",
        "key=lambda name: name not in answered",
        "key=lambda name: name in answered",
        "the_call_that_had_its_answer_is_named_first",
    ),
)

HISTORY = mutants(
    HERE,
    "scenarios/history.py",
    "test_stored_history.py",
    (
        "a call may be there twice",
        "if calls.count(identity) > 1:",
        "if False:",
        "what_is_broken",
    ),
    (
        "a call needs no answer",
        "if answers.count(identity) != 1:",
        "if answers.count(identity) > 1:",
        "what_is_broken",
    ),
    (
        "a call may have two answers",
        "if answers.count(identity) != 1:",
        "if answers.count(identity) < 1:",
        "what_is_broken",
    ),
    (
        "an answer needs no call before it",
        "elif one.kind == ANSWER and one.identity not in known:",
        "elif False:",
        "what_is_broken",
    ),
    (
        "ids are not needed",
        "(not isinstance(identity, str) or not identity)",
        "False",
        "a_report_without_a_history",
    ),
    (
        "all calls are one batch",
        "return kinds[:first].count(CALL)",
        "return kinds.count(CALL)",
        "how_many_calls_are_asked_for_at_once",
    ),
)

WORLD = mutants(
    HERE,
    "scenarios/changed_world.py",
    "test_changed_world.py",
    (
        "nothing changes",
        "        trial.variables[WORLD_VARIABLE] = world\n",
        "        pass\n",
        "each_change_reaches_the_resume_and_is_named",
    ),
    (
        "harm without a change is blamed on it",
        "        _check_unchanged(lab, subject, unfaulted)\n",
        "",
        "what_harm_there_was_without_a_change_is_said",
    ),
    (
        "the world need not change",
        'if reported["world"] == unfaulted.evidence["world"]:',
        "if False:",
        "a_world_that_stayed_as_it_was_is_an_error",
    ),
    (
        "nobody need know whether it changed",
        'return error(f"nobody knows whether the world changed: {why}")',
        'reported = {"world": why}',
        "a_change_that_cannot_be_judged[cannot-be-inspected]",
    ),
    (
        "a target need not report its world",
        'if not reported.get("world"):\n        raise NotUsable(',
        'if not reported.setdefault("world", "any"):\n        raise NotUsable(',
        "a_change_that_cannot_be_judged[has-no-world]",
    ),
    (
        "every refusal names the difference",
        "    if said := find_refusal(names, ended.stderr):\n",
        "    if said := ended.stderr:\n",
        "a_refusal_that_names_something_else_is_a_crash",
    ),
    (
        "no refusal names the difference",
        "    if said := find_refusal(names, ended.stderr):\n",
        "    if said := None:\n",
        "each_change_reaches_the_resume_and_is_named",
    ),
    (
        "a refusal may come late",
        'if any(call.phase == "resume" for call in trial.provider.calls):',
        "if False:",
        "what_each_way_of_meeting_a_change_gets[refuses-late]",
    ),
    (
        "a signal is a refusal",
        "if ended.returncode is not None and ended.returncode < 0:",
        "if False:",
        "what_each_way_of_meeting_a_change_gets[says-so-and-dies]",
    ),
    (
        "a hang is nothing",
        "    if ended.returncode is None:\n        return Judgement(FAIL, Outcome.HUNG",
        "    if False:\n        return Judgement(FAIL, Outcome.HUNG",
        "a_resume_that_hangs_is_a_fail",
    ),
    (
        "a wrong outcome is fine",
        "    if wrong is None:\n        under",
        "    if True:\n        under",
        "what_each_way_of_meeting_a_change_gets[leaves-it-out]",
    ),
    (
        "what was said is silence",
        "said = find_refusal(trial.subject.worlds[world], ended.stderr)\n    how",
        "said = None\n    how",
        "what_each_way_of_meeting_a_change_gets[says-so]",
    ),
    (
        "worlds that are not there are tried",
        "for world in wanted if world in subject.worlds)",
        "for world in wanted)",
        "a_target_without_worlds_is_an_error",
    ),
)

REFUSALS = mutants(
    HERE,
    "scenarios/refusals.py",
    "test_what_was_said.py",
    (
        "quoted code is said",
        '        elif not quoting or not line.startswith(" "):\n',
        "        else:\n",
        "what_was_said",
    ),
    (
        "margins hide the quotes",
        'line = _MARGIN.sub("", raw)',
        "line = raw",
        "what_was_said",
    ),
    (
        "the first is heard",
        "found[-1].start()",
        "found[0].start()",
        "what_was_said",
    ),
    (
        "a traceback without its head is a message",
        "quoting = lines[:1] == [TRUNCATED]",
        "quoting = False",
        "a_traceback_whose_head_was_cut_off",
    ),
    (
        "messages have one line",
        "pattern.flags | re.MULTILINE",
        "pattern.flags",
        "what_was_said",
    ),
)

BETWEEN = [
    *mutants(
        HERE,
        "provider.py",
        "test_between_calls.py",
        (
            "what follows is recorded",
            "recorded = point != BEFORE_EFFECT and not behind",
            "recorded = point != BEFORE_EFFECT",
            "what_follows_the_held_call_is_held_too",
        ),
        (
            "what follows is answered",
            "            if point is None and not behind:\n",
            "            if point is None:\n",
            "what_follows_the_held_call_is_held_too",
        ),
        (
            "everything is always held",
            "behind = point is None and self._stop_there and self._held is not None",
            "behind = point is None and self._held is not None",
            "without_being_asked_only_one_call_is_held",
        ),
        (
            "what was held once is held for ever",
            "            self._point = None\n            self._stop_there = False\n",
            "            self._point = None\n",
            "after_the_held_call_is_dropped_everything_is_answered",
        ),
        (
            "an answer is taken when it is sent",
            "            answered = name\n",
            "            self._taken.append(name)\n",
            "an_answer_is_taken_when_its_caller_hangs_up_or_goes_on",
        ),
    ),
    *mutants(
        HERE,
        "scenarios/killing.py",
        "test_between_calls.py",
        (
            "a quiet folder is enough",
            "            if trial.busy():\n",
            "            if False:\n",
            "a_run_that_has_something_to_do_is_waited_for",
        ),
        (
            "idle threads are enough",
            "        if now == before:\n            return\n",
            "        if before is not None:\n            return\n",
            "a_run_whose_folder_changes_is_waited_for",
        ),
    ),
]

OTHER = [
    *mutants(
        HERE,
        "manifest.py",
        "test_worlds_in_a_manifest.py",
        (
            "any world will do",
            "if unknown := set(worlds) - set(WORLDS):",
            "if unknown := set():",
            "a_wrong_world_is_an_error",
        ),
        (
            "no world will do",
            "if ChangedWorld.name in scenarios and not worlds:",
            "if False:",
            "a_wrong_world_is_an_error",
        ),
    ),
]

MUTANTS = [*BATCH, *HISTORY, *WORLD, *REFUSALS, *BETWEEN, *OTHER]


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_scenario_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """The named test fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")


def test_every_mutant_can_be_made() -> None:
    """On each Python all of them still fit the text that they change."""
    for mutant in MUTANTS:
        assert mutated(mutant)
