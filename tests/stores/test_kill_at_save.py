"""kill-at-save: both orders of a framework's writes, chance, and every cause of ERROR."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plugpull.lab import Lab
from plugpull.scenarios.base import NotUsable, Settings
from plugpull.scenarios.kill_at_save import KillAtSave
from plugpull.subject import Subject
from plugpull.verdicts import Result

SCENARIO = KillAtSave()
Make = Callable[..., Subject]
RunAll = Callable[[Lab, KillAtSave, Subject], "list[Result]"]

COMES_TO = {
    "keyed": ["PASS held", "PASS held", "PASS held"],
    "forgets-its-results": ["FAIL duplicated", "FAIL duplicated", "FAIL duplicated"],
    "does-not-wait": ["FAIL duplicated", "PASS held"],
    "waits": ["PASS held", "PASS held", "PASS held"],
}


@pytest.mark.parametrize("kind", COMES_TO)
def test_what_each_order_comes_to(lab: Lab, store: Make, run_all: RunAll, kind: str) -> None:
    """A result that is not waited for is there or not, as the order is; the order is forced."""
    results = run_all(lab, SCENARIO, store(kind))
    assert [one.kill_point for one in results] == ["writes-late", "save-late", "natural"]
    assert {one.point_detail for one in results} == {"save:step"}
    found = [f"{one.verdict} {one.outcome}" for one in results]
    assert found[: len(COMES_TO[kind])] == COMES_TO[kind], [one.detail for one in results]


def test_the_order_is_in_the_evidence(lab: Lab, store: Make, run_all: RunAll) -> None:
    """What was stored when the agent died, and what was late."""
    late, save_late, _ = run_all(lab, SCENARIO, store("does-not-wait"))
    assert late.evidence["late"] == ["writes:charge"]
    assert late.evidence["stored_before"] == []
    assert save_late.evidence["late"] == []
    assert save_late.evidence["stored_before"] == ["writes:charge"]
    for result in (late, save_late):
        assert result.evidence["kill"]["agent_status"] == -9
        assert "save_waits_for_its_writes" not in result.evidence


def test_a_framework_that_waits_cannot_be_brought_out_of_order(
    lab: Lab, store: Make, run_all: RunAll
) -> None:
    """Its held result is let in, and only then does the save come."""
    late, *_ = run_all(lab, SCENARIO, store("waits"))
    assert late.evidence["save_waits_for_its_writes"] is True
    assert late.evidence["stored_before"] == ["writes:charge"]
    told = [one["told"] for one in late.evidence["fault_points"] if one["phase"] == "start"]
    assert told[0] == "hold, go-on"


def test_chance_is_tried_several_times(lab: Lab, store: Make, run_all: RunAll) -> None:
    """And shown as counts; an order that is forced is tried once."""
    late, save_late, natural = run_all(lab, SCENARIO, store("does-not-wait"))
    assert sum(natural.runs.values()) == 2
    assert natural.timing_dependent
    for forced in (late, save_late):
        assert sum(forced.runs.values()) == 1
        assert not forced.timing_dependent


def test_with_one_kind_of_write_there_is_one_order(lab: Lab, store: Make, run_all: RunAll) -> None:
    """No chance either. The other two points have to be declared as not supported."""
    forced = frozenset({(SCENARIO.name, "writes-late"), (SCENARIO.name, "save-late")})
    (natural,) = run_all(lab, SCENARIO, store("one-kind", lacking=forced))
    assert (natural.verdict, natural.kill_point) == ("PASS", "natural")
    assert sum(natural.runs.values()) == 1
    _, *undeclared = run_all(lab, SCENARIO, store("one-kind"))
    assert [(one.kill_point, one.verdict) for one in undeclared] == [
        ("writes-late", "ERROR"),
        ("save-late", "ERROR"),
    ]
    assert "has to declare this fault point as not supported" in undeclared[0].detail


@pytest.mark.parametrize(
    ("kind", "expected", "sentence"),
    [
        ("save-crashes", "FAIL crashed", "could not be resumed after the kill"),
        ("save-does-nothing", "FAIL lost", "0 finish_order effects after resume"),
        ("save-unpaired", "FAIL unpaired", "has 0 answers"),
        ("saves-no-more", "ERROR", "start never came to the save save:step"),
        ("saves-from-outside", "ERROR", "the kill did not land in the save: the call came from"),
    ],
    ids=["crashes", "does-nothing", "unpaired", "no-more", "from-outside"],
)
def test_what_else_can_come_of_it(  # noqa: PLR0917 - a table
    lab: Lab, store: Make, run_all: RunAll, kind: str, expected: str, sentence: str
) -> None:
    """Each failure of a resume, and each fault that did not land."""
    natural, *_ = run_all(lab, SCENARIO, store(kind))
    assert f"{natural.verdict} {natural.outcome or ''}".strip() == expected, natural.detail
    assert sentence in natural.detail


def test_a_target_without_saves_is_an_error(lab: Lab, store: Make) -> None:
    """Nothing went through ``store_write``."""
    with pytest.raises(NotUsable, match="announced no save"):
        SCENARIO.unfaulted(lab, store("silent"), Settings())


def test_a_program_that_cannot_be_started_is_an_error(lab: Lab, store: Make) -> None:
    """With the system's reason."""
    unfaulted = SCENARIO.unfaulted(lab, store("keyed"), Settings())
    gone = Subject(target="gone", argv=("/no/such/program",))
    result = SCENARIO.try_case(lab, gone, unfaulted, unfaulted.cases[0])
    assert result.verdict == "ERROR"
    assert "the agent could not be started" in result.detail
