"""Mutation proof of the scenarios of stores: each way of breaking them turns a test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from workshop import Mutant, Workshop, check_noticed, mutants, mutated, named

HERE = Path(__file__).parent


DESK = mutants(
    HERE,
    "fault_desk.py",
    "../harness/test_fault_points.py",
    (
        "numbers are not counted by name",
        "sum(one.point == point for one, _ in self._reached)",
        "len(self._reached)",
        "a_point_is_known_by_process_phase_and_number",
    ),
    (
        "whoever waits is not let go",
        "            word = held.wait()\n",
        "            word = GO_ON\n",
        "a_held_point_waits_for_the_scenario",
    ),
    (
        "a dropped call is answered",
        "return None if word == DROP else word",
        "return GO_ON if word == DROP else word",
        "a_failing_point_raises[drop]",
    ),
)

FAULTS = mutants(
    HERE,
    "faults.py",
    "../harness/test_fault_points.py",
    (
        "every point is a call",
        'if not any(point.startswith(one) for one in asked.split(",") if one):',
        "if not asked:",
        "a_point_that_nobody_asks_about_is_no_call",
    ),
    (
        "a failing point goes on",
        "        raise ConnectionError(msg)\n",
        "        return GO_ON\n",
        "a_failing_point_raises[fail]",
    ),
    (
        "a write that failed by itself has an end",
        "if error is None:",
        "if True:",
        "a_write_that_fails_by_itself_has_no_end",
    ),
)

PLUGGED = mutants(
    HERE,
    "scenarios/plugged_store.py",
    "test_plugged_store.py",
    (
        "an outage is one lost write",
        "from_then_on=point == OUTAGE",
        "from_then_on=False",
        "an_outage_ends_with_the_process",
    ),
    (
        "an outage beside single results is tried once",
        "by_chance=point == OUTAGE and race",
        "by_chance=False",
        "an_outage_is_left_to_chance_where_two_kinds_are_written_side_by_side",
    ),
    (
        "an acknowledgement is lost with its write",
        "END if point == ACK_LOST else BEGIN",
        "BEGIN",
        "what_each_recovery_comes_to[counts-its-writes-ack-lost-save:user]",
    ),
    (
        "anybody may have written",
        "if rule.group not in trial.groups:",
        "if False:",
        "a_write_from_outside_the_agent_is_an_error",
    ),
    (
        "a start that hangs has ended",
        "    if started.returncode is None:\n",
        "    if False:\n",
        "a_start_that_hangs_after_the_failure_is_a_fail",
    ),
    (
        "effects are not counted",
        "or judge_effects(unfaulted.effects, provider.effects, when=when)",
        "or None",
        "what_each_recovery_comes_to[charges-again-write-lost-save:answer]",
    ),
    (
        "a history may be unpaired",
        "        or judge_history(reported, when=when)\n        or _judge",
        "        or _judge",
        "what_each_recovery_comes_to[swallows-write-lost-save:answer]",
    ),
    (
        "entries are not counted",
        "        if there == wanted:\n",
        "        if True:\n",
        "what_each_recovery_comes_to[swallows-write-lost-save:user]",
    ),
    (
        "a history may be broken from the start",
        'if broken := judge_history(reported, when="without a fault"):',
        "if broken := None:",
        "a_run_without_a_fault_that_proves_nothing[broken-by-itself]",
    ),
)

GOING_ON = mutants(
    HERE,
    "scenarios/store_writes.py",
    "test_plugged_store.py",
    (
        "every run is begun again",
        "fresh = not saved and not any(provider.effects.values())",
        "fresh = True",
        "a_run_that_never_began_is_begun_again",
    ),
    (
        "no run is begun again",
        "fresh = not saved and not any(provider.effects.values())",
        "fresh = False",
        "a_run_that_never_began_is_begun_again",
    ),
    (
        "faults go on after the start",
        '        if reached.phase != "start":\n            return GO_ON\n        if self.failed',
        "        if self.failed",
        "a_log_that_is_read_loses_and_doubles_nothing",
    ),
)

AT_SAVE = mutants(
    HERE,
    "scenarios/kill_at_save.py",
    "test_kill_at_save.py",
    (
        "results are never late",
        'return HOLD if late and reached.point.endswith(f":{BEGIN}") else GO_ON',
        "return GO_ON",
        "the_order_is_in_the_evidence",
    ),
    (
        "a save does not wait for its results",
        "    if rule.point != NATURAL:\n",
        "    if rule.point == WRITES_LATE:\n",
        "the_order_is_in_the_evidence",
    ),
    (
        "results that are waited for stay out",
        "            desk.let_go(GO_ON)\n",
        "            desk.let_go()\n",
        "a_framework_that_waits_cannot_be_brought_out_of_order",
    ),
    (
        "chance is tried once",
        "by_chance=point == NATURAL and bool(writes)",
        "by_chance=False",
        "chance_is_tried_several_times",
    ),
    (
        "an order that cannot be is left out",
        "            + (() if writes else self._missing(subject)),\n",
        "            + (),\n",
        "with_one_kind_of_write_there_is_one_order",
    ),
    (
        "a kill may miss",
        "    if kill.problem:\n        note_stderr",
        "    if False:\n        note_stderr",
        "what_else_can_come_of_it[from-outside]",
    ),
    (
        "how the resume ends is no matter",
        "        broken\n        or judge_effects",
        "        judge_effects",
        "what_else_can_come_of_it[crashes]",
    ),
    (
        "effects are not counted",
        '        or judge_effects(unfaulted.effects, provider.effects, when="after resume")\n',
        "",
        "what_else_can_come_of_it[does-nothing]",
    ),
    (
        "a history may be unpaired",
        '        or judge_history(reported, when="after resume")\n',
        "",
        "what_else_can_come_of_it[unpaired]",
    ),
)

ROUNDTRIP = mutants(
    HERE,
    "scenarios/store_roundtrip.py",
    "test_store_roundtrip.py",
    (
        "what was not made counts as saved",
        "    if made < begun:\n",
        "    if False:\n",
        "what_each_store_comes_to[refuses-a-save-checkpoints]",
    ),
    (
        "what is seen is not counted",
        "    if seen != made:\n",
        "    if False:\n",
        "what_each_store_comes_to[hides-one-checkpoints]",
    ),
    (
        "a value may change",
        "    if found[name] == saved[name]:\n",
        "    if found[name]:\n",
        "what_each_store_comes_to[changes-a-class-enum]",
    ),
    (
        "a value may go",
        "    if found[name] is None:\n        return Judgement(FAIL,",
        "    if found[name] is None:\n        return Judgement(PASS,",
        "what_each_store_comes_to[loses-a-class-enum]",
    ),
    (
        "effects are not counted",
        "judge_effects(unfaulted.effects, trial.provider.effects,",
        "judge_effects((), {},",
        "what_each_store_comes_to[values-lost-checkpoints]",
    ),
)

MUTANTS = [*DESK, *FAULTS, *PLUGGED, *GOING_ON, *AT_SAVE, *ROUNDTRIP]


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_scenario_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """The named test fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")


def test_every_mutant_can_be_made() -> None:
    """On each Python all of them still fit the text that they change."""
    for mutant in MUTANTS:
        assert mutated(mutant)
