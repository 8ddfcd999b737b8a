"""The end state of a run: what it left in its work folder, so that two runs can be compared.

What counts is content: files with their bytes and their executable bit, symbolic links with the
text they hold (they are not followed), and empty folders. Times, owners and inode numbers do not.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

__all__ = ["ALWAYS_IGNORED", "Entry", "changes", "snapshot", "tree_hash"]

#: Names that tools leave behind and no agent means, as files and as folders.
ALWAYS_IGNORED = (
    ".git",
    ".endstate",
    "__pycache__",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
)

_BLOCK = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a work folder.

    Attributes:
        kind: ``file``, ``program`` (a file that may be executed), ``link``, ``folder`` (an empty
            one), or ``other`` (a socket, a device).
        digest: SHA-256 of a file's bytes, or of a link's text; empty for the others.
    """

    kind: str
    digest: str = ""


def snapshot(root: Path, ignore: Sequence[str] = ()) -> dict[str, Entry]:
    """Everything below ``root`` by its relative path, in sorted order.

    Args:
        root: The folder.
        ignore: Glob patterns, matched against the relative path and against each name in it.

    Raises:
        NotADirectoryError: ``root`` is no folder.
    """
    if not root.is_dir():
        raise NotADirectoryError(str(root))
    return dict(sorted(_walk(root, "", (*ALWAYS_IGNORED, *ignore))))


def tree_hash(tree: Mapping[str, Entry]) -> str:
    """One text for a whole snapshot.

    Each part goes in with its length, so that no two snapshots can run together into the same
    bytes.
    """
    digest = hashlib.sha256()
    for path in sorted(tree):
        for part in (path, tree[path].kind, tree[path].digest):
            data = part.encode("utf-8", "surrogateescape")
            digest.update(len(data).to_bytes(8, "big") + data)
    return digest.hexdigest()


def changes(expected: Mapping[str, Entry], found: Mapping[str, Entry]) -> list[str]:
    """What differs, one readable line each: ``missing``, ``unexpected``, ``differs``."""
    lines = []
    for path in sorted({*expected, *found}):
        if path not in found:
            lines.append(f"missing: {path}")
        elif path not in expected:
            lines.append(f"unexpected: {path}")
        elif expected[path].kind != found[path].kind:
            lines.append(f"differs: {path} is a {found[path].kind}, not a {expected[path].kind}")
        elif expected[path] != found[path]:
            lines.append(f"differs: {path} has other contents")
    return lines


def _walk(folder: Path, prefix: str, ignore: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    with os.scandir(folder) as entries:
        kept = [entry for entry in entries if not _ignored(prefix + entry.name, entry.name, ignore)]
    if not kept and prefix:
        yield prefix.rstrip("/"), Entry("folder")
    for entry in kept:
        path = prefix + entry.name
        if entry.is_symlink():
            text = os.fsencode(Path(entry.path).readlink())
            yield path, Entry("link", hashlib.sha256(text).hexdigest())
        elif entry.is_dir():
            yield from _walk(Path(entry.path), f"{path}/", ignore)
        elif entry.is_file():
            executable = entry.stat().st_mode & stat.S_IXUSR
            yield path, Entry("program" if executable else "file", _file_digest(Path(entry.path)))
        else:
            yield path, Entry("other")


def _ignored(path: str, name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern) or fnmatchcase(name, pattern) for pattern in patterns)


def _file_digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()
