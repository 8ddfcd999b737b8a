"""Which versions differ."""

from __future__ import annotations

from typing import Any

from madeup import put_together, raw_result, row
from plugpull.matrix.flips import Flip, flips


def lost(**more: Any) -> dict[str, Any]:
    """A FAIL in which something is lost."""
    return raw_result(verdict="FAIL", outcome="lost", **more)


def found(*rows: Any) -> list[Flip]:
    """What is said about a framework."""
    return flips(put_together(*rows).results)


def test_a_verdict_that_changes_names_the_versions() -> None:
    """In the order of the versions, and for all Pythons that show it together."""
    pythons = ("3.12", "3.13")
    rows = [row("toy", "1.9", python, lost()) for python in pythons]
    rows += [row("toy", "1.10", python, raw_result()) for python in pythons]
    rows += [row("toy", "2.0", python, raw_result()) for python in pythons]
    course = "FAIL lost on 1.9; PASS from 1.10 on"
    assert found(*rows) == [
        Flip("kill-mid-tool", "sync+no-key", "before-effect", (), "3.12-3.13", course)
    ]


def test_there_and_back() -> None:
    """Each stretch is named with its versions."""
    rows = [row("toy", "1.0", "3.13", raw_result()), row("toy", "1.1", "3.13", lost())]
    (flip,) = found(*rows, row("toy", "1.2", "3.13", raw_result()))
    assert flip.course == "PASS on 1.0; FAIL lost on 1.1; PASS on 1.2"


def test_several_faults_at_one_point_that_change_alike_are_one_line() -> None:
    """Their details stand together; one that stays is not among them."""
    before = [lost(point_detail=name) for name in ("call", "answer", "end")]
    after = [raw_result(point_detail="call"), raw_result(point_detail="answer")]
    (flip,) = found(
        row("toy", "1.0", "3.13", *before),
        row("toy", "2.0", "3.13", *after, lost(point_detail="end")),
    )
    assert flip.details == ("call", "answer")


def test_a_release_that_a_python_cannot_run_changes_nothing() -> None:
    """The Python agrees in what it has."""
    rows = [row("toy", version, "3.10", lost()) for version in ("1.0", "1.1")]
    rows += [row("toy", version, "3.13", lost()) for version in ("1.0", "1.1")]
    (flip,) = found(*rows, row("toy", "2.0", "3.13", raw_result()))
    assert flip.pythons == "3.10, 3.13"


def test_what_only_one_python_shows_is_no_matter_of_the_version() -> None:
    """Likewise what timing decides, what was an ERROR, and an outcome that changed its name."""
    same = [row("toy", version, "3.12", raw_result()) for version in ("1.0", "2.0")]
    assert not found(
        *same, row("toy", "1.0", "3.13", lost()), row("toy", "2.0", "3.13", raw_result())
    )
    timed = raw_result(runs=(1, 5), verdict="FAIL")
    assert not found(row("toy", "1.0", "3.13", timed), row("toy", "2.0", "3.13", raw_result()))
    error = raw_result(verdict="ERROR")
    assert not found(row("toy", "1.0", "3.13", error), row("toy", "2.0", "3.13", raw_result()))
    crashed = raw_result(verdict="FAIL", outcome="crashed")
    assert not found(row("toy", "1.0", "3.13", lost()), row("toy", "2.0", "3.13", crashed))


def test_versions_are_not_compared_across_pythons() -> None:
    """A release on one Python and another on another one say nothing about each other."""
    assert not found(row("toy", "1.0", "3.12", lost()), row("toy", "2.0", "3.13", raw_result()))
