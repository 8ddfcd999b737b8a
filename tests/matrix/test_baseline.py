"""A recorded baseline: what it holds, and that a comparison with it is one with the run itself."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from madeup import put_together, raw_result, row
from plugpull.errors import PlugpullError
from plugpull.matrix import baseline
from plugpull.matrix.baseline import baseline_text, record
from plugpull.matrix.compare import compare, read_baseline
from plugpull.matrix.options import MatrixOptions, parse_options
from plugpull.matrix.plan import Plan
from plugpull.matrix.records import ERROR, Collected


def _matrix() -> Collected:
    return put_together(
        row(
            "toy",
            "1.0",
            "3.13",
            raw_result(),
            raw_result(point="after-effect", verdict="FAIL", times=2),
            raw_result("async", runs=(2, 5), verdict="FAIL"),
            facts={"version": "1.0", "python": "3.13.0", "lock": ["toy==1.0"] * 100},
        ),
        row("toy", "0.9", "3.13", raw_result(), selected=False),
    )


def _plan(tmp_path: Path, *posargs: str) -> Plan:
    options = parse_options(posargs, root=tmp_path)
    return Plan((), options, "", tmp_path / "results", tmp_path)


def _recorded(
    monkeypatch: pytest.MonkeyPatch, collected: Collected, plan: Plan
) -> tuple[str, dict[str, Any]]:
    monkeypatch.setattr(baseline, "collect", lambda _plan: collected)
    said = record(plan)
    return said, json.loads(Path(plan.options.baseline).read_text(encoding="utf-8"))


def test_a_comparison_with_it_finds_nothing_changed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The verdicts, the details and the counts of what depends on timing are all there."""
    matrix = _matrix()
    _recorded(monkeypatch, matrix, _plan(tmp_path))
    earlier = read_baseline(tmp_path / "baseline.json")
    comparison = compare(earlier, matrix.cells, matrix.results)
    assert (comparison.same, comparison.changed, comparison.gone) == (3, (), ())
    assert list(earlier.varying.values()) == [(2, 5)]


def test_it_is_small_and_has_a_line_for_each_result(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """So that it can be committed, and the next one read as a diff."""
    _, data = _recorded(monkeypatch, _matrix(), _plan(tmp_path))
    text = (tmp_path / "baseline.json").read_text(encoding="utf-8")
    assert data["schema"] == 1
    assert all(result["evidence"] == {} for result in data["results"])
    for result in data["results"]:
        (line,) = [line for line in text.splitlines() if f'"{result["id"]}"' in line]
        assert json.loads(line.rstrip(",").strip()) == result
    assert "toy==1.0" not in text


def test_what_was_measured_earlier_is_no_part_of_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Only what this run asked for: a baseline says what was true at one time."""
    _, data = _recorded(monkeypatch, _matrix(), _plan(tmp_path))
    assert {result["version"] for result in data["results"]} == {"1.0"}
    assert [cell["id"] for cell in data["cells"]] == ["toy-1.0/py3.13"]


def test_it_goes_where_it_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """``--baseline FILE``; the message names it and the command that compares with it."""
    said, _ = _recorded(monkeypatch, _matrix(), _plan(tmp_path, "--baseline", "old/may.json"))
    assert f"--compare {tmp_path / 'old' / 'may.json'}" in said


def test_a_run_with_gaps_is_not_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The error says what is missing, and an earlier baseline stays as it was."""
    matrix = put_together(row("toy", "1.0", "3.13", state=ERROR, reason="no such release"))
    plan = _plan(tmp_path)
    Path(plan.options.baseline).write_text("earlier", encoding="utf-8")
    for gaps in (
        matrix,
        put_together(),
        replace(_matrix(), cells=(*_matrix().cells, *matrix.cells)),
    ):
        with pytest.raises(PlugpullError, match="no baseline was recorded") as caught:
            _recorded(monkeypatch, gaps, plan)
        assert caught.value.exit_code == 2
        assert Path(plan.options.baseline).read_text(encoding="utf-8") == "earlier"


def test_it_is_valid_json_without_results_too() -> None:
    """An empty list is a list."""
    assert json.loads(baseline_text(Collected((), ())))["results"] == []


def test_options_of_an_earlier_plan_are_read(tmp_path: Path) -> None:
    """A plan that another version of plugpull wrote knows nothing of baselines."""
    data = MatrixOptions().to_json()
    del data["baseline"], data["expectations"]
    assert MatrixOptions.from_json(data).expectations is None
