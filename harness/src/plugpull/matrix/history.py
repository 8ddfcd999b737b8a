"""What a repository's commits say, whoever's it is: it is only read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.matrix.git import GitFailure, git

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Commit", "History"]


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit.

    Attributes:
        sha: Its whole name, 40 digits.
        moment: When it was made (the committer's clock, UTC).
    """

    sha: str
    moment: datetime


class History:
    """The commits of a repository.

    Args:
        path: A folder in it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def commit_of(self, name: str) -> Commit | None:
        """The commit that a name leads to within the repository, ``None`` if to none."""
        try:
            arguments = ["log", "-1", "--format=%H %ct", "--end-of-options", f"{name}^{{commit}}"]
            text = self._git(arguments, f"reading {name}")
        except GitFailure:
            return None
        sha, seconds = text.split()
        return Commit(sha, datetime.fromtimestamp(int(seconds), timezone.utc))

    def is_ancestor(self, older: str, sha: str) -> bool:
        """Whether a commit was there when another one was made, on its way to it."""
        return self._git(["rev-list", "-1", older, f"^{sha}"], "comparing commits").strip() == ""

    def tags_before(self, sha: str) -> list[tuple[str, str]]:
        """Tags of a commit and its ancestors, as name and commit, the newest commit first.

        Needs :meth:`fetch_history` first.
        """
        shape = ["--format=%H %D", "--decorate=full", "--decorate-refs=refs/tags/*"]
        arguments = ["log", *shape, "--simplify-by-decoration", sha]
        text = self._git(arguments, "looking at the tags")
        found: list[tuple[str, str]] = []
        for line in text.splitlines():
            commit, _, names = line.partition(" ")
            found += [
                (name.removeprefix("tag: refs/tags/"), commit)
                for name in names.split(", ")
                if name.startswith("tag: refs/tags/")
            ]
        return found

    def distance(self, ancestor: str, sha: str) -> int:
        """How many commits a commit has that another one does not have."""
        return int(self._git(["rev-list", "--count", f"{ancestor}..{sha}"], "counting commits"))

    def newest_before(self, sha: str, moment: datetime) -> Commit | None:
        """The newest commit of a branch's own line that was there before a moment."""
        stamp = moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        arguments = ["rev-list", "-1", "--first-parent", f"--before={stamp}", sha]
        found = self._git(arguments, "looking at older commits").strip()
        return self.commit_of(found) if found else None

    def has_folder(self, sha: str, name: str) -> bool:
        """Whether a commit has such a folder."""
        try:
            self._git(["cat-file", "-e", f"{sha}:{name}/"], f"looking for {name}")
        except GitFailure:
            return False
        return True

    def text_at(self, sha: str, name: str) -> str:
        """A file's text in a commit, ``""`` if it has no such file."""
        try:
            return self._git(["show", f"{sha}:{name}"], f"reading {name}")
        except GitFailure:
            return ""

    def _git(self, arguments: Sequence[str | Path], doing: str) -> str:
        return git(arguments, cwd=self.path, doing=doing)
