"""A folder as it stands, with changes that nobody has committed: what is in it, and a copy."""

from __future__ import annotations

import hashlib
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.files import temporary_folder
from plugpull.matrix.git import GitFailure, git

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Tree", "look_at"]

#: Never part of a source, whatever the folder's git says or if it has none.
_LEFT_OUT = frozenset(
    [
        ".git",
        ".hg",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
    ]
)
#: Made by building, at a source's top; left out where no git says what belongs to the source.
_BUILT = frozenset({"build", "dist", "venv"})


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder with sources.

    Attributes:
        top: The whole checkout's folder; the folder itself if it is in no repository.
        inside: The folder that was named, below the top. ``""`` for the top itself.
        names: Its files, relative to the top: those that git knows or would take in.
        changed: Those of them that differ from the last commit.
        head: The last commit. ``""`` without a repository, or without a commit.
        digest: A hash over names, modes and contents of all files.
    """

    top: Path
    inside: str
    names: tuple[str, ...]
    changed: tuple[str, ...]
    head: str
    digest: str

    @contextmanager
    def copied(self, parent: Path) -> Iterator[Path]:
        """The files in another folder, gone afterwards: a build must leave the user's alone."""
        with temporary_folder(parent) as folder:
            copy = folder / "tree"
            for name in self.names:
                target = copy / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.top / name, target, follow_symlinks=False)
            if self.head:
                # A build may ask git for the version. It reads the history; the copy is its tree.
                where = git(["rev-parse", "--absolute-git-dir"], cwd=self.top, doing="looking")
                (copy / ".git").write_text(f"gitdir: {where.strip()}\n", encoding="utf-8")
            yield copy


def look_at(path: Path) -> Tree:
    """What is in a folder now.

    Raises:
        UsageError: There is no such folder.
    """
    if not path.is_dir():
        what = "is no folder" if path.exists() else "is not there"
        raise UsageError(f"{path} {what}", then="name the folder with the package's sources")
    return _in_repository(path) or _tree(path, "", _plain_names(path), [], "")


def _in_repository(path: Path) -> Tree | None:
    """The folder as its repository sees it; ``None`` if there is none, or it leaves it out."""
    try:
        top = Path(git(["rev-parse", "--show-toplevel"], cwd=path, doing="looking").rstrip("\n"))
        inside = git(["rev-parse", "--show-prefix"], cwd=path, doing="looking").strip().rstrip("/")
        listed = git(
            ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=top, doing="x"
        )
        status = git(
            ["status", "--porcelain", "-z", "--untracked-files=all", "--no-renames"],
            cwd=top,
            doing="looking at what has changed",
        )
    except GitFailure:
        return None
    names = sorted(set(listed.split("\0")) - {""})
    if inside and not any(name.startswith(f"{inside}/") for name in names):
        return None
    try:
        head = git(["rev-parse", "--verify", "HEAD"], cwd=top, doing="looking").strip()
    except GitFailure:
        head = ""  # Nothing has been committed yet.
    changed = [entry[3:] for entry in status.split("\0") if entry]
    return _tree(top, inside, names, changed, head)


def _plain_names(path: Path) -> list[str]:
    return [
        file.relative_to(path).as_posix()
        for file in sorted(path.rglob("*"))
        if file.relative_to(path).parts[0] not in _BUILT
    ]


def _tree(top: Path, inside: str, names: list[str], changed: list[str], head: str) -> Tree:
    kept = [
        name
        for name in names
        if _LEFT_OUT.isdisjoint(Path(name).parts)
        and ((top / name).is_symlink() or (top / name).is_file())
    ]
    digest = hashlib.sha256()
    for name in kept:
        path = top / name
        content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
        mode = "l" if path.is_symlink() else f"{path.stat().st_mode & 0o100:o}"
        digest.update(f"{len(name)}:{name}:{mode}:{len(content)}:".encode())
        digest.update(content)
    return Tree(top, inside, tuple(kept), tuple(sorted(changed)), head, digest.hexdigest())
