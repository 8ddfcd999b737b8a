"""Temporary folders of a run that was killed: gone with the next run, and nobody else's with them.

Who is killed here is a process of its own, by SIGKILL, while it holds such a folder.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from planned import MemoryIndex, checkout, found, plan_for, release
from plugpull.matrix.files import clear_abandoned, temporary_folder
from plugpull.matrix.upgrade_cells import plan_upgrade
from plugpull.matrix.upgrade_options import parse_upgrade_options

HOLDER = """
import sys
from pathlib import Path
from plugpull.matrix.files import temporary_folder
with temporary_folder(Path(sys.argv[1])) as folder:
    (folder / "work").write_text("half done")
    print(folder, flush=True)
    sys.stdin.read()
"""

MATRIX = """
[matrix]
python = ["3.13"]

[framework.toy]
versions = ["1.0.0"]
"""


@contextmanager
def holder(parent: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that holds a temporary folder, and the folder."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(parent)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def killed(parent: Path) -> Path:
    """What a process left that was killed while it held a temporary folder."""
    with holder(parent) as (_, folder):
        pass
    assert (folder / "work").is_file()
    return folder


def things(parent: Path) -> set[str]:
    """What lies below a folder."""
    return {path.name for path in parent.iterdir()}


def test_the_next_folder_clears_what_was_left(tmp_path: Path) -> None:
    """Nothing of it stays, not even the lock; and nothing of the next one's own."""
    parent = tmp_path / "trees"
    left = killed(parent)
    with temporary_folder(parent) as folder:
        assert not left.exists()
        assert folder.is_dir()
    assert things(parent) == set()


def test_a_folder_that_somebody_holds_stays(tmp_path: Path) -> None:
    """However long ago it was made: its maker lives."""
    parent = tmp_path / "trees"
    with holder(parent) as (process, folder):
        left = killed(parent)
        clear_abandoned(tmp_path)
        with temporary_folder(parent):
            assert not left.exists()
            assert (folder / "work").read_text(encoding="utf-8") == "half done"
        process.communicate("")
        assert process.returncode == 0
    assert things(parent) == set()


def test_what_only_looks_like_one_stays(tmp_path: Path) -> None:
    """Results, environments and files of other names are not ours to remove."""
    parent = tmp_path / "states"
    for name in ("1.0.0", "tmp", "temporary", "tmp-of-mine"):
        (parent / name).mkdir(parents=True)
    before = things(parent)
    clear_abandoned(tmp_path)
    assert things(parent) == before


@pytest.mark.parametrize("place", ["sources/trees", "sources/builds", "states", "envs/0123"])
@pytest.mark.parametrize("session", ["matrix", "record-states"])
def test_every_run_clears_up_first(tmp_path: Path, place: str, session: str) -> None:
    """Also where it makes no such folder itself, as far down as runs make them."""
    root = checkout(tmp_path, MATRIX)
    parent = root / ".plugpull" / place
    with ExitStack() as living:
        _, folder = living.enter_context(holder(parent))
        left = killed(parent)
        if session == "matrix":
            plan_for(root)
        else:
            manifest = root / "targets" / "toy" / "target.json"
            text = manifest.read_text(encoding="utf-8")
            manifest.write_text(text.replace("lost-session-write", "resume-after-upgrade"))
            options = parse_upgrade_options("record-states", ["toy"], root=root, cwd=root)
            index = MemoryIndex(toy_slim=(release("1.0.0"),))
            plan_upgrade(options, root=root, index=index, find=found)
        assert not left.exists()
        assert folder.is_dir()
