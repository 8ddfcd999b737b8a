"""Files of saved states: copied when a run has been stopped, and put back for another run."""

from __future__ import annotations

import os
import shutil
import stat
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plugpull.endstate import Entry, snapshot
from plugpull.errors import PlugpullError
from plugpull.provider_calls import Call
from plugpull.report import write_whole
from plugpull.saved_states import STATE, WORK, Origin, SavedState

__all__ = ["keep_state", "restore", "save_state"]

# What can be kept. Sockets and pipes hold nothing, and what cannot be read cannot be copied.
_KEPT = ("file", "program", "link", "folder")


def save_state(folder: Path, work: Path, origin: Origin, calls: Sequence[Call]) -> None:
    """Copy the work folder of a run that has been stopped, and describe it.

    Args:
        folder: The state's; made here.
        work: The run's work folder. No process of the run may be alive any more.
        origin: Who wrote it.
        calls: What the provider has seen.

    Raises:
        PlugpullError: It holds what cannot be kept, or there is no room.
    """
    tree = snapshot(work, always=())
    for path, entry in tree.items():
        if entry.kind not in _KEPT:
            raise PlugpullError(
                f"the run's state cannot be kept: {path} in its work folder is a {entry.kind}",
                then="let the target keep files and folders only in PLUGPULL_WORKDIR",
            )
    try:
        shutil.copytree(work, folder / WORK, symlinks=True)
    except (OSError, shutil.Error) as error:
        raise PlugpullError(
            f"the run's state cannot be kept in {folder}: {error}", then="make room there"
        ) from error
    state = SavedState(
        folder=folder,
        origin=origin,
        calls=tuple(calls),
        files={path: _described(entry) for path, entry in tree.items()},
        holds_its_path=_mentions(work, tree, str(work)),
    )
    write_whole(folder / STATE, state.to_json())


def keep_state(state: SavedState, place: Path, same_version: Mapping[str, Any]) -> None:
    """Put a state where it stays, whole or not at all; an earlier one in its place is replaced.

    Args:
        state: The state, in a folder that may go.
        place: The folder that it gets.
        same_version: What its own version came to.

    Raises:
        PlugpullError: It cannot be written there.
    """
    half = place.with_name(f".{place.name}.{uuid.uuid4().hex}")
    kept = SavedState(
        folder=place,
        origin=state.origin,
        calls=state.calls,
        files=state.files,
        holds_its_path=state.holds_its_path,
        same_version=same_version,
    )
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(state.work, half / WORK, symlinks=True)
        write_whole(half / STATE, kept.to_json())
        if place.exists():
            shutil.rmtree(place)
        half.replace(place)
    except OSError as error:
        raise PlugpullError(
            f"{place} cannot be written: {error.strerror or error}",
            then="make room there, or name another folder",
        ) from error
    finally:
        shutil.rmtree(half, ignore_errors=True)


def restore(state: SavedState, work: Path) -> None:
    """Put a state's files into the empty work folder of a new run.

    Raises:
        PlugpullError: They cannot be written.
    """
    try:
        shutil.copytree(state.work, work, symlinks=True, dirs_exist_ok=True)
        for path, entry in state.files.items():
            there = work / path
            if entry["kind"] == "folder":
                there.mkdir(parents=True, exist_ok=True)
            elif entry["kind"] != "link":
                # A copy out of a repository or an archive may have lost what a run needs.
                run = stat.S_IXUSR if entry["kind"] == "program" else 0
                there.chmod(there.stat().st_mode | stat.S_IRUSR | stat.S_IWUSR | run)
    except (OSError, shutil.Error) as error:
        raise PlugpullError(f"{state.folder} cannot be restored: {error}") from error


def _described(entry: Entry) -> dict[str, str]:
    return {"kind": entry.kind, **({"digest": entry.digest} if entry.digest else {})}


def _mentions(work: Path, tree: Mapping[str, Entry], text: str) -> bool:
    wanted = os.fsencode(text)
    for path, entry in tree.items():
        if entry.kind == "link" and text in (entry.text or ""):
            return True
        if entry.kind in {"file", "program"} and wanted in (work / path).read_bytes():
            return True
    return False
