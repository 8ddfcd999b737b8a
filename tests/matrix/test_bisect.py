"""nox -s bisect from its options to its answer: planted releases and verdicts, real environments.

The framework is a toy: iniconfig stands for it, and what its harness says depends on what was
installed, so that every kind of cause can be brought about.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from planned import MemoryIndex, day
from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.bisect import SEVERAL_EXIT, run_bisection
from plugpull.matrix.bisect_options import parse_bisect_options
from plugpull.matrix.bisect_rows import commits_between, releases_between
from plugpull.matrix.index import Release
from plugpull.matrix.references import GIT, Reference
from plugpull.matrix.sources import Sources
from toycell import PYTHON, Toy, make_toy

#: Real releases, with the days on which they came.
RELEASES = tuple(
    Release(version, day(came), day(came), yanked, ">=3.8")
    for version, came, yanked in (
        ("1.1.0", "2020-10-14", None),
        ("1.1.1", "2020-10-16", None),
        ("2.0.0", "2023-01-07", None),
        ("2.0.1rc1", "2023-02-01", None),
        ("2.0.9", "2024-01-01", "never there"),
        ("2.1.0", "2025-03-19", None),
        ("2.3.0", "2025-10-18", None),
    )
)
MAIN = '''
"""Says FAIL if a package is installed in a version from a certain one on."""
import json, sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

def values(name):
    return [sys.argv[at + 1] for at, word in enumerate(sys.argv) if word == name]

def number(text):
    return [int(part) for part in text.split(".")[:2]]

def installed(name):
    try:
        return number(version(name))
    except PackageNotFoundError:
        return [0]

targets = Path(values("--targets")[0])
told = json.loads((targets / "behaviour.json").read_text())
with (targets.parent / "calls.jsonl").open("a") as calls:
    calls.write(json.dumps({"version": version("iniconfig")}) + "\\n")
results = []
for variant in values("--variant"):
    package, since = told["fails"].get(variant, ("iniconfig", "99"))
    bad = installed(package) >= number(since)
    repeat = int(values("--timing-repeat")[0]) if variant in told.get("timing", ()) else 1
    runs = {"PASS": 0 if bad else repeat, "FAIL": repeat if bad else 0, "ERROR": 0}
    broken = version("iniconfig") in told.get("broken", ())
    verdict = "ERROR" if broken else "FAIL" if bad else "PASS"
    results.append({
        "scenario": "kill-mid-tool", "target": "toy", "kill_point": "before-effect",
        "verdict": verdict, "detail": f"it is {verdict}", "evidence": {}, "variant": variant,
        "timing_dependent": repeat > 1, "runs": runs if verdict != "ERROR" else {"ERROR": 1},
    })
import hashlib, iniconfig
file = Path(iniconfig.__file__)
imported = {"file": str(file), "sha256": hashlib.sha256(file.read_bytes()).hexdigest()}
cell = {"stage": "done", "version": version("iniconfig"), "seconds": 0.1, "framework": "toy",
        "imported": imported}
Path(values("--report")[0]).write_text(json.dumps(
    {"schema": 1, "results": results, "cell": cell, "not_supported": []}))
'''
MATRIX = f"""
[matrix]
python = ["{PYTHON}"]

[framework.toy]
versions = ["2.0.0"]
"""


runs_cells = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13), reason="makes environments, the same way on every Python"
)


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the toy harness is kept when it is built."""
    return tmp_path_factory.mktemp("wheels")


@pytest.fixture
def toy(tmp_path: Path, wheels: Path) -> Toy:
    """A checkout whose harness says what was planted."""
    toy = make_toy(tmp_path, wheels)
    (tmp_path / "harness" / "src" / "plugpull" / "__main__.py").write_text(MAIN, encoding="utf-8")
    (tmp_path / "matrix.toml").write_text(MATRIX, encoding="utf-8")
    return toy


def bisect(toy: Toy, text: str, index: MemoryIndex | None = None) -> tuple[int, str, Any]:
    """The exit code, what was printed, and what bisect.json says."""
    options = parse_bisect_options(text.split(), root=toy.root, cwd=toy.root)
    lines: list[str] = []
    known = index or MemoryIndex(iniconfig=RELEASES)
    code = run_bisection(options, root=toy.root, index=known, say=lines.append)
    data = json.loads((toy.root / "results" / "bisect.json").read_text(encoding="utf-8"))
    return code, "\n".join(lines), data


@runs_cells
def test_the_first_release_that_changed(toy: Toy) -> None:
    """With its day, what it was before, the verdicts, and the command that shows them again.

    What was measured is in the cells' files, under their keys: the matrix and the next search need
    not measure it again.
    """
    toy.tell(fails={"one": ["iniconfig", "2.1"]})
    code, said, data = bisect(toy, "toy kill-mid-tool --from 1.1.1 --to 2.1.0")
    assert code == 0
    assert "toy 2.1.0 (2025-03-19) is the first that changed" in said
    assert "kill-mid-tool/one/before-effect: PASS -> FAIL" in said
    assert "before it: 2.0.0 (2023-01-07)" in said
    assert "nothing else differs: the change came with 2.1.0 itself" in said
    assert f"--only toy-2.1.0/py{PYTHON}/kill-mid-tool" in said
    assert "unchanged: kill-mid-tool/two/before-effect" in said
    assert "(measured earlier)" not in said
    (change,) = data["changes"]
    assert (change["before"]["name"], change["first"]["name"]) == ("2.0.0", "2.1.0")
    assert change["first"]["date"] == "2025-03-19"
    assert change["cause"]["kind"] == "itself"

    assert (toy.root / "results" / "cells" / f"toy-2.1.0-py{PYTHON}.json").is_file()
    ran = len(toy.calls)
    _, again, data = bisect(toy, f"toy-2.0.0/py{PYTHON}/kill-mid-tool/one --from 2.0.0 --to 2.1.0")
    assert len(toy.calls) == ran
    assert data["changes"][0]["first"]["name"] == "2.1.0"
    assert "(measured earlier)" in again


@runs_cells
def test_what_cannot_be_installed_or_run_is_stepped_past(toy: Toy) -> None:
    """A release that uv cannot get, one that gives ERROR, a yanked one and a pre-release."""
    ghost = Release("2.0.5", day("2024-02-02"), day("2024-02-02"), None, ">=3.8")
    index = MemoryIndex(iniconfig=tuple(sorted((*RELEASES, ghost), key=lambda r: r.version)))
    toy.tell(fails={"one": ["iniconfig", "2.1"]}, broken=["2.0.0"])
    code, said, data = bisect(toy, "toy one --from 1.1.1 --to 2.1.0", index)
    assert code == SEVERAL_EXIT
    assert "toy changed after 1.1.1 (2020-10-16) and not later than in 2.1.0" in said
    why = {each["name"]: each["why"] for each in data["changes"][0]["between"]}
    assert list(why) == ["2.0.0", "2.0.5"]
    assert why["2.0.0"] == "ERROR: kill-mid-tool/one/before-effect: it is ERROR"
    assert "no version of iniconfig==2.0.5" in why["2.0.5"]
    assert "2.0.1rc1 is left out: a pre-release (--pre tries those too)" in said
    assert "2.0.9 is left out: yanked: never there" in said


@runs_cells
def test_another_package_is_named_as_the_cause(toy: Toy) -> None:
    """Found by running the newer release with everything else as it was for the older one."""
    with_others = 'versions = ["2.0.0"]\nwith = ["packaging", "sniffio"]'
    text = MATRIX.replace('versions = ["2.0.0"]', with_others)
    (toy.root / "matrix.toml").write_text(text, encoding="utf-8")
    toy.tell(fails={"one": ["packaging", "24.0"]})
    code, said, data = bisect(toy, "toy one --from 2.0.0 --to 2.1.0")
    assert code == 0
    assert "toy 2.1.0 (2025-03-19) is the first that changed" in said
    assert "a transitive dependency is the cause: packaging 2" in said
    cause = data["changes"][0]["cause"]
    assert (cause["kind"], cause["packages"]) == ("dependency", ["packaging"])
    assert "sniffio" in data["changes"][0]["other_packages"]
    # Such trials are about no release as its users had it.
    kept = json.loads(
        (toy.root / "results" / "cells" / f"toy-2.1.0-py{PYTHON}.json").read_text(encoding="utf-8")
    )
    assert "packaging==22" not in " ".join(kept["cell"]["lock"])


@runs_cells
def test_the_release_itself_is_the_cause_although_others_differ(toy: Toy) -> None:
    """The change stays when the others are held back."""
    with_others = 'versions = ["2.0.0"]\nwith = ["packaging"]'
    text = MATRIX.replace('versions = ["2.0.0"]', with_others)
    (toy.root / "matrix.toml").write_text(text, encoding="utf-8")
    toy.tell(fails={"one": ["iniconfig", "2.1"]})
    _, said, data = bisect(toy, "toy one --from 2.0.0 --to 2.1.0")
    assert "gives its new verdicts all the same: they came with 2.1.0 itself" in said
    assert data["changes"][0]["cause"]["kind"] == "itself"
    assert list(data["changes"][0]["other_packages"]) == ["packaging"]


@runs_cells
def test_timing_dependent_verdicts_are_repeated_until_sure(toy: Toy) -> None:
    """Two runs each do not tell, so there are more."""
    toy.tell(fails={"one": ["iniconfig", "2.1"]}, timing=["one"])
    code, _, data = bisect(toy, "toy one --from 2.0.0 --to 2.1.0 --repeat 2")
    assert code == 0
    after = data["changes"][0]["changed"]["kill-mid-tool/one/before-effect"]["after"]
    assert after["runs"] >= 5


@runs_cells
def test_the_commits_of_a_clone(toy: Toy, tmp_path: Path) -> None:
    """The commit is named with its subject; the work tree with its changes is left alone."""
    clone = make_clone(tmp_path / "clone")
    toy.tell(fails={"one": ["iniconfig", "9.2"]})
    before = state_of(clone)
    code, said, data = bisect(toy, "toy one --path clone --from v9.0 --to HEAD")
    assert code == 0
    assert "is the first that changed\n  version 9.2" in said
    assert data["changes"][0]["before"]["about"] == "version 9.1"
    assert len(data["row"]) == 5
    assert state_of(clone) == before


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("toy one --from 1.0.7", "no such release\n  next: next to it are: 1.1.0"),
        ("toy one --from 2.1.0 --to 1.1.0", "--from 2.1.0 is newer than --to 1.1.0"),
        ("toy one --from 2.1.0 --to 2.1.0", "are the same"),
        ("toy one --from HEAD", "--path CLONE searches commits"),
        ("toi one --from 1.1.0", "bisect toi: no such framework"),
        ("toy one --from 1.1.0 --python 3.98", "no Python to run it under"),
        ("toy kill-mid-tol --from 1.1.0", 'did you mean "kill-mid-tool"?'),
        ("toy one/befor-effect --from 1.1.0", 'did you mean "before-effect"?'),
        ("toy/one two --from 1.1.0", "both say what to follow"),
        ("toy one", "--from"),
        ("toy one --from 1.1.0 --speed 9", "unrecognized arguments"),
        ("toy one --path clone --from nowhere", "no branch, tag, commit or ref 'nowhere'"),
        ("toy one --path clone --from v9.3 --to v9.1", "--from v9.3 is newer than --to v9.1"),
        ("toy one --path targets --from v9.4", "is not a git repository"),
    ],
)
def test_a_mistake_is_one_clear_error(toy: Toy, tmp_path: Path, text: str, words: str) -> None:
    """Exit code 2, before anything is installed."""
    if "--path clone" in text:
        make_clone(tmp_path / "clone")
    with pytest.raises(PlugpullError) as caught:
        bisect(toy, text)
    assert words in str(caught.value)
    assert caught.value.exit_code == 2
    assert toy.calls == []
    assert not (toy.root / "results" / "bisect.json").exists()


@runs_cells
def test_a_range_without_a_change_is_an_error(toy: Toy) -> None:
    """After two releases, and with what both gave."""
    toy.tell(fails={"one": ["iniconfig", "1.0"]})
    with pytest.raises(PlugpullError, match="nothing changed") as caught:
        bisect(toy, "toy one --from 1.1.0 --to 2.1.0")
    assert "kill-mid-tool/one/before-effect: FAIL and FAIL" in str(caught.value)
    assert caught.value.exit_code == 2
    assert len(toy.calls) == 2


@runs_cells
def test_a_misspelt_detail_is_found_out_at_the_first_release(toy: Toy) -> None:
    """And not after all of them; the error says what there is."""
    toy.tell(fails={})
    with pytest.raises(UsageError, match="has no result like that") as caught:
        bisect(toy, "toy one/before-effect/frist --from 1.1.0 --to 2.1.0")
    assert "it has: kill-mid-tool/one/before-effect" in str(caught.value)
    assert len(toy.calls) == 1


def test_a_python_that_an_end_does_not_support_is_not_taken() -> None:
    """The error says which end, and what it needs."""
    releases = (*RELEASES, Release("3.0", day("2026-01-01"), day("2026-01-01"), None, ">=3.99"))
    with pytest.raises(UsageError, match="no such release"):
        releases_between(releases, "1.1.0", "4", project="toy")
    row, _ = releases_between(releases, "1.1.0", "", project="toy")
    assert row[-1].name == "3.0"


def test_pre_releases_are_tried_on_request() -> None:
    """And where one is an end of the range."""

    def tried(*args: str, pre: bool = False) -> list[str]:
        row, _ = releases_between(RELEASES, *args, project="toy", pre=pre)
        return [each.name for each in row]

    assert tried("2.0.0", "2.1.0") == ["2.0.0", "2.1.0"]
    assert tried("2.0.0", "2.1.0", pre=True) == ["2.0.0", "2.0.1rc1", "2.1.0"]
    assert tried("2.0.1rc1", "2.0.9") == ["2.0.1rc1", "2.0.9"]
    assert tried("2.1.0", "latest") == ["2.1.0", "2.3.0"]


def test_what_was_merged_is_one_step(tmp_path: Path) -> None:
    """Along the first parents, as the branch itself went."""
    clone = make_clone(tmp_path / "clone")
    git(clone, "checkout", "-q", "-f", "-b", "side", "v9.2")
    commit(clone, "side.txt", "a side step")
    git(clone, "checkout", "-q", "main")
    git(clone, "merge", "-q", "--no-ff", "-m", "merge the side step", "side")
    reference = Reference(GIT, str(clone), "HEAD")
    repository = Sources(tmp_path / "state", {}).repository(reference)
    row = commits_between(repository, reference, "v9.3", "HEAD")
    assert [each.about for each in row] == ["version 9.3", "merge the side step"]
    with pytest.raises(UsageError, match="no ancestor"):
        commits_between(repository, reference, "side", "v9.3")


def git(clone: Path, *arguments: str) -> str:
    """Run git in a clone."""
    who = ["-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *who, *arguments], cwd=clone, capture_output=True, text=True, check=True
    )
    return done.stdout


def commit(clone: Path, name: str, subject: str) -> None:
    """Commit a file that says its subject."""
    (clone / name).write_text(subject, encoding="utf-8")
    git(clone, "add", ".")
    git(clone, "commit", "-q", "-m", subject)


def make_clone(clone: Path) -> Path:
    """A repository of iniconfig 9.0 to 9.3, one commit each, a broken one among them."""
    (clone / "src" / "iniconfig").mkdir(parents=True)
    git(clone, "init", "-q", "-b", "main")
    (clone / "src" / "iniconfig" / "__init__.py").touch()
    for minor in range(4):
        text = (
            '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
            f'[project]\nname = "iniconfig"\nversion = "9.{minor}"\n'
            '[tool.hatch.build.targets.wheel]\npackages = ["src/iniconfig"]\n'
        )
        if minor == 1:
            (clone / "pyproject.toml").write_text("[project", encoding="utf-8")
            git(clone, "commit", "-q", "-a", "-m", "broken")
        (clone / "pyproject.toml").write_text(text, encoding="utf-8")
        commit(clone, "CHANGES", f"version 9.{minor}")
        git(clone, "tag", f"v9.{minor}")
    (clone / "CHANGES").write_text("not committed", encoding="utf-8")
    (clone / "new.txt").touch()
    return clone


def state_of(clone: Path) -> tuple[str, str, str]:
    """All that a search must leave alone."""
    return (
        git(clone, "status", "--porcelain", "--ignored"),
        git(clone, "for-each-ref"),
        git(clone, "worktree", "list"),
    )
