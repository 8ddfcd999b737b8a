"""lost-session-write on a store of the framework's own: what each recovery comes to."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from plugpull.lab import Lab
from plugpull.scenarios.base import Case, NotUsable, Settings
from plugpull.scenarios.lost_session_write import LostSessionWrite
from plugpull.subject import Subject
from plugpull.verdicts import Result

SCENARIO = LostSessionWrite()
Make = Callable[..., Subject]


def at(lab: Lab, subject: Subject, point: str, detail: str) -> Result:
    """The result of one write at one fault point."""
    unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    case = next(
        one for one in unfaulted.cases if (one.kill_point, one.point_detail) == (point, detail)
    )
    return SCENARIO.try_case(lab, subject, unfaulted, case)


def words(result: Result) -> str:
    """Verdict and outcome."""
    return f"{result.verdict} {result.outcome or ''}".strip()


def test_each_write_is_lost_in_each_way(lab: Lab, store: Make) -> None:
    """By its content, and as often as there are writes."""
    unfaulted = SCENARIO.unfaulted(lab, store("reads-its-log"), Settings())
    assert [(case.kill_point, case.point_detail) for case in unfaulted.cases] == [
        (point, f"save:{kind}")
        for kind in ("user", "call", "answer")
        for point in ("write-lost", "ack-lost", "outage")
    ]


def test_a_log_that_is_read_loses_and_doubles_nothing(lab: Lab, store: Make) -> None:
    """At every write, and each time the fault is in the evidence with its process."""
    subject = store("reads-its-log")
    unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    for case in unfaulted.cases:
        result = SCENARIO.try_case(lab, subject, unfaulted, case)
        assert words(result) == "PASS held", result.detail
        assert result.evidence["failed_write"]["write"] == case.point_detail
        assert result.evidence["failed_write"]["group"]
        told = [one["told"] for one in result.evidence["fault_points"]]
        assert told.count("fail") == 1


COMES_TO = [
    ("counts-its-writes", "ack-lost", "save:user", "FAIL duplicated", "stored history doubled"),
    ("counts-its-writes", "ack-lost", "save:call", "FAIL unpaired", "the call call-1 is there 2"),
    ("counts-its-writes", "write-lost", "save:call", "PASS held", ""),
    ("swallows", "write-lost", "save:user", "FAIL state lost", "lost silently: 0 entries of kind"),
    ("swallows", "write-lost", "save:answer", "FAIL unpaired", "has 0 answers"),
    ("swallows", "ack-lost", "save:user", "PASS held", ""),
    ("swallows", "outage", "save:user", "FAIL state lost", "lost silently"),
    ("charges-again", "write-lost", "save:answer", "FAIL duplicated", "2 charge_card effects"),
    ("crashes", "ack-lost", "save:user", "FAIL crashed", "could not be resumed after the failed"),
    ("refuses", "ack-lost", "save:user", "FAIL refused", "RefusedError: another store"),
    ("does-nothing", "ack-lost", "save:user", "FAIL lost", "0 charge_card effects after resume"),
]

IDS = ["-".join(row[:3]) for row in COMES_TO]


@pytest.mark.parametrize(("kind", "point", "write", "expected", "sentence"), COMES_TO, ids=IDS)
def test_what_each_recovery_comes_to(  # noqa: PLR0917 - a table
    lab: Lab, store: Make, kind: str, point: str, write: str, expected: str, sentence: str
) -> None:
    """Lost, doubled, unpaired, crashed, refused: each is told apart."""
    result = at(lab, store(kind), point, write)
    assert words(result) == expected, result.detail
    assert sentence in result.detail


def test_a_start_that_hangs_after_the_failure_is_a_fail(impatient_lab: Lab, store: Make) -> None:
    """A store that went away must not take the process along for ever."""
    result = at(impatient_lab, store("hangs"), "write-lost", "save:user")
    assert words(result) == "FAIL hung"
    assert "resume_returncode" not in result.evidence


def test_a_run_that_never_began_is_begun_again(lab: Lab, store: Make) -> None:
    """Nothing stored and nothing happened: there is nothing to resume. Else there is."""
    first = at(lab, store("reads-its-log"), "write-lost", "save:user")
    assert first.evidence["went_on_with"] == "start"
    later = at(lab, store("reads-its-log"), "write-lost", "save:call")
    assert later.evidence["went_on_with"] == "resume"


def test_an_outage_is_left_to_chance_where_two_kinds_are_written_side_by_side(
    lab: Lab, store: Make
) -> None:
    """Which of them fails first is nobody's choice, so each outage is tried several times."""
    both = SCENARIO.unfaulted(lab, store("does-not-wait"), Settings()).cases
    chance = {(case.kill_point, case.by_chance) for case in both}
    assert chance == {("write-lost", False), ("ack-lost", False), ("outage", True)}
    alone = SCENARIO.unfaulted(lab, store("one-kind"), Settings()).cases
    assert not any(case.by_chance for case in alone)


def test_an_outage_ends_with_the_process(lab: Lab, store: Make) -> None:
    """Every write behind the first one fails too, and none of the next process."""
    result = at(lab, store("swallows"), "outage", "save:call")
    started = [one for one in result.evidence["fault_points"] if one["phase"] == "start"]
    assert [one["told"] for one in started] == ["go-on", "go-on", "fail", "fail"]


def test_a_subject_that_is_not_inspected_is_judged_by_its_effects(lab: Lab, store: Make) -> None:
    """Nothing is known of its history, and nothing said."""
    result = at(lab, store("swallows", inspects=False), "write-lost", "save:user")
    assert words(result) == "PASS held"
    assert "reported" not in result.evidence


def test_a_write_that_does_not_come_again_is_an_error(lab: Lab, store: Make) -> None:
    """A fault that did not land proves nothing."""
    result = at(lab, store("writes-less-next-time"), "write-lost", "save:user")
    assert words(result) == "ERROR"
    assert "start never made the write save:user" in result.detail


def test_a_write_from_outside_the_agent_is_an_error(lab: Lab, store: Make) -> None:
    """Where the fault landed is the kernel's word."""
    result = at(lab, store("writes-from-outside"), "write-lost", "save:user")
    assert words(result) == "ERROR"
    assert "outside the agent's process group" in result.detail


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("broken-by-itself", "stored history broken without a fault"),
        ("unreadable", "can no longer be read without a fault"),
        ("silent", "no Session write of the run without a fault carried the staged input"),
    ],
    ids=["broken-by-itself", "unreadable", "silent"],
)
def test_a_run_without_a_fault_that_proves_nothing(
    lab: Lab, store: Make, kind: str, sentence: str
) -> None:
    """There is nothing to compare with."""
    with pytest.raises(NotUsable, match=sentence):
        SCENARIO.unfaulted(lab, store(kind), Settings())


def test_a_program_that_cannot_be_started_is_an_error(lab: Lab, store: Make) -> None:
    """In the faulted run; the one without a fault has errors of its own."""
    subject = store("reads-its-log")
    unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    gone = Subject(target="gone", argv=("/no/such/program",))
    result = SCENARIO.try_case(lab, gone, unfaulted, Case("write-lost", "save:user", 0))
    assert words(result) == "ERROR"
    assert "the agent could not be started" in result.detail
