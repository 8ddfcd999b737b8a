"""A check from start to finish, on a toy."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from branches import commit
from checktoy import BASE, branch, make_check_toy
from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.check import check
from projects import git, make_project
from toycell import PYTHON, Toy

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the toy harness is kept when it is built."""
    return tmp_path_factory.mktemp("wheels")


@pytest.fixture
def toy(tmp_path: Path, wheels: Path) -> Toy:
    """A checkout of plugpull with one toy framework, and a clone of that beside it."""
    clone = tmp_path / "clone"
    clone.mkdir()
    git(["init", "--quiet", "--initial-branch", "main"], cwd=clone, doing="init")
    (tmp_path / "plugpull").mkdir()
    return make_check_toy(tmp_path / "plugpull", wheels)


def run(toy: Toy, *posargs: str) -> int:
    """``nox -s check -- toy POSARGS``, started beside the checkout."""
    return check(["toy", *posargs], root=toy.root, cwd=toy.root.parent)


def report(toy: Toy) -> dict[str, object]:
    """What the last check wrote as JSON."""
    [newest] = sorted((toy.root / "results" / "check").glob("*.json"))
    data: dict[str, object] = json.loads(newest.read_text(encoding="utf-8"))
    return data


def states(toy: Toy) -> dict[str, str]:
    """What became of each result."""
    rows = report(toy)["rows"]
    assert isinstance(rows, list)
    return {row["name"].removeprefix("kill-mid-tool/"): row["state"] for row in rows}


def test_a_branch_is_compared_with_its_release(
    toy: Toy, capsys: pytest.CaptureFixture[str]
) -> None:
    """Fixed, regressed and unchanged; the changed ones were tried twice; the exit code is 1."""
    sha = branch(
        toy.root.parent / "clone", {**BASE, "one/after-effect": 0, "two/before-effect": 10}
    )
    assert run(toy, "--repo", "clone", "--ref", "main") == 1
    assert states(toy) == {
        "one/before-effect": "unchanged",
        "one/after-effect": "fixed",
        "two/before-effect": "regressed",
        "two/after-effect": "unchanged",
    }
    said = capsys.readouterr()
    first = said.err.splitlines()[0]
    assert "runs the code of git+" in first
    assert said.err.index(first) < said.err.index("building iniconfig")
    lines = said.out.splitlines()
    assert lines[0].startswith(f"toy git.{sha[:12]} against 2.0.0 (the newest release that is not")
    assert lines[1].startswith(
        f"regressed         py{PYTHON}/kill-mid-tool/two/before-effect: PASS in 2"
    )
    assert "FAIL in 2 of 2 runs -> PASS in 2 of 2 runs" in said.out
    assert "1 fixed, 1 regressed, 2 unchanged" in lines
    # Once each, and once more for the two variants that have a change.
    assert len(toy.calls) == 2 + 4


def test_the_block_for_the_pull_request(toy: Toy) -> None:
    """What was compared, the changed rows first, their evidence, and how to repeat it."""
    clone = toy.root.parent / "clone"
    sha = branch(clone, {**BASE, "one/after-effect": 0})
    assert run(toy, "--repo", "clone", "--ref", "main", "--as-of", "2026-08-15") == 0
    command = f"--ref {sha} --repo {clone} --base 2.0.0 --as-of 2026-08-15"
    [page] = (toy.root / "results" / "check").glob("*.md")
    text = page.read_text(encoding="utf-8")
    order = [
        "**1 fixed, 0 regressed, 3 unchanged.**",
        f"| **fixed** | `py{PYTHON}/kill-mid-tool/one/after-effect`",
        f"- checked: `{toy.root.parent}/clone`, `main` at {sha}",
        "- compared with: 2.0.0",
        "- packages as of 2026-08-16T00:00:00Z, the same for both",
        "<summary>Evidence:",
        '"charge": 2',
        "<summary>Unchanged",
        f"$ nox -s check -- toy {command}",
    ]
    places = [text.find(each) for each in order]
    assert -1 not in places, order[places.index(-1)]
    assert places == sorted(places)
    cells = [
        json.loads(path.read_text(encoding="utf-8"))["cell"]
        for path in (toy.root / "results" / "check" / "cells").glob("*.json")
    ]
    assert {cell["as_of"] for cell in cells} == {"2026-08-16T00:00:00Z"}
    assert {cell["source"] for cell in cells} == {"index", "git"}


def test_shares_of_failures_are_told_apart_or_said_not_to_be(toy: Toy) -> None:
    """What depends on timing runs on both sides until it is beyond chance, or often enough."""
    fares = {
        "one/gone": (10, 0, "fixed"),
        "one/same": (10, 10, "unchanged"),
        "one/close": (10, 9, "timing-dependent"),  # Thirty runs do not tell them apart.
        "one/better": (10, 3, "timing-dependent"),  # Beyond chance, and yet not fixed.
        "two/worse": (1, 9, "regressed"),  # It failed before too, but not that often.
    }
    toy.tell(base={name: base for name, (base, *_) in fares.items()}, timing=list(fares))
    branch(toy.root.parent / "clone", {name: head for name, (_, head, _) in fares.items()})
    assert run(toy, "--repo", "clone", "--ref", "main", "--most-runs", "30") == 1
    assert states(toy) == {name: state for name, (*_, state) in fares.items()}
    rows = report(toy)["rows"]
    assert isinstance(rows, list)
    counts = {row["name"].rpartition("/")[2]: (row["base"], row["head"]) for row in rows}
    assert all(base["runs"] == head["runs"] <= 30 for base, head in counts.values())
    assert counts["close"][0]["runs"] == 30
    assert counts["same"][0]["runs"] == 5  # They do not differ, so nothing is to be told apart.


def test_what_has_no_verdict_is_an_error(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    """An ERROR on one side is no finding about the branch, and outweighs one."""
    branch(toy.root.parent / "clone", {**BASE, "one/before-effect": -1, "two/before-effect": 10})
    assert run(toy, "--repo", "clone", "--ref", "main") == 2
    assert states(toy)["one/before-effect"] == "could-not-prepare"
    assert "1 regressed, 1 could-not-prepare" in capsys.readouterr().out


def test_a_version_that_was_not_imported_has_no_verdict(
    toy: Toy, capsys: pytest.CaptureFixture[str]
) -> None:
    """The version's number is no proof: the imported file has to be the wheel's own."""
    branch(toy.root.parent / "clone", {**BASE, "one/after-effect": 0})
    toy.tell(base=BASE, timing=[], imported=__file__)
    assert run(toy, "--repo", "clone", "--ref", "main") == 2
    assert f"{__file__} is no file of iniconfig-2.0.1" in capsys.readouterr().out


def test_a_dirty_clone_is_allowed_and_named(toy: Toy, capsys: pytest.CaptureFixture[str]) -> None:
    """The tree as it stands is checked, against the release tag that its commit grew from."""
    clone = toy.root.parent / "clone"
    branch(clone, BASE, version="9.0")
    git(["tag", "v1.1.1"], cwd=clone, doing="tag")
    git(["tag", "other-v2.0.0"], cwd=clone, doing="tag")
    branch(clone, {**BASE, "one/before-effect": 1}, version="9.0")
    make_project(
        clone, "iniconfig", "9.0", f"FARES = {json.dumps({**BASE, 'one/after-effect': 0})}\n"
    )
    assert run(toy, "--path", "clone") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "toy path.clone against 1.1.1 (its nearest release tag, v1.1.1)"
    assert lines[1] == "  with uncommitted changes: iniconfig.py"
    assert states(toy)["one/after-effect"] == "fixed"


def test_only_what_is_asked_for_is_compared(toy: Toy) -> None:
    """A scenario, a variant, a fault point: any front of a result's name, or a glob."""
    branch(toy.root.parent / "clone", BASE)
    assert (
        run(toy, "--repo", "clone", "--ref", "main", "--only", "kill-mid-tool/one/after-effect")
        == 0
    )
    assert list(states(toy)) == ["one/after-effect"]
    assert run(toy, "--repo", "clone", "--ref", "main", "--only", "*/before-effect") == 0
    assert list(states(toy)) == ["one/before-effect", "two/before-effect"]


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Toy:
    """A toy for those who make mistakes, and what they may take for its clone."""
    beside = tmp_path_factory.mktemp("mistakes")
    for name in ("clone", "other", "plain", "plugpull"):
        (beside / name).mkdir()
    for name in ("clone", "other"):
        git(["init", "--quiet", "--initial-branch", "main"], cwd=beside / name, doing="init")
    branch(beside / "clone", BASE, version="2.0.0")
    git(["branch", "old"], cwd=beside / "clone", doing="branch")
    branch(beside / "clone", {**BASE, "one/after-effect": 0}, version="2.0.0")
    commit(make_project(beside / "other", "other"), "first")
    return make_check_toy(beside / "plugpull", wheels)


@pytest.mark.parametrize(
    ("posargs", "words"),
    [
        (("--ref", "main"), "(?s)nobody says where the repository of toy is.*--repo URL"),
        (("--repo", "clone", "--ref", "mian"), '(?s)no branch, tag, .*did you mean "main"'),
        (("--repo", "nowhere", "--ref", "main"), "there is no repository at .*nowhere"),
        (("--repo", "plain", "--ref", "main"), "is not a git repository"),
        (("--repo", "https://localhost:9/o/n", "--ref", "main"), "cannot be reached"),
        (("--repo", "clone", "--ref", "--main"), "options after --"),
        (("--repo", "clone", "--ref", "a..b"), "is no name of a branch"),
        (("--repo", "other", "--ref", "main"), "holds other, not iniconfig"),
        (("--path", "plain"), "no pyproject.toml, no setup.py"),
        (("--path", "nowhere"), "is not there"),
        (("--wheel", "other.whl"), "cannot be read"),
        (("--wheel", "plain"), "is not a wheel"),
        (("--path", "clone", "--ref", "main"), "not allowed with"),
        ((), "one of the arguments --ref --path --wheel is required"),
        (("--path", "clone", "--base", "2.0.1"), "(?s)the base 2.0.1 is newer.*says it is 2.0.0"),
        (("--path", "clone", "--base", "latest"), "the base .* is newer than what is checked"),
        (("--path", "clone", "--base", "99"), "(?s)cannot be made.*no release 99|newer"),
        (("--path", "clone", "--base", "majors"), "names several versions"),
        (("--repo", "clone", "--ref", "main", "--base", "git+./clone@main"), "both are git."),
        (("--repo", "clone", "--ref", "main~1", "--base", "git+./clone@main"), "is no name|newer"),
        (("--repo", "clone", "--ref", "old", "--base", "git+./clone@main"), "newer than what is"),
        (("--path", "clone", "--only", "kill-mid-tol"), 'did you mean "kill-mid-tool"'),
        (("--path", "clone", "--only", "toy/py3.13"), "it begins with the scenario"),
        (("--path", "clone", "--only", "toy-2.0.0/py3.13/kill-mid-tool"), "--only kill-mid-tool$"),
        (("--path", "clone", "--only", "kill-mid-tool/onne"), 'did you mean "one"'),
        (
            ("--path", "clone", "--only", "kill-mid-tool/three"),
            "there are: one, two, before-effect",
        ),
        (("--path", "clone", "--only", "kill-mid-tool/one/afer-effect"), "mean .after-effect"),
        (("--path", "clone", "--base", "nonsense"), "--base 'nonsense' is neither a version"),
        (("--path", "clone", "--python", "2.7"), "is not declared for it"),
        (("--path", "clone", "--with", "core"), "write it as NAME@DIR"),
    ],
)
def test_bad_input_is_one_error_before_anything_is_made(
    posargs: tuple[str, ...], words: str, tried: Toy
) -> None:
    """Exit code 2, one reason, and neither an environment nor a result."""
    with pytest.raises(PlugpullError, match=words) as caught:
        run(tried, *posargs)
    assert caught.value.exit_code == 2
    state = tried.root / ".plugpull"
    assert [*state.glob("envs/*"), *state.glob("sources/trees/*")] == []
    assert not list((tried.root / "results").rglob("*.json"))


@pytest.mark.parametrize(
    "posargs", [("--only", "kill-mid-tool/one/afer-effect"), ("--base", "nonsense")]
)
def test_what_is_misspelt_is_refused_before_any_code_is_built(
    posargs: tuple[str, str], tried: Toy, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the options alone tell is told first: nothing of the branch has run by then."""
    capsys.readouterr()
    with pytest.raises(PlugpullError):
        run(tried, "--path", "clone", *posargs)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("asked", ["clone", "other"])
def test_without_a_network_nothing_is_made(
    asked: str, tried: Toy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base cannot be looked up: one error that names the index, and nothing behind it."""
    monkeypatch.setenv("UV_DEFAULT_INDEX", "http://127.0.0.1:9/simple")
    words = "cannot be looked up at http://127.0.0.1:9" if asked == "clone" else "holds other"
    with pytest.raises(PlugpullError, match=words):
        run(tried, "--path", asked)
    assert not list((tried.root / ".plugpull").glob("envs/*"))


def test_the_session_ends_with_two(tmp_path: Path) -> None:
    """A mistake is one message and exit code 2, as for every command of ours."""
    done = subprocess.run(
        [sys.executable, "-m", "nox", "-f", CHECKOUT / "noxfile.py", "-s", "check", "--", "x"],
        cwd=tmp_path,
        env={**os.environ, "NOX_SCRIPT_MODE": "none"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "plugpull: options after --: one of the arguments --ref --path --wheel" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_branch_older_than_every_release_needs_a_base(toy: Toy) -> None:
    """Nothing is guessed where nothing is known."""
    branch(toy.root.parent / "clone", BASE, version="0.0.1")
    with pytest.raises(
        UsageError, match=r"(?s)no release of iniconfig is as old as 0\.0\.1.*--base"
    ):
        run(toy, "--path", "clone")
