"""What changed since an earlier run."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from madeup import put_together, raw_result, row
from plugpull.errors import UsageError
from plugpull.matrix.compare import Baseline, Comparison, compare, read_baseline
from plugpull.matrix.explain import explain
from plugpull.matrix.records import ERROR, Collected


def _baseline(tmp_path: Path, collected: Collected) -> Baseline:
    path = tmp_path / "baseline.json"
    path.write_text(json.dumps(collected.to_json()), encoding="utf-8")
    return read_baseline(path)


def _compare(tmp_path: Path, before: Collected, after: Collected) -> Comparison:
    return compare(_baseline(tmp_path, before), after.cells, after.results)


def _one(verdict: str, **more: Any) -> Collected:
    return put_together(row("toy", "1.0", "3.13", raw_result(verdict=verdict, **more)))


@pytest.mark.parametrize(
    ("before", "after", "word"),
    [
        ("PASS", "FAIL", "broke"),
        ("FAIL", "PASS", "fixed"),
        ("ERROR", "PASS", "runs again"),
        ("ERROR", "FAIL", "runs again"),
        ("PASS", "ERROR", "could not be judged"),
    ],
)
def test_changed_verdict(tmp_path: Path, before: str, after: str, word: str) -> None:
    """A verdict that is another one is one change, by its id, with a word for it."""
    (change,) = _compare(tmp_path, _one(before), _one(after)).changed

    assert change.id == "toy-1.0/py3.13/kill-mid-tool/sync+no-key/before-effect"
    assert (change.before, change.after, change.word) == (before, after, word)


def test_same_verdict_with_other_details_is_no_change(tmp_path: Path) -> None:
    """Texts and counts may differ."""
    before, after = _one("FAIL", runs=(1, 5)), _one("FAIL", runs=(4, 5), detail="another")

    comparison = _compare(tmp_path, before, after)

    assert comparison.same == 1
    assert not comparison.changed
    assert not comparison.appeared
    assert not comparison.gone


def test_timing_dependent_change_is_marked(tmp_path: Path) -> None:
    """It counts where it is beyond chance, and the reader is told that it depends on timing."""
    (change,) = _compare(tmp_path, _one("PASS", runs=(0, 5)), _one("FAIL", runs=(5, 5))).changed

    assert change.timing_dependent


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_one("PASS", runs=(0, 5)), _one("FAIL", runs=(1, 5))),
        (_one("FAIL", runs=(2, 5)), _one("PASS", runs=(0, 5))),
        (_one("PASS"), _one("FAIL", runs=(3, 5))),
    ],
)
def test_what_may_be_chance_is_no_change(
    tmp_path: Path, before: Collected, after: Collected
) -> None:
    """One failing run of five more or less is shown, and leaves the exit code alone."""
    comparison = _compare(tmp_path, before, after)

    assert not comparison.changed
    assert len(comparison.by_chance) == 1
    matrix = replace(after, comparison=comparison)
    assert matrix.judgement == (0, "no verdict changed")
    assert "changed, by no more than chance" in [block.title for block in explain(matrix)]


def test_an_error_is_never_chance(tmp_path: Path) -> None:
    """It is no run that failed, and none that passed."""
    for before, after in (
        (_one("ERROR"), _one("FAIL", runs=(1, 5))),
        (_one("FAIL", runs=(1, 5)), _one("ERROR", runs=(0, 5))),
    ):
        assert len(_compare(tmp_path, before, after).changed) == 1


def test_new_and_gone(tmp_path: Path) -> None:
    """What only one of the runs has is listed and is no change."""
    before = put_together(row("toy", "1.0", "3.13", raw_result("old"), raw_result("both")))
    after = put_together(row("toy", "1.0", "3.13", raw_result("both"), raw_result("new")))

    comparison = _compare(tmp_path, before, after)

    assert comparison.appeared == ("toy-1.0/py3.13/kill-mid-tool/new/before-effect",)
    assert comparison.gone == ("toy-1.0/py3.13/kill-mid-tool/old/before-effect",)
    assert comparison.changed == ()


def test_cells_that_were_not_asked_for_are_not_gone(tmp_path: Path) -> None:
    """A narrow run is compared with its part of the earlier one."""
    one, two = (row("toy", version, "3.13", raw_result()) for version in ("1.0", "2.0"))
    unasked = row("toy", "2.0", "3.13", raw_result(verdict="FAIL"), selected=False)

    for after in (put_together(one), put_together(one, unasked)):
        comparison = _compare(tmp_path, put_together(one, two), after)
        assert comparison.same == 1
        assert not comparison.changed
        assert not comparison.gone


def test_cell_that_cannot_be_made_any_more(tmp_path: Path) -> None:
    """It is one change, not a list of results that are gone."""
    after = put_together(row("toy", "1.0", "3.13", state=ERROR, reason="no such release"))

    comparison = _compare(tmp_path, _one("FAIL"), after)

    (change,) = comparison.changed
    assert (change.id, change.before, change.after) == ("toy-1.0/py3.13", "FAIL", "ERROR")
    assert comparison.gone == ()


def test_cell_that_can_be_made_again(tmp_path: Path) -> None:
    """It is one change, and its results are new."""
    before = put_together(row("toy", "1.0", "3.13", state=ERROR, reason="no such release"))

    comparison = _compare(tmp_path, before, _one("PASS"))

    (change,) = comparison.changed
    assert (change.id, change.before, change.after) == ("toy-1.0/py3.13", "ERROR", "PASS")
    assert len(comparison.appeared) == 1


def test_cell_that_still_cannot_be_made(tmp_path: Path) -> None:
    """No change."""
    broken = put_together(row("toy", "1.0", "3.13", state=ERROR, reason="no such release"))

    comparison = _compare(tmp_path, broken, broken)

    assert (comparison.same, comparison.changed) == (1, ())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "missing"),
        ("{", "damaged"),
        ('{"schema": 2, "results": []}', "foreign schema: schema 2, and this plugpull reads 1"),
        ('{"schema": 1, "results": {}}', "results is not a list"),
        (
            json.dumps({"schema": 1, "results": [raw_result()]}),
            "no matrix.json: results[0] has no id",
        ),
    ],
)
def test_unusable_baseline(tmp_path: Path, content: str | None, said: str) -> None:
    """One clear error that names the file and says what to give instead."""
    path = tmp_path / "baseline.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")

    with pytest.raises(UsageError) as caught:
        read_baseline(path)

    assert said in str(caught.value)
    assert str(path) in str(caught.value)
    assert "matrix.json" in caught.value.then
