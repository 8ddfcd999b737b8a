"""What cannot be meant leaves nothing behind: no folder, not even an empty one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from planned import MemoryIndex, checkout, release
from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.check import check
from plugpull.matrix.handover import check_writable
from plugpull.matrix.upgrade import record_states, upgrade
from toycell import PYTHON

MATRIX = f"""
[matrix]
python = ["{PYTHON}"]

[framework.toy]
versions = ["1.0"]
"""


@pytest.mark.parametrize(
    ("session", "posargs"),
    [
        (upgrade, ["tay"]),
        (upgrade, ["toy", "--variant", "no-such"]),
        (upgrade, ["toy", "--pairs", "1.0"]),
        (upgrade, ["toy", "--versions", "./nowhere.whl", "--results", "deep/down"]),
        (record_states, ["tay"]),
        (record_states, ["toy", "--python", "3.99"]),
        (record_states, ["toy", "--versions", "not a version", "--states", "deep/down"]),
        (check, ["tay", "--path", "."]),
        (check, ["toy", "--path", "nowhere"]),
        (check, ["toy", "--path", ".", "--only", "kill-mid-tol", "--results", "deep/down"]),
    ],
)
def test_a_mistake_leaves_no_folder(
    tmp_path: Path, session: Callable[..., int], posargs: list[str]
) -> None:
    """Neither for results nor for states, wherever they were to be."""
    root = checkout(tmp_path, MATRIX)
    manifest = root / "targets" / "toy" / "target.json"
    data = json.loads(manifest.read_text(encoding="utf-8"))
    manifest.write_text(json.dumps({**data, "scenarios": {"resume-after-upgrade": {}}}))
    before = {path for path in root.rglob("*") if ".plugpull" not in path.parts}
    index = MemoryIndex(toy_slim=(release("1.0"),))
    with pytest.raises(PlugpullError):
        session(posargs, root=root, cwd=root, index=index)
    assert {path for path in root.rglob("*") if ".plugpull" not in path.parts} == before


def test_a_folder_that_can_be_written_to_is_not_made(tmp_path: Path) -> None:
    """To ask is no reason to make it."""
    check_writable(tmp_path / "a" / "b")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["file", "file/below", "link", "n" * 300])
def test_a_folder_that_cannot_be_made_is_known_at_once(tmp_path: Path, name: str) -> None:
    """A file in its place or above it, a link to nowhere, a name that is too long."""
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="cannot be written to"):
        check_writable(tmp_path / name)
