"""Copies of other people's repositories, fetched no deeper than is needed."""

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
from plugpull.matrix.history import Commit, History
from plugpull.matrix.references import shown
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Repository"]

_FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
_SOME_COMMIT = re.compile(r"[0-9a-f]{4,40}")
#: Where fetched commits are kept, so that git does not clean them away.
_KEPT = "refs/plugpull/"
#: Lies in a copy that has the whole history.
_WHOLE = "plugpull-whole"


class Repository(History):
    """Our copy of somebody's repository.

    Args:
        address: Where it is: a URL, or an absolute path.
        folder: The folder of all copies.
    """

    def __init__(self, address: str, folder: Path) -> None:
        self.address = address
        name = hashlib.sha256(address.encode()).hexdigest()[:24]
        super().__init__(folder / f"{name}.git")
        self._lock = folder / f"{name}.lock"

    def commit(self, ref: str) -> Commit:
        """The commit that a branch, a tag, a commit's name or any other ref leads to now.

        Raises:
            UsageError: There is no such repository, or no such ref in it.
            PlugpullError: The repository cannot be reached.
        """
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
        """Have every branch and tag with all commits, though perhaps not with all files.

        Raises:
            PlugpullError: The repository cannot be reached.
        """
        with FileLock(self._lock):
            self._make()
            self._fetch_history()

    def is_tag(self, ref: str) -> bool:
        """Whether the repository has a tag of that name."""
        return bool(self._git(["ls-remote", "origin", f"refs/tags/{ref}"], "looking for a tag"))

    @contextmanager
    def files(self, sha: str, parent: Path) -> Iterator[Path]:
        """The files of a commit, in a folder that is gone afterwards.

        The folder is a work tree of our copy: a build that asks git for the version gets one.
        """
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
        if Path(self.address).is_absolute():
            self._check_local()
        with temporary_folder(self.path.parent) as folder:
            made = folder / "made"
            git(["init", "--quiet", "--bare", made], cwd=folder, doing="making a copy")
            # A folder's name may end like an option; as a setting it cannot be mistaken.
            git(["config", "remote.origin.url", self.address], cwd=made, doing="making a copy")
            made.replace(self.path)
        return True

    def _check_local(self) -> None:
        path = Path(self.address)
        if not path.exists():
            raise UsageError(f"there is no repository at {path}: it does not exist")
        try:
            git(["rev-parse", "--git-dir"], cwd=path if path.is_dir() else path.parent, doing="x")
        except GitFailure as error:
            raise UsageError(
                f"{path} is not a git repository",
                why=error.words,
                then="give the folder itself (--path) if it is to be tested as it stands",
            ) from error

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
            raise self._no_ref(ref, error) from error

    def _fetch_history(self) -> None:
        shallow = (self.path / "shallow").exists()
        # Old files come when they are asked for. A path has them at hand anyway.
        part = [] if Path(self.address).is_absolute() else ["--filter=blob:none"]
        arguments = ["fetch", "--quiet", "--force", "--tags", *part]
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

    def _no_ref(self, ref: str, error: GitFailure) -> UsageError:
        try:
            listed = self._git(["ls-remote", "--heads", "--tags", "origin"], "listing")
        except GitFailure:
            listed = ""
        names = re.findall(r"\trefs/(?:heads|tags)/([^\n^]+)$", listed, re.MULTILINE)
        return UsageError(
            f"{shown(self.address)} has no branch, tag, commit or ref {ref!r}",
            why=error.words.splitlines()[-1],
            then=suggestion(ref, names),
        )


def _unreachable(words: str) -> bool:
    """Whether git did not even get to the repository."""
    reached = r"remote ref|not our ref|unadvertised object|no such ref"
    return re.search(reached, words, re.IGNORECASE) is None
