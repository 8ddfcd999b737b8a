"""openai/openai-agents-python#4775: a check of a small fix, and of one that is too simple.

Made from the release's own sources, built, installed and broken for real, on one Python.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from branches import PROJECT, VERSION, make_repository
from plugpull.matrix.check import check
from projects import git

CHECKOUT = Path(__file__).parents[2]
#: Where matrix.toml says that the framework's repository is.
ORIGINAL = "https://github.com/openai/openai-agents-python"

pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13), reason="one Python is enough for a real fix"
)


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of the release's own sources, and the fix as a pull request of it."""
    top = make_repository(tmp_path_factory.mktemp("sources"))
    git(["update-ref", "refs/pull/4906/head", "fix"], cwd=top, doing="ref")
    return top


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, clone: Path) -> Iterator[Path]:
    """Our checkout with a state of its own, and a git that finds the clone for the original."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("harness", "targets", "matrix.toml"):
        (folder / name).symlink_to(CHECKOUT / name)
    settings = folder / "gitconfig"
    settings.write_text(f'[url "{clone}"]\n  insteadOf = {ORIGINAL}\n', encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_GLOBAL", str(settings))
        yield folder


def checked(root: Path, clone: Path, *asked: str, report: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the report. One scenario and one Python are enough."""
    narrowed = ["--python", "3.13", "--only", "lost-session-write/no-key", "--most-runs", "1"]
    code = check([PROJECT, *asked, *narrowed], root=root, cwd=clone.parent)
    file = root / "results" / "check" / f"{PROJECT}-{report}.json"
    return code, json.loads(file.read_text(encoding="utf-8"))


def states(report: dict[str, Any]) -> dict[str, str]:
    """What became of each fault point."""
    return {row["name"].rpartition("/")[2]: row["state"] for row in report["rows"]}


def test_a_fix_is_seen_as_fixed(root: Path, clone: Path) -> None:
    """A pull request of the declared repository: one row fixed, none regressed."""
    sha = git(["rev-parse", "fix"], cwd=clone, doing="x").strip()
    asked = ("--ref", "refs/pull/4906/head")
    code, report = checked(root, clone, *asked, report=f"git.{sha[:12]}")
    found = states(report)
    assert code == 0
    assert found.pop("ack-lost") == "fixed"
    assert "write-lost" in found
    assert set(found.values()) == {"unchanged"}
    assert (report["base"], report["packages"]) == (VERSION, {})
    assert (report["origin"]["where"], report["origin"]["identity"]) == (ORIGINAL, sha)


def test_what_a_fix_breaks_is_caught(root: Path, clone: Path) -> None:
    """A clone as it stands: never stored twice, because it may never be stored at all."""
    git(["checkout", "--quiet", "too-simple"], cwd=clone, doing="checkout")
    code, report = checked(root, clone, "--path", clone.name, report=f"path.{clone.name}")
    found = states(report)
    assert code == 1
    assert found["ack-lost"] == "fixed"
    assert found["write-lost"] == "regressed"
