"""Files that several processes share: written whole or not at all, and locked while in use."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.errors import PlugpullError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = [
    "FileLock",
    "clear_abandoned",
    "read_object",
    "temporary_folder",
    "tree_hash",
    "write_json",
    "write_whole",
]

#: Left behind by running things, and no part of what they do.
_UNHASHED = frozenset({"__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".DS_Store"})

#: What ``tempfile`` calls a folder.
_TEMPORARY = re.compile(r"tmp[a-z0-9_]{8}")


def write_whole(path: Path, text: str) -> None:
    """Write a file so that a reader sees the old text or the new one, whatever happens.

    The bytes are on the disk before the name points at them.

    Raises:
        PlugpullError: The disk is full, the folder may not be written to, and the like.
    """
    try:
        _write_whole(path, text)
    except OSError as error:
        raise PlugpullError(
            f"{path} could not be written: {error.strerror or error}",
            then="make room there, or name another place",
        ) from error


def _write_whole(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write an object as indented JSON, whole or not at all."""
    write_whole(path, json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def read_object(path: Path) -> dict[str, Any]:
    """The JSON object a file holds.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is not UTF-8, not JSON, or no object.
    """
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        message = "nested too deeply"
        raise ValueError(message) from error
    if not isinstance(data, dict):
        message = f"a JSON object was expected, not {type(data).__name__}"
        raise ValueError(message)  # noqa: TRY004 - one kind of error for "not what was written"
    return data


def tree_hash(folders: Iterable[Path], *, without: Iterable[Path] = ()) -> str:
    """A hash over the names and contents of all files below some folders (or of single files).

    A missing folder counts as an empty one. Paths enter relative to their folder, so that two
    checkouts of the same files agree.
    """
    left_out = [path.resolve() for path in without]
    digest = hashlib.sha256()
    for folder in folders:
        digest.update(b"\0folder\0")
        for path in _files_below(folder):
            resolved = path.resolve()
            if any(resolved == out or out in resolved.parents for out in left_out):
                continue
            name = path.relative_to(folder).as_posix() if path != folder else path.name
            content = path.read_bytes()
            # Lengths first: "a" + "bc" must not equal "ab" + "c".
            digest.update(f"{len(name)}:{name}:{len(content)}:".encode())
            digest.update(content)
    return digest.hexdigest()


def _files_below(folder: Path) -> list[Path]:
    if folder.is_file():
        return [folder]
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in {".pyc", ".tmp"}
        and _UNHASHED.isdisjoint(path.relative_to(folder).parts)
    )


class FileLock(contextlib.AbstractContextManager["FileLock"]):
    """An exclusive lock that the kernel gives up when its last holder ends, however it ends.

    Args:
        path: The file that is locked.
        wait: Whether to wait for whoever holds it; if not, ``BlockingIOError`` says so.

    Attributes:
        handle: The open file. A child process that inherits it keeps the lock alive.
    """

    def __init__(self, path: Path, *, wait: bool = True) -> None:
        self.path = path
        self.handle = -1
        self._wait = wait

    def __enter__(self) -> FileLock:
        import fcntl  # noqa: PLC0415 - absent on Windows, where nothing is ever run

        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(self.handle, fcntl.LOCK_EX | (0 if self._wait else fcntl.LOCK_NB))
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._close()

    def _close(self) -> None:
        os.close(self.handle)
        self.handle = -1


@contextlib.contextmanager
def temporary_folder(parent: Path) -> Iterator[Path]:
    """An empty folder below ``parent`` that is gone afterwards, at the latest in a later run.

    Its maker holds a lock beside it. What nobody holds was left by a process that was killed.
    """
    parent.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        with _making(parent):
            _clear(parent)
            made = tempfile.TemporaryDirectory(dir=parent)
            lock = held.enter_context(FileLock(_lock_of(Path(made.name))))
        # The lock is given up last: the folder is its maker's until it is gone.
        held.callback(lock.path.unlink, missing_ok=True)
        yield Path(held.enter_context(made))


def clear_abandoned(root: Path) -> None:
    """Remove the temporary folders below a state folder whose makers were killed."""
    for parent in (path for deep in ("*", "*/*") for path in root.glob(deep) if path.is_dir()):
        if any(_TEMPORARY.fullmatch(path.name) for path in parent.glob("tmp*")):
            with _making(parent):
                _clear(parent)


def _making(parent: Path) -> FileLock:
    """Held while a folder is made below a parent, so that none is seen before it is locked."""
    place = parent.resolve()  # Several checkouts may share one, by a link.
    return FileLock(place.with_name(f".{place.name}.lock"))


def _lock_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.lock")


def _clear(parent: Path) -> None:
    for name in {path.name.removesuffix(".lock") for path in parent.glob("tmp*")}:
        if not _TEMPORARY.fullmatch(name):
            continue
        folder = parent / name
        with contextlib.suppress(BlockingIOError), FileLock(_lock_of(folder), wait=False) as lock:
            shutil.rmtree(folder, ignore_errors=True)
            lock.path.unlink(missing_ok=True)
