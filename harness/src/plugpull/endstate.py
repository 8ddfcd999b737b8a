"""The end state of a run: what it left in its work folder, so that two runs can be compared.

What counts is content: files with their bytes and their executable bit, symbolic links with the
text they hold (they are not followed), and empty folders. Times, owners and inode numbers do not.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

__all__ = ["ALWAYS_IGNORED", "EMPTY", "Entry", "snapshot", "tree_hash"]

#: Names that tools leave behind and no agent means, as files and as folders.
ALWAYS_IGNORED = (
    ".git",
    ".endstate",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
)

#: The digest of a file without content.
EMPTY = hashlib.sha256().hexdigest()

# Files up to this size are kept as text, to show what differs. In bytes.
_SHOWN = 32 * 1024
_BLOCK = 1024 * 1024

_SPECIAL = (
    (stat.S_ISSOCK, "socket"),
    (stat.S_ISFIFO, "pipe"),
    (stat.S_ISCHR, "device"),
    (stat.S_ISBLK, "device"),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a work folder.

    Attributes:
        kind: ``file``, ``program`` (a file that may be executed), ``link``, ``folder`` (an empty
            one), ``socket``, ``pipe``, ``device``, ``unreadable file``, ``unreadable folder``.
        digest: SHA-256 of a file's bytes, or of a link's text; empty for the others.
        size: Of a file, in bytes; for people, no part of what is compared.
        text: What a link holds, and what a small file of text holds; for people too.
    """

    kind: str
    digest: str = ""
    size: int = field(default=0, compare=False)
    text: str | None = field(default=None, compare=False, repr=False)


def snapshot(
    root: Path, ignore: Sequence[str] = (), *, always: Sequence[str] = ALWAYS_IGNORED
) -> dict[str, Entry]:
    """Everything below ``root`` by its relative path, in sorted order.

    What vanishes while it is read is not there. What cannot be read is there as unreadable.

    Args:
        root: The folder.
        ignore: Glob patterns, matched against the relative path and against each name in it; a
            star matches slashes too. A folder of which everything is ignored is an empty one.
        always: More of them, by default what tools leave behind.

    Raises:
        NotADirectoryError: ``root`` is no folder.
    """
    if not root.is_dir():
        raise NotADirectoryError(str(root))
    return dict(sorted(_walk(root, (*always, *(one.rstrip("/") for one in ignore)))))


def tree_hash(tree: Mapping[str, Entry]) -> str:
    """One text for a whole snapshot.

    Each part goes in with its length, so that no two snapshots can run together into the same
    bytes: without it the empty folders ``a`` and ``b`` are the empty folder ``afolderb``.
    """
    digest = hashlib.sha256()
    for path in sorted(tree):
        for part in (path, tree[path].kind, tree[path].digest):
            data = part.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def _walk(root: Path, ignore: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    # A list and no recursion: an agent may nest folders deeper than Python nests calls.
    pending = [""]
    while pending:
        prefix = pending.pop()
        try:
            with os.scandir(root / prefix) as entries:
                found = list(entries)
        except FileNotFoundError:
            continue
        except OSError:
            yield prefix.rstrip("/") or ".", Entry("unreadable folder")
            continue
        kept = [one for one in found if not _ignored(prefix + one.name, one.name, ignore)]
        if prefix and not kept:
            yield prefix.rstrip("/"), Entry("folder")
        for one in kept:
            if one.is_dir(follow_symlinks=False):
                pending.append(f"{prefix}{one.name}/")
            elif (entry := _entry(Path(one.path))) is not None:
                yield prefix + one.name, entry


def _ignored(path: str, name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern) or fnmatchcase(name, pattern) for pattern in patterns)


def _entry(path: Path) -> Entry | None:
    """What is there, ``None`` if it has gone meanwhile."""
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            text = os.fsencode(path.readlink())
            return Entry("link", hashlib.sha256(text).hexdigest(), text=os.fsdecode(text))
        for is_one, kind in _SPECIAL:
            if is_one(mode):
                return Entry(kind)
        return _file(path, "program" if mode & stat.S_IXUSR else "file")
    except FileNotFoundError:
        return None
    except OSError:
        return Entry("unreadable file")


def _file(path: Path, kind: str) -> Entry:
    digest = hashlib.sha256()
    size, head = 0, b""
    # Should somebody put a pipe in its place meanwhile, opening it must not wait for a writer.
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with open(descriptor, "rb") as stream:  # noqa: PTH123 - a descriptor has no path
        # No further than it was long at first: a file that still grows has no end.
        left = os.fstat(descriptor).st_size
        while left > 0 and (block := stream.read(min(_BLOCK, left))):
            digest.update(block)
            head = head or block
            size += len(block)
            left -= len(block)
    return Entry(kind, digest.hexdigest(), size, _text(head) if size <= _SHOWN else None)


def _text(data: bytes) -> str | None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
