"""Repositories that versions under test come from.

One on this machine is read where it is. Of any other there is a bare copy, fetched no deeper than
is needed. Neither way writes into somebody's repository or touches somebody's work tree.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.files import temporary_folder
from plugpull.matrix.git import GitFailure, git
from plugpull.matrix.history import Commit, History
from plugpull.matrix.references import shown
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

__all__ = ["LocalRepository", "Repository"]


class Repository(History):
    """A repository, wherever it is.

    Args:
        path: The folder in which git reads it.
        address: What people call it.
    """

    def __init__(self, path: Path, address: str) -> None:
        super().__init__(path)
        self.address = address

    @abstractmethod
    def commit(self, ref: str) -> Commit:
        """The commit that a branch, a tag, a commit's name or any other ref leads to now.

        Raises:
            UsageError: There is no such repository, or no such ref in it.
            PlugpullError: The repository cannot be reached.
        """

    @abstractmethod
    def fetch_history(self) -> None:
        """Have every branch and tag with all commits, though perhaps not with all files.

        Raises:
            PlugpullError: The repository cannot be reached.
        """

    @abstractmethod
    def is_tag(self, ref: str) -> bool:
        """Whether the repository has a tag of that name."""

    @abstractmethod
    def files(self, sha: str, parent: Path) -> AbstractContextManager[Path]:
        """The files of a commit, in a folder that is gone afterwards.

        It is a work tree: a build that asks git for the version gets one.
        """

    def no_ref(self, ref: str, names: Iterable[str], why: str = "") -> UsageError:
        """The error for a ref that is not there."""
        return UsageError(
            f"{shown(self.address)} has no branch, tag, commit or ref {ref!r}",
            why=why,
            then=suggestion(ref, names),
        )


class LocalRepository(Repository):
    """A repository on this machine."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, str(path))

    def commit(self, ref: str) -> Commit:
        """See :meth:`Repository.commit`."""
        if not self.path.is_dir():
            raise UsageError(f"there is no repository at {self.path}: there is no such folder")
        try:
            inside = self._git(["rev-parse", "--show-prefix"], "looking for a repository").strip()
        except GitFailure as error:
            if "must be run in a work tree" in error.words:
                inside = ""  # A bare one has no other folders.
            else:
                raise self._no_repository(error.words) from error
        if inside:
            raise self._no_repository(f"it is the folder {inside} of one")
        found = self.commit_of(ref)
        if found is None:
            shape = "--format=%(refname:lstrip=2)"
            names = self._git(["for-each-ref", shape, "refs/heads", "refs/tags"], "listing")
            raise self.no_ref(ref, names.split())
        return found

    def _no_repository(self, why: str) -> UsageError:
        return UsageError(
            f"{self.path} is not a git repository",
            why=why,
            then="name its top, or give the folder itself (--path) to test it as it stands",
        )

    def fetch_history(self) -> None:
        """It is all there, or nobody here has it."""

    def is_tag(self, ref: str) -> bool:
        """See :meth:`Repository.is_tag`."""
        return self.commit_of(f"refs/tags/{ref}") is not None

    @contextmanager
    def files(self, sha: str, parent: Path) -> Iterator[Path]:
        """See :meth:`Repository.files`."""
        with temporary_folder(parent) as folder:
            tree = folder / "tree"
            clone = ["clone", "--quiet", "--shared", "--no-checkout", "--"]
            git([*clone, self.path, tree], cwd=folder, doing=f"reading {self.path}")
            checkout = ["checkout", "--quiet", "--detach", sha]
            git(checkout, cwd=tree, doing=f"checking out {sha[:12]}")
            yield tree
