"""What expectations make of results: green, red, stale, or an error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from madeup import put_together, raw_result, row
from plugpull.matrix.expectations import read_expectations
from plugpull.matrix.expected import judge
from plugpull.matrix.markdown import markdown
from plugpull.matrix.records import ERROR, Collected
from plugpull.matrix.table import table_lines
from test_expectations import entry

HERE = "toy-1.0/py3.13/kill-mid-tool/sync+no-key"


def judged(
    tmp_path: Path, matrix: Collected, *entries: str, narrowed: bool = False, strict: bool = True
) -> Collected:
    """A matrix with what these entries say about it."""
    path = tmp_path / "expectations.toml"
    path.write_text("\n".join(entries), encoding="utf-8")
    found = judge(read_expectations(path), matrix.cells, matrix.results, narrowed=narrowed)
    return Collected(matrix.cells, found.results, strict=strict, judged=found)


def one(verdict: str, *, version: str = "1.0", **more: object) -> Collected:
    """A matrix of one result, at after-effect."""
    result = raw_result(point="after-effect", verdict=verdict, times=2, **more)  # type: ignore[arg-type]
    return put_together(row("toy", version, "3.13", result))


def shown(collected: Collected) -> str:
    """The terminal's table."""
    return "\n".join(line.plain for line in table_lines(collected, 100))


def test_an_expected_failure_is_green_and_marked(tmp_path: Path) -> None:
    """Exit 0 under --strict; the table has a star, the headline a number, below it the reason."""
    collected = judged(tmp_path, one("FAIL"), entry())
    assert collected.judgement[0] == 0
    text = shown(collected)
    assert "FAIL(2)*" in text
    assert "1 FAIL (1 expected), 0 ERROR, 0 stale, 0 not run" in text
    assert "documented https://example.org/why" in text
    assert "FAIL(2)\\*" in markdown(collected)
    assert "**1 FAIL** (1 expected), **0 ERROR**, **0 stale**, **0 not run**" in markdown(collected)


def test_a_fail_without_an_entry_is_red(tmp_path: Path) -> None:
    """With --strict it makes the exit code 1; without, as ever, it does not."""
    other = entry(fault_point='"before-effect"', kind='"timing-dependent"')
    matrix = put_together(
        row("toy", "1.0", "3.13", raw_result(), raw_result(point="after-effect", verdict="FAIL"))
    )
    assert judged(tmp_path, matrix, other).judgement == (1, "1 unexpected FAIL")
    assert judged(tmp_path, matrix, other, strict=False).judgement[0] == 0


def test_an_expected_failure_that_passes_is_stale_and_red(tmp_path: Path) -> None:
    """The table says so in its place, and below it which entry has to go."""
    collected = judged(tmp_path, one("PASS"), entry())
    assert collected.judgement == (1, "1 expected to fail and passed (stale)")
    text = shown(collected)
    assert "PASS stale" in text
    assert "0 ERROR, 1 stale" in text
    assert "[[expect]] number 1: expected to fail, and passes" in " ".join(text.split())
    assert f"{HERE}/after-effect" in text


def test_a_timing_dependent_entry_takes_either_verdict(tmp_path: Path) -> None:
    """It is green whichever way it comes out, and never stale."""
    known = entry(kind='"timing-dependent"')
    for verdict, failed in (("FAIL", 2), ("PASS", 0)):
        collected = judged(tmp_path, one(verdict, runs=(failed, 5)), known)
        assert collected.judgement[0] == 0
        assert collected.counts.stale == 0
        assert ("FAIL 2/5*" in shown(collected)) == (verdict == "FAIL")


def test_another_kind_of_failure_is_not_the_expected_one(tmp_path: Path) -> None:
    """An entry that says ``duplicated`` does not cover an effect that is lost."""
    known = entry(outcome='"duplicated"')
    assert judged(tmp_path, one("FAIL"), known).judgement[0] == 0
    assert judged(tmp_path, one("FAIL", outcome="lost"), known).judgement[0] == 1


def test_an_error_is_never_expected(tmp_path: Path) -> None:
    """Neither as a result nor as a cell; it stays exit code 2."""
    collected = judged(tmp_path, one("ERROR"), entry())
    assert collected.judgement == (2, "1 ERROR")
    broken = put_together(row("toy", "1.0", "3.13", state=ERROR, reason="no such release"))
    assert judged(tmp_path, broken, entry()).judgement[0] == 2


@pytest.mark.parametrize("narrowed", [False, True])
def test_a_fault_point_that_nobody_measured_is_an_error(tmp_path: Path, narrowed: bool) -> None:
    """It can only be a mistake where the variant ran, in a narrow run as well."""
    known = entry(fault_point='["after-effect", "after-efect"]')
    collected = judged(tmp_path, one("FAIL"), known, narrowed=narrowed)
    assert collected.judgement == (2, "1 expectation that matches nothing")
    text = " ".join(shown(collected).split())
    assert 'nothing was measured at after-efect: did you mean "after-effect"?' in text


@pytest.mark.parametrize(("narrowed", "code"), [(False, 2), (True, 0)])
def test_a_variant_that_no_release_supports_is_an_error_in_a_whole_run(
    tmp_path: Path, narrowed: bool, code: int
) -> None:
    """A narrow run may just have left out the releases that do."""
    asked = {"facts": {"asked_pairs": [["kill-mid-tool", "sync+no-key"]]}}
    matrix = put_together(row("toy", "1.0", "3.13", raw_result("async+no-key"), **asked))
    assert judged(tmp_path, matrix, entry(), narrowed=narrowed).exit_code == code


def test_an_entry_about_what_did_not_run_is_left_in_peace(tmp_path: Path) -> None:
    """Another version, a scenario outside the default selection, a cell measured earlier."""
    matrix = one("PASS", version="0.9")
    assert judged(tmp_path, matrix, entry()).exit_code == 0
    assert judged(tmp_path, matrix, entry(scenario='"kill-sweep"')).exit_code == 0
    earlier = put_together(
        row("toy", "1.0", "3.13", raw_result(point="after-effect"), selected=False),
        row("toy", "0.9", "3.13", raw_result()),
    )
    collected = judged(tmp_path, earlier, entry())
    assert collected.exit_code == 0
    assert collected.counts.stale == 0
    assert collected.judged is not None
    assert not collected.judged.stale


def test_what_was_measured_earlier_does_not_excuse_a_misspelt_fault_point(tmp_path: Path) -> None:
    """It is this run's results that an entry has to be about."""
    matrix = put_together(
        row("toy", "1.0", "3.13", raw_result()),
        row("toy", "1.1", "3.13", raw_result(point="after-effect"), selected=False),
    )
    assert judged(tmp_path, matrix, entry()).exit_code == 2


def test_a_place_with_several_results_is_stale_only_as_a_whole(tmp_path: Path) -> None:
    """Without a detail an entry means the place in the table; with one, that result alone."""
    matrix = put_together(
        row(
            "toy",
            "1.0",
            "3.13",
            raw_result(point="after-effect", verdict="FAIL", point_detail="first"),
            raw_result(point="after-effect", verdict="PASS", point_detail="second"),
        )
    )
    assert judged(tmp_path, matrix, entry()).judgement[0] == 0
    assert "FAIL at 1/2*" in shown(judged(tmp_path, matrix, entry()))
    both = entry(fault_point='["after-effect/first", "after-effect/second"]')
    assert judged(tmp_path, matrix, both).judgement[0] == 1


def test_pythons_that_differ_in_what_is_expected_have_rows_of_their_own(tmp_path: Path) -> None:
    """A row stands for Pythons that agree, also in this."""
    result = raw_result(point="after-effect", verdict="FAIL", times=2)
    matrix = put_together(row("toy", "1.0", "3.12", result), row("toy", "1.0", "3.13", result))
    lines = shown(judged(tmp_path, matrix, entry(python='"3.13"'))).splitlines()
    assert sum("FAIL(2)*" in line for line in lines) == 1
    assert sum("FAIL(2)" in line for line in lines) == 2
    varying = raw_result(point="after-effect", verdict="FAIL", runs=(3, 5))
    matrix = put_together(row("toy", "1.0", "3.12", varying), row("toy", "1.0", "3.13", varying))
    lines = shown(judged(tmp_path, matrix, entry(python='"3.13"'))).splitlines()
    assert [line.split()[3:] for line in lines if "FAIL 3/5" in line] == [
        ["FAIL", "3/5"],
        ["FAIL", "3/5*"],
    ]


def test_a_branch_is_in_the_range_of_the_version_it_says_it_is(tmp_path: Path) -> None:
    """What is built from sources has no version until it is imported; then that one counts."""
    result = raw_result(point="after-effect", verdict="FAIL")
    for imported, code in (("1.4", 0), ("0.9", 1)):
        matrix = put_together(row("toy", "path.toy", "3.13", result, facts={"version": imported}))
        assert judged(tmp_path, matrix, entry()).exit_code == code


def test_the_matrix_file_says_all_of_it(tmp_path: Path) -> None:
    """For whoever reads it by program: numbers, entries, and each result's place."""
    matrix = put_together(
        row("toy", "1.0", "3.13", raw_result(point="after-effect", verdict="FAIL")),
        row("toy", "1.1", "3.13", raw_result(point="after-effect", verdict="PASS")),
    )
    data = json.loads(json.dumps(judged(tmp_path, matrix, entry()).to_json()))
    assert data["counts"]["expected_FAIL"] == 1
    assert data["counts"]["stale"] == 1
    assert [result["expected"] for result in data["results"]] == ["expected", "stale"]
    assert data["expectations"]["met"][0]["ids"] == [f"{HERE}/after-effect"]
    assert data["expectations"]["stale"][0]["link"] == "https://example.org/why"
