"""A target that comes with the harness: its version is the harness's, and no index is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from planned import MemoryIndex, checkout, plan_for, release
from plugpull import __version__
from plugpull.errors import UsageError
from plugpull.matrix.cellrun import run_cell
from plugpull.matrix.freshness import needs_run
from plugpull.matrix.interpreters import find_all
from plugpull.matrix.options import parse_options
from plugpull.matrix.planning import make_plan
from toycell import PYTHON

ROOT = Path(__file__).resolve().parents[2]
MATRIX = f'[matrix]\npython = ["{PYTHON}"]\n'
OWN = MATRIX + '[framework.own]\nversions = ["harness"]\n'


def with_own(root: Path, declaration: str) -> Path:
    """A checkout with a target that comes with the harness beside the toys."""
    folder = root / "targets" / "own"
    folder.mkdir(parents=True)
    manifest = {"name": "own", "distribution": "plugpull", "scenarios": {"kill-mid-tool": {}}}
    (folder / "target.json").write_text(json.dumps(manifest), encoding="utf-8")
    return checkout(root, declaration)


def test_planned_without_an_index(tmp_path: Path) -> None:
    """One cell, named by the harness's version; nothing is resolved, nothing is remarked."""
    index = MemoryIndex()
    (cell,) = plan_for(with_own(tmp_path, OWN), index=index).cells
    assert index.asked == []
    assert cell.id == f"own-{__version__}/py{PYTHON}"
    assert cell.source == "harness"
    assert cell.resolution.requirements == ()
    assert cell.notes == ()
    assert cell.runs


def test_beside_other_frameworks(tmp_path: Path) -> None:
    """The index is asked for the others alone, and what they install is as it was."""
    index = MemoryIndex(toy_slim=(release("1.0.0"),))
    declaration = OWN + '[framework.toy]\nversions = ["1.0.0"]\n'
    cells = plan_for(with_own(tmp_path, declaration), index=index).cells
    assert index.asked == ["toy-slim"]
    assert [cell.source for cell in cells] == ["harness", "index"]
    assert cells[1].resolution.requirements == ("toy-slim==1.0.0", "toy-store")


@pytest.mark.parametrize(
    ("framework", "version"), [("toy", "harness"), ("own", "latest"), ("own", __version__)]
)
def test_declared_wrongly(tmp_path: Path, framework: str, version: str) -> None:
    """A release that nobody could mean: the harness's for a framework, or one of the harness."""
    declaration = f'{MATRIX}[framework.{framework}]\nversions = ["{version}"]\n'
    with pytest.raises(UsageError, match="does not go with") as caught:
        plan_for(with_own(tmp_path, declaration))
    assert f"framework.{framework}" in str(caught.value)


@pytest.mark.parametrize("declared", [OWN, MATRIX + '[framework.toy]\nversions = ["1.0.0"]\n'])
def test_no_other_version_can_be_added(tmp_path: Path, declared: str) -> None:
    """Whether the target is declared or not."""
    with pytest.raises(UsageError, match="comes with the harness"):
        plan_for(with_own(tmp_path, declared), "--add", "own==1.2")


def test_the_reference_agent_as_a_cell(tmp_path: Path) -> None:
    """Its own environment, with the harness's wheel and nothing besides; then it stands."""
    for name in ("harness", "targets"):
        (tmp_path / name).symlink_to(ROOT / name)
    declaration = MATRIX + '[framework.reference]\nversions = ["harness"]\n'
    (tmp_path / "matrix.toml").write_text(declaration, encoding="utf-8")
    only = f"reference-{__version__}/py{PYTHON}/kill-mid-tool"
    options = parse_options(["--only", only], root=tmp_path)
    plan = make_plan(options, root=tmp_path, index=MemoryIndex(), find=find_all)
    (cell,) = plan.cells

    outcome = run_cell(plan, cell, tmp_path)

    assert outcome.skip_reason == ""
    data = json.loads(plan.result_file(cell).read_text(encoding="utf-8"))
    assert data["cell"]["version"] == __version__
    assert data["cell"]["source"] == "harness"
    assert data["cell"]["packages"] == {"plugpull": __version__}
    assert data["cell"]["python"].startswith(f"{PYTHON}.")
    assert [(one["variant"], one["verdict"]) for one in data["results"]] == [
        ("idempotent", "PASS"),
        ("idempotent", "PASS"),
        ("unsafe-effects", "PASS"),
        ("unsafe-effects", "FAIL"),
    ]
    assert not needs_run(plan, cell, tmp_path)
