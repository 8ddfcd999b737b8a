"""What was measured of a version, in few words."""

from __future__ import annotations

from typing import Any

from madeup import put_together, raw_result, row
from plugpull.matrix.measured import Gap, Line, Part, measured, newest
from plugpull.matrix.records import EXCLUDED
from plugpull.notes import Note

NOTE = Note({"verdict": "FAIL"}, "documented: see", "https://toy.example/keys")
POINTS = ("before-effect", "after-effect")


def lines(*rows: object, version: str = "1.0") -> list[Line]:
    """What is said of the framework ``toy``."""
    return measured("toy", version, put_together(*rows), (NOTE,))  # type: ignore[arg-type]


def test_variants_that_come_out_alike_stand_together() -> None:
    """Those that pass come first; a point that is not named passes."""
    raw = [raw_result(variant, "before-effect") for variant in ("a", "b", "c")]
    raw += [raw_result("a", "after-effect", "FAIL", times=2)]
    raw += [raw_result(variant, "after-effect") for variant in ("b", "c")]
    (line,) = lines(row("toy", "1.0", "3.13", *raw))
    assert line.parts == (
        Part(("b", "c"), ()),
        Part(("a",), (("FAIL(2)", ("after-effect",)),)),
    )
    assert (line.scenario, line.pythons) == ("kill-mid-tool", "3.13")


def test_a_variant_that_fails_everywhere_names_no_point() -> None:
    """And one that fails in two ways names both."""
    raw = [raw_result("a", point, "FAIL", outcome="crashed") for point in POINTS]
    raw += [raw_result("b", "before-effect", "FAIL", outcome="lost")]
    raw += [raw_result("b", "after-effect", "FAIL", outcome="duplicated", times=2)]
    (line,) = lines(row("toy", "1.0", "3.13", *raw))
    assert line.parts == (
        Part(("a",), (("FAIL crashed", ()),)),
        Part(("b",), (("FAIL lost", ("before-effect",)), ("FAIL(2)", ("after-effect",)))),
    )


def test_what_depends_on_timing_shows_its_counts() -> None:
    """And Pythons that do not agree are named."""
    rows = [row("toy", "1.0", python, raw_result()) for python in ("3.10", "3.11", "3.12")]
    fails = raw_result(verdict="FAIL", runs=(2, 5))
    (line,) = lines(*rows, row("toy", "1.0", "3.13", fails))
    assert line.parts == (Part(("sync+no-key",), (("PASS on 3.10-3.12, FAIL 2/5 on 3.13", ()),)),)


def test_several_faults_at_a_point_are_counted() -> None:
    """Which of them failed stands in the long tables."""
    raw = [raw_result(point_detail="1"), raw_result(verdict="FAIL", point_detail="2")]
    (line,) = lines(row("toy", "1.0", "3.13", *raw))
    assert line.parts == (Part(("sync+no-key",), (("FAIL at 1/2", ()),)),)


def test_counts_of_pythons_that_differ_elsewhere_are_one() -> None:
    """Two rows of the table because of another fault point are no two answers about this one."""

    def places(before: str) -> list[dict[str, Any]]:
        held = raw_result("a", "after-effect", point_detail="1")
        failed = raw_result("a", "after-effect", "FAIL", point_detail="2")
        return [raw_result("a", "before-effect", before, outcome="lost"), held, failed]

    rows = [row("toy", "1.0", python, *places("PASS")) for python in ("3.10", "3.12")]
    (line,) = lines(*rows, row("toy", "1.0", "3.13", *places("FAIL")))
    apart = ("PASS on 3.10, 3.12, FAIL lost on 3.13", ("before-effect",))
    assert line.parts == (Part(("a",), (apart, ("FAIL at 3/6", ("after-effect",)))),)


def test_gaps_say_why() -> None:
    """Fault points with one reason together, and a scenario without any result as well."""
    why = {"reason": "it is whole", "link": "https://toy.example/whole"}
    gaps = (
        {"scenario": "kill-mid-tool", "kill_point": "late", **why},
        {"scenario": "kill-mid-tool", "variant": "a", "kill_point": "later", **why},
        {"scenario": "changed-world", "reason": "no world", "link": ""},
    )
    with_results, without = lines(row("toy", "1.0", "3.13", raw_result(), not_supported=gaps))
    places = (("late", ""), ("later", "a"))
    assert with_results.gaps == (Gap(places, why["reason"], why["link"]),)
    assert without == Line("changed-world", "", (), (Gap((), "no world", ""),), ())


def test_notes_that_were_put_behind_a_result_are_named_once() -> None:
    """A note that applied nowhere is not."""
    with_note = f"twice ({NOTE.text} {NOTE.link})"
    raw = [raw_result(v, verdict="FAIL", detail=with_note) for v in ("a", "b")]
    (line,) = lines(row("toy", "1.0", "3.13", *raw))
    assert line.notes == ((NOTE.text, NOTE.link),)
    (line,) = lines(row("toy", "1.0", "3.13", raw_result()))
    assert line.notes == ()


def test_the_newest_version_that_ran_in_full() -> None:
    """One for which only the base scenarios ran is newer and says less."""
    full = raw_result(scenario="batch-kill", point="between-results")
    rows = [row("toy", "1.9", "3.13", full), row("toy", "1.10", "3.13", full)]
    rows.append(row("toy", "2.0", "3.13", raw_result()))
    assert newest("toy", put_together(*rows)) == "1.10"
    assert newest("toy", put_together(*rows[2:])) == "2.0"
    off = row("toy", "2.0", "3.13", state=EXCLUDED, reason="off")
    assert newest("toy", put_together(off)) == ""
