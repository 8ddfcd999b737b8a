"""What the planning process leaves for the sessions' processes, and for the next run."""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import UsageError

if TYPE_CHECKING:
    from plugpull.matrix.plan import Plan

__all__ = ["PLAN_VARIABLE", "check_writable", "hand_on", "part", "show_terminal", "state_file"]

#: Names the plan's file for the sessions' processes.
PLAN_VARIABLE = "PLUGPULL_PLAN"


def state_file(root: Path, name: str) -> Path:
    """A file of ours that can be made again."""
    return root / ".plugpull" / name


def check_writable(results: Path, option: str = "--results") -> None:
    """Find out now, and not after an hour, whether the results' folder can be written to.

    It is not made here: whatever ends the run before there is a result leaves none.

    Args:
        results: The folder.
        option: What names another one.

    Raises:
        UsageError: It cannot.
    """
    try:
        with tempfile.TemporaryFile(dir=_nearest(results)):
            pass
    except OSError as error:
        raise UsageError(
            f"{results} cannot be written to: {error.strerror or error}",
            then=f"name another folder: {option} DIR",
        ) from error


def _nearest(folder: Path) -> Path:
    """The folder itself, or the first one above it that is there."""
    for place in (folder, *folder.parents):
        with contextlib.suppress(FileNotFoundError):
            place.lstat()
            return place
    return folder


def hand_on(plan: Plan, root: Path) -> None:
    """Write the plan twice: for the next ``collect``, and for this run's own children.

    A second run in the same checkout replaces the first file while our children start.
    """
    plan.write(state_file(root, "plan.json"))
    folder = state_file(root, "plans")
    for left in folder.glob("*.json"):  # by a run that was killed
        if left.stem.isdigit() and not _alive(int(left.stem)):
            left.unlink(missing_ok=True)
    own = folder / f"{os.getpid()}.json"
    plan.write(own)
    atexit.register(own.unlink, missing_ok=True)
    os.environ[PLAN_VARIABLE] = str(own)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def part(plan: Plan, started: float) -> None:
    """At the end, say so if the table never came: Ctrl-C, or a cell's process that was killed."""
    table = plan.results / "matrix.json"
    if not table.exists() or table.stat().st_mtime < started:
        print(
            "plugpull: no table was made; finished cells are kept, and nox -s collect shows them",
            file=sys.stderr,
        )


def show_terminal() -> None:
    """Tell the sessions' processes, whose output is a pipe, that it ends up on a terminal."""
    if sys.stdout.isatty() and os.environ.get("TERM") != "dumb":
        os.environ["COLUMNS"] = str(shutil.get_terminal_size().columns)
        if not os.environ.get("NO_COLOR"):
            os.environ.setdefault("FORCE_COLOR", "1")
