"""store-roundtrip: what a new process reads, and every cause of ERROR."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plugpull.lab import Lab
from plugpull.scenarios.base import NotUsable, Settings
from plugpull.scenarios.store_roundtrip import VALUES, StoreRoundtrip
from plugpull.subject import Subject
from plugpull.verdicts import Result

SCENARIO = StoreRoundtrip()
Make = Callable[..., Subject]


def at(lab: Lab, subject: Subject, point: str, detail: str | None) -> Result:
    """One result."""
    unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    case = next(
        one for one in unfaulted.cases if (one.kill_point, one.point_detail) == (point, detail)
    )
    return SCENARIO.try_case(lab, subject, unfaulted, case)


def test_each_class_is_a_result(lab: Lab, store: Make) -> None:
    """And the number of checkpoints is one."""
    unfaulted = SCENARIO.unfaulted(lab, store("keeps-all"), Settings())
    assert [(case.kill_point, case.point_detail) for case in unfaulted.cases] == [
        ("checkpoints", None),
        *(("classes", name) for name in VALUES),
    ]


def test_a_target_without_values_is_asked_for_its_checkpoints_only(lab: Lab, store: Make) -> None:
    """Where it declares that it keeps none; what it says of them is not read then."""
    subject = store("says-nothing", lacking=frozenset({(SCENARIO.name, "classes")}))
    unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    assert [case.kill_point for case in unfaulted.cases] == ["checkpoints"]


COMES_TO = [
    ("keeps-all", "checkpoints", None, "PASS held", "all 2 checkpoints are there"),
    ("keeps-all", "classes", "enum", "PASS held", "the enum came back as it was"),
    ("loses-a-class", "classes", "enum", "FAIL state lost", "the enum is gone (saved: toy.enum 1)"),
    ("changes-a-class", "classes", "enum", "FAIL diverged", "came back as builtins.str 'fast'"),
    ("changes-a-class", "classes", "bytes", "PASS held", "the bytes came back"),
    ("hides-one", "checkpoints", None, "FAIL state lost", "saved but not readable: 2 checkpoints"),
    ("shows-one-more", "checkpoints", None, "FAIL duplicated", "more than was saved"),
    ("refuses-a-save", "checkpoints", None, "FAIL state lost", "not saved: 2 checkpoints were to"),
    ("values-crash", "checkpoints", None, "FAIL crashed", "could not be resumed"),
    ("values-crash", "classes", "enum", "FAIL crashed", "could not be resumed"),
    ("values-lost", "checkpoints", None, "FAIL lost", "0 charge_card effects after resume"),
    ("values-unreadable", "checkpoints", None, "FAIL state lost", "cannot read what was saved"),
    ("values-unreadable", "classes", "enum", "FAIL state lost", "cannot read what was saved"),
    ("no-number", "checkpoints", None, "ERROR", "no number of checkpoints, but 'two'"),
    ("no-classes", "classes", "enum", "ERROR", "did not report what the enum came back as"),
]

IDS = [f"{row[0]}-{row[2] or row[1]}" for row in COMES_TO]


@pytest.mark.parametrize(("kind", "point", "detail", "expected", "sentence"), COMES_TO, ids=IDS)
def test_what_each_store_comes_to(  # noqa: PLR0917 - a table
    lab: Lab,
    store: Make,
    kind: str,
    point: str,
    detail: str | None,
    expected: str,
    sentence: str,
) -> None:
    """Not saved, saved and not readable, changed, gone: each is told apart."""
    result = at(lab, store(kind), point, detail)
    assert f"{result.verdict} {result.outcome or ''}".strip() == expected, result.detail
    assert sentence in result.detail


def test_the_counts_are_the_harness_s(lab: Lab, store: Make) -> None:
    """What began and what was made are calls that were held, whatever the target says."""
    result = at(lab, store("refuses-a-save"), "checkpoints", None)
    assert (result.evidence["saves_begun"], result.evidence["saves_made"]) == (2, 1)
    assert result.evidence["kill"]["agent_status"] == -9


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("says-nothing", "start did not report what it saved"),
        ("says-too-little", "start did not report what it saved"),
        ("saves-nothing", "announced no save"),
    ],
    ids=["nothing", "too-little", "no-save"],
)
def test_a_run_without_a_fault_that_proves_nothing(
    lab: Lab, store: Make, kind: str, sentence: str
) -> None:
    """There is nothing to compare with."""
    with pytest.raises(NotUsable, match=sentence):
        SCENARIO.unfaulted(lab, store(kind), Settings())


def test_a_subject_without_inspect_cannot_be_asked(lab: Lab, store: Make) -> None:
    """Nobody could read what it saved."""
    with pytest.raises(NotUsable, match="has no verb inspect"):
        SCENARIO.unfaulted(lab, store("keeps-all", inspects=False), Settings())


def test_a_kill_that_did_not_land_is_an_error(lab: Lab, store: Make) -> None:
    """The rule of every scenario that kills."""
    unfaulted = SCENARIO.unfaulted(lab, store("keeps-all"), Settings())
    gone = Subject(target="gone", argv=("/no/such/program",))
    result = SCENARIO.try_case(lab, gone, unfaulted, unfaulted.cases[0])
    assert result.verdict == "ERROR"
