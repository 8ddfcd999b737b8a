"""Versions that are no releases, from matrix.toml or --add to cells."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from branches import commit
from planned import NOW, TOY, MemoryIndex, checkout, release
from plugpull.errors import UsageError
from plugpull.matrix.cells import Cell
from plugpull.matrix.freshness import cell_key
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.options import parse_options
from plugpull.matrix.pins import PinnedList
from plugpull.matrix.plan import Plan, read_plan
from plugpull.matrix.planning import make_plan
from plugpull.matrix.uvrun import run_uv
from projects import git, make_project

PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"


def declare(root: Path, versions: str, more: str = "") -> Path:
    """A checkout of plugpull whose toy has these versions, beside a clone of the toy."""
    text = f'[matrix]\npython = ["{PYTHON}"]\n[framework.toy]\nversions = {versions}\n{more}'
    return checkout(root, text)


def planned(root: Path, *posargs: str, cwd: Path | None = None) -> Plan:
    """The plan, with real Pythons and an index in memory."""
    index = MemoryIndex(toy_slim=TOY, other_slim=(release("5.0"),))
    options = parse_options(posargs, root=root, cwd=cwd)
    return make_plan(options, root=root, index=index, now=NOW)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with two packages: the toy, and its store."""
    top = tmp_path / "clone"
    make_project(top)
    make_project(top / "libs" / "store", name="toy-store", version="3.0")
    git(["init", "--quiet", "--initial-branch", "main"], cwd=top, doing="init")
    commit(top, "first")
    return top


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Where the checkout of plugpull is made."""
    return tmp_path / "plugpull"


def by_version(plan: Plan) -> dict[str, Cell]:
    """The cells."""
    return {cell.version: cell for cell in plan.cells}


def test_all_of_the_grammar_in_one_matrix(root: Path, clone: Path) -> None:
    """Each entry leads to a cell with its own id; what leads to the same one joins it."""
    sha = git(["rev-parse", "HEAD"], cwd=clone, doing="x").strip()
    versions = '["1.0.0", "git+../clone@main", "git+../clone", "../clone", "lowest"]'
    cells = by_version(planned(declare(root, versions)))
    assert list(cells) == ["1.0.0", f"git.{sha[:12]}", "path.clone"]
    assert cells["1.0.0"].asked == "1.0.0, lowest"
    commit_cell = cells[f"git.{sha[:12]}"]
    assert commit_cell.asked == "git+../clone@main, git+../clone"
    assert commit_cell.session == f"toy-git.{sha[:12]}-py{PYTHON}"
    assert (commit_cell.source, cells["path.clone"].source) == ("git", "path")
    assert commit_cell.origin is not None
    assert (commit_cell.origin.identity, commit_cell.origin.version) == (sha, "1.0.1")
    assert commit_cell.resolution.requirements == (f"toy-slim @ git:{sha}", "toy-store")
    assert commit_cell.resolution.as_of == "2026-11-30T00:00:00Z"
    assert commit_cell.resolution.as_of_asked == "today"


def test_a_reference_that_leads_nowhere_is_one_row(root: Path, clone: Path) -> None:
    """Like a release that does not exist: the others still run."""
    cells = by_version(planned(declare(root, '["1.0.0", "git+../clone@a/nope", "../clone"]')))
    assert list(cells) == ["1.0.0", "git.a-nope", "path.clone"]
    assert "has no branch, tag, commit or ref 'a/nope'" in (cells["git.a-nope"].impossible or "")
    assert clone.is_dir()


def test_ranges_are_about_the_version_inside(root: Path, clone: Path) -> None:
    """Rules, excludes and Requires-Python see the number that the package has by itself."""
    more = (
        '[[framework.toy.when]]\nversions = ">=1.0.1"\nwith = ["extra"]\n'
        '[[exclude]]\nframework = "toy"\nversions = ">1.0,<1.0.9"\nreason = "too new"\n'
    )
    cells = by_version(planned(declare(root, '["1.0.0", "../clone"]', more)))
    assert cells["path.clone"].resolution.requirements[1:] == ("toy-store", "extra")
    assert cells["path.clone"].excluded == "too new"
    assert cells["1.0.0"].excluded is None
    pyproject = clone / "backend.py"
    text = pyproject.read_text(encoding="utf-8").replace("Requires-Python: >=3.9", "X: y")
    text = text.replace('METADATA += "X: y\\n"', 'METADATA += "Requires-Python: >=4\\n"')
    pyproject.write_text(text, encoding="utf-8")
    [cell] = planned(declare(root, '["../clone"]')).cells
    assert cell.excluded == "needs >= 4"


def test_other_packages_come_from_the_same_checkout(root: Path, clone: Path) -> None:
    """With a branch they are built from it; a release has them from the index, or not at all."""
    more = 'with = ["toy-store @ checkout:libs/store", "extra"]\n'
    cells = by_version(planned(declare(root, '["1.0.0", "../clone"]', more)))
    ours = cells["path.clone"].resolution
    assert [(one.name, one.version) for one in ours.wheels] == [
        ("toy-slim", "1.0.1"),
        ("toy-store", "3.0"),
    ]
    identity = ours.requirements[0].partition(":")[2]
    assert ours.requirements == (
        f"toy-slim @ path:{identity}",
        f"toy-store @ path:{identity}#subdirectory=libs/store",
        "toy-store",
        "extra",
    )
    assert cells["1.0.0"].resolution.requirements == ("toy-slim==1.0.0", "toy-store", "extra")
    missing = more.replace("libs/store", "libs/nothing")
    for text in ("../clone", "git+../clone@main"):
        [cell] = planned(declare(root, f'["{text}"]', missing)).cells
        assert cell.notes == ("toy-store is not built: there is no libs/nothing",)
        assert cell.resolution.requirements[1:] == ("toy-store", "extra")
    run_uv(["build", "--wheel", clone], step="x", doing="build", cwd=clone)
    [cell] = planned(declare(root, '["../clone/dist/toy_slim-1.0.1-py3-none-any.whl"]', more)).cells
    assert (cell.version, cell.notes, len(cell.resolution.wheels)) == ("wheel.1.0.1", (), 1)


def test_two_folders_of_one_name_are_a_mistake(root: Path, clone: Path, tmp_path: Path) -> None:
    """Their results would have the same ids."""
    make_project(tmp_path / "second" / "clone", code="ANSWER = 2\n")
    with pytest.raises(UsageError, match=r"(?s)would both be path\.clone.*different names"):
        planned(declare(root, '["../clone", "../second/clone"]'))
    assert clone.is_dir()


def test_add_takes_every_entry(root: Path, clone: Path) -> None:
    """A path behind --add begins where nox was started; an open entry adds what it leads to."""
    declare(root, '["1.0.0"]')
    plan = planned(root, "--add", "toy@./clone", "--add", "toy@>=1.0,<1.1", cwd=clone.parent)
    assert [cell.version for cell in plan.cells] == ["1.0.0", "path.clone", "1.0.1"]


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ("./nowhere", "nowhere"),
        ("./nowhere.whl", "nowhere.whl"),
        ("./clone/../nowhere-1.0.tar.gz", "nowhere-1.0.tar.gz"),
        ("git+./nowhere@main", "nowhere"),
        ("./clone#subdirectory=libs/core", "clone/libs/core"),
    ],
)
def test_a_path_that_is_not_there_ends_the_run_before_it_starts(
    root: Path, clone: Path, entry: str, place: str
) -> None:
    """Whoever names one on the command line hears so at once, and the index is not asked."""
    index = MemoryIndex()
    declare(root, '["1.0.0"]')
    options = parse_options(["--add", f"toy@{entry}"], root=root, cwd=clone.parent)
    with pytest.raises(UsageError) as caught:
        make_plan(options, root=root, index=index)
    assert caught.value.what.startswith("--add toy@")
    assert caught.value.what.endswith(f": there is no {clone.parent / place}")
    assert index.asked == []


def test_as_of_is_for_everything(root: Path, clone: Path) -> None:
    """--as-of overrides what the declaration says, for releases and for what is built here."""
    more = 'as-of = "2026-02-15"\n'
    declare(root, '["latest", "../clone"]', more)
    cells = by_version(planned(root))
    assert list(cells) == ["1.1.0", "path.clone"]
    cells = by_version(planned(root, "--as-of", "2026-01-05"))
    assert list(cells) == ["1.0.0", "path.clone"]
    assert {cell.resolution.as_of for cell in cells.values()} == {"2026-01-06T00:00:00Z"}
    assert clone.is_dir()


def test_the_plan_holds_what_was_built(root: Path, clone: Path) -> None:
    """The sessions' processes read it and build nothing again; the key has the content."""
    plan = planned(declare(root, '["../clone"]'))
    plan.write(root / "plan.json")
    again = read_plan(root / "plan.json", root)
    assert again.cells == plan.cells
    [cell] = again.cells
    interpreter = again.interpreter(cell)
    assert isinstance(interpreter, Interpreter)
    (root / "targets" / "control").mkdir()
    pins = PinnedList(root / "x", "toy-slim @ file:///x.whl", NOW)
    before = cell_key(again, cell, interpreter, pins)
    (clone / "toy_slim.py").write_text("ANSWER = 9\n", encoding="utf-8")
    [changed] = planned(root).cells
    after = cell_key(again, changed, interpreter, pins)
    assert (changed.id, changed.version) == (cell.id, cell.version)
    assert before.asked != after.asked
    assert before.pins == after.pins
    assert json.loads((root / "plan.json").read_text())["cells"][0]["origin"]["kind"] == "path"
