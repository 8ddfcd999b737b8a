"""git, asked for commits: a bare copy of each repository, fetched no deeper than is needed.

git never asks for a name or a password here, runs no hooks of the user, and is told nothing by the
variables that git itself sets for hooks. What the user set up to reach a private repository (ssh
keys, a credential helper) works as ever.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.files import FileLock, temporary_folder
from plugpull.matrix.references import shown
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Commit", "GitFailure", "Repository", "git"]

#: git's own, for its hooks: they would lead it to another repository.
_DROPPED = re.compile(
    r"GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR"
    r"|NAMESPACE|PREFIX|CEILING_DIRECTORIES|CONFIG_PARAMETERS|CONFIG_COUNT)"
)
_SETTINGS = ("core.hooksPath=/dev/null", "gc.auto=0", "core.fsmonitor=false", "maintenance.auto=0")
_FULL_COMMIT = re.compile(r"[0-9a-f]{40}")
_SOME_COMMIT = re.compile(r"[0-9a-f]{4,40}")
#: Where fetched commits are kept, so that git does not clean them away.
_KEPT = "refs/plugpull/"
#: Lies in a copy that has the whole history.
_WHOLE = "plugpull-whole"


class GitFailure(PlugpullError):
    """git ended with an error.

    Attributes:
        words: What it said.
    """

    def __init__(self, what: str, words: str) -> None:
        super().__init__(what, why=words)
        self.words = words


@dataclass(frozen=True, slots=True)
class Commit:
    """One commit.

    Attributes:
        sha: Its whole name, 40 digits.
        moment: When it was made (the committer's clock, UTC).
    """

    sha: str
    moment: datetime


def git(arguments: Sequence[str | Path], *, cwd: Path, doing: str) -> str:
    """Run git and return what it printed.

    Args:
        arguments: Without the executable.
        cwd: Where to run.
        doing: Names the work for people: ``"<doing> failed"``.

    Raises:
        PlugpullError: There is no git.
        GitFailure: It ended with an error.
    """
    command = ["git", *(part for setting in _SETTINGS for part in ("-c", setting))]
    try:
        done = subprocess.run(
            [*command, *map(str, arguments)],
            cwd=cwd,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError as error:
        if not cwd.is_dir():
            raise
        raise PlugpullError(
            "git was not found: it fetches what a version under test is built from",
            then="install git, or give a folder without git, a wheel or an sdist",
        ) from error
    if done.returncode != 0:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        raise GitFailure(f"{doing} failed", "\n".join(lines[-5:]) or f"exit {done.returncode}")
    return done.stdout


class Repository:
    """Our copy of somebody's repository.

    Args:
        address: Where it is: a URL, or an absolute path.
        folder: The folder of all copies.
    """

    def __init__(self, address: str, folder: Path) -> None:
        self.address = address
        name = hashlib.sha256(address.encode()).hexdigest()[:24]
        self.path = folder / f"{name}.git"
        self._lock = folder / f"{name}.lock"

    def commit(self, ref: str) -> Commit:
        """The commit that a branch, a tag, a commit's name or any other ref leads to now.

        Raises:
            UsageError: There is no such repository, or no such ref in it.
            PlugpullError: The repository cannot be reached.
        """
        with FileLock(self._lock):
            new = self._make()
            if not (_FULL_COMMIT.fullmatch(ref) and self._has(ref)):
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

    def is_tag(self, ref: str) -> bool:
        """Whether the repository has a tag of that name."""
        return bool(self._git(["ls-remote", "origin", f"refs/tags/{ref}"], "looking for a tag"))

    def newest_before(self, sha: str, moment: datetime) -> Commit | None:
        """The newest commit of a branch's own line that was there before a moment."""
        stamp = moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        arguments = ["rev-list", "-1", "--first-parent", f"--before={stamp}", sha]
        found = self._git(arguments, "looking at older commits").strip()
        return self._look_up(found) if found else None

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

    def text_at(self, sha: str, name: str) -> str:
        """A file's text in a commit, ``""`` if it has no such file."""
        try:
            return self._git(["show", f"{sha}:{name}"], f"reading {name}")
        except GitFailure:
            return ""

    def names_at(self, sha: str) -> list[str]:
        """The names of a commit's files."""
        text = self._git(["ls-tree", "-r", "-z", "--name-only", sha], "listing files")
        return [name for name in text.split("\0") if name]

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
                if self._has(ref):
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
        name = ref if _SOME_COMMIT.fullmatch(ref) and self._has(ref) else self._kept(ref)
        text = self._git(["log", "-1", "--format=%H %ct", f"{name}^{{commit}}"], f"reading {ref}")
        sha, seconds = text.split()
        return Commit(sha, datetime.fromtimestamp(int(seconds), timezone.utc))

    def _has(self, name: str) -> bool:
        try:
            self._git(["cat-file", "-e", f"{name}^{{commit}}"], "looking for a commit")
        except GitFailure:
            return False
        return True

    def _kept(self, ref: str) -> str:
        return _KEPT + hashlib.sha256(ref.encode()).hexdigest()[:24]

    def _git(self, arguments: Sequence[str | Path], doing: str) -> str:
        return git(arguments, cwd=self.path, doing=doing)

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


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not _DROPPED.match(name)}
    kept |= {"GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_LFS_SKIP_SMUDGE": "1"}
    kept |= {"GCM_INTERACTIVE": "never", "SSH_ASKPASS_REQUIRE": "never", "LC_ALL": "C"}
    kept.setdefault("GIT_SSH_COMMAND", "ssh -o BatchMode=yes")
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        kept[name] = "true"  # Answers with nothing, where a window would open.
    return kept


def _unreachable(words: str) -> bool:
    """Whether git did not even get to the repository."""
    reached = r"remote ref|not our ref|unadvertised object|no such ref"
    return re.search(reached, words, re.IGNORECASE) is None
