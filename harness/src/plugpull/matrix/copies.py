"""Copies of repositories on other machines: bare, and fetched no deeper than is needed."""

from __future__ import annotations

import hashlib
import re
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.files import FileLock, temporary_folder
from plugpull.matrix.git import GitFailure, git
from plugpull.matrix.references import shown
from plugpull.matrix.repositories import LocalRepository, Repository

if TYPE_CHECKING:
    from collections.abc import Iterator

    from plugpull.matrix.history import Commit

__all__ = ["repository_at"]

_FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
_SOME_COMMIT = re.compile(r"[0-9a-f]{4,40}")
#: Where fetched commits are kept, so that git does not clean them away.
_KEPT = "refs/plugpull/"
#: Lies in a copy that has the whole history.
_WHOLE = "plugpull-whole"


def repository_at(address: str, folder: Path) -> Repository:
    """The repository at an address.

    Args:
        address: A URL, or an absolute path.
        folder: The folder of all copies.
    """
    return LocalRepository(Path(address)) if Path(address).is_absolute() else _Copy(address, folder)


class _Copy(Repository):
    """Our bare copy of a repository somewhere else."""

    def __init__(self, address: str, folder: Path) -> None:
        name = hashlib.sha256(address.encode()).hexdigest()[:24]
        super().__init__(folder / f"{name}.git", address)
        self._lock = folder / f"{name}.lock"

    def commit(self, ref: str) -> Commit:
        with FileLock(self._lock):
            new = self._make()
            if not (_FULL_COMMIT.fullmatch(ref) and self.commit_of(ref) is not None):
                try:
                    self._fetch(ref)
                except PlugpullError:
                    if new:
                        shutil.rmtree(self.path, ignore_errors=True)
                    raise
            return self._look_up(ref)

    def fetch_history(self) -> None:
        with FileLock(self._lock):
            self._make()
            self._fetch_history()

    def is_tag(self, ref: str) -> bool:
        return bool(self._git(["ls-remote", "origin", f"refs/tags/{ref}"], "looking for a tag"))

    @contextmanager
    def files(self, sha: str, parent: Path) -> Iterator[Path]:
        with temporary_folder(parent) as folder:
            tree = folder / "tree"
            try:
                with FileLock(self._lock):
                    self._git(
                        ["worktree", "add", "--detach", tree, sha], f"checking out {sha[:12]}"
                    )
                yield tree
            finally:
                shutil.rmtree(tree, ignore_errors=True)
                with FileLock(self._lock):
                    self._git(["worktree", "prune"], "cleaning up")

    def _make(self) -> bool:
        """Make the copy, empty and whole or not at all. Say whether it was not there before."""
        if self.path.is_dir():
            return False
        with temporary_folder(self.path.parent) as folder:
            made = folder / "made"
            git(["init", "--quiet", "--bare", made], cwd=folder, doing="making a copy")
            # A folder's name may end like an option; as a setting it cannot be mistaken.
            git(["config", "remote.origin.url", self.address], cwd=made, doing="making a copy")
            made.replace(self.path)
        return True

    def _fetch(self, ref: str) -> None:
        whole = (self.path / _WHOLE).exists()
        depth = [] if whole else ["--depth", "1"]
        fetch = ["fetch", "--quiet", "--force", "--no-tags", *depth, "origin"]
        try:
            self._git([*fetch, f"+{ref}:{self._kept(ref)}"], f"fetching {ref}")
        except GitFailure as error:
            if _unreachable(error.words):
                raise self._no_way(error) from error
            if _SOME_COMMIT.fullmatch(ref):
                # The front of a commit's name, or a server that hands out no commits by name.
                self._fetch_history()
                if self.commit_of(ref) is not None:
                    return
            raise self.no_ref(ref, self._names(), error.words.splitlines()[-1]) from error

    def _fetch_history(self) -> None:
        shallow = (self.path / "shallow").exists()
        # Old files come when they are asked for.
        arguments = ["fetch", "--quiet", "--force", "--tags", "--filter=blob:none"]
        arguments += ["--unshallow"] if shallow else []
        try:
            self._git([*arguments, "origin", f"+refs/heads/*:{_KEPT}heads/*"], "fetching history")
        except GitFailure as error:
            raise self._no_way(error) from error
        (self.path / _WHOLE).touch()

    def _look_up(self, ref: str) -> Commit:
        own = self.commit_of(ref) if _SOME_COMMIT.fullmatch(ref) else None
        commit = own or self.commit_of(self._kept(ref))
        if commit is None:
            raise UsageError(f"{ref} of {shown(self.address)} is no commit")
        return commit

    def _kept(self, ref: str) -> str:
        return _KEPT + hashlib.sha256(ref.encode()).hexdigest()[:24]

    def _no_way(self, error: GitFailure) -> PlugpullError:
        return PlugpullError(
            f"the repository {shown(self.address)} cannot be reached",
            why=error.words,
            then="check the address, the network and whether git may read it without asking you",
        )

    def _names(self) -> list[str]:
        try:
            listed = self._git(["ls-remote", "--heads", "--tags", "origin"], "listing")
        except GitFailure:
            return []
        return re.findall(r"\trefs/(?:heads|tags)/([^\n^]+)$", listed, re.MULTILINE)


def _unreachable(words: str) -> bool:
    """Whether git did not even get to the repository."""
    reached = r"remote ref|not our ref|unadvertised object|no such ref"
    return re.search(reached, words, re.IGNORECASE) is None
