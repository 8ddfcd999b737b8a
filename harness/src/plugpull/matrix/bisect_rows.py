"""The row that ``bisect`` searches: the releases between two, or the commits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from plugpull.errors import UsageError
from plugpull.matrix.entries import Entry, parse_entry
from plugpull.matrix.git import GitFailure, git

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.index import Release
    from plugpull.matrix.references import Reference
    from plugpull.matrix.repositories import Repository

__all__ = ["Candidate", "commits_between", "releases_between"]

#: Digits of a commit's name, as they stand in ids.
_SHORT = 12


@dataclass(frozen=True, slots=True)
class Candidate:
    """One version in the row.

    Attributes:
        name: What people call it: ``1.2.11``, or the front of a commit's name.
        date: The day it came (ISO 8601, UTC); ``""`` if nobody knows.
        entry: What the planner is asked for.
        about: A commit's subject.
    """

    name: str
    date: str
    entry: Entry
    about: str = ""

    @property
    def text(self) -> str:
        """The name and the day."""
        return f"{self.name} ({self.date})" if self.date else self.name


def releases_between(
    releases: Sequence[Release], start: str, end: str, *, project: str, pre: bool = False
) -> tuple[list[Candidate], list[str]]:
    """The releases from one to another, both of them included, and those that are left out.

    Yanked ones and pre-releases are left out, each with a note, unless they are named as ends.

    Args:
        releases: What the index has, the oldest version first.
        start: The first one.
        end: The last one; ``""`` or ``latest`` for the newest there is.
        project: The distribution's name, for texts.
        pre: Try pre-releases too.

    Raises:
        UsageError: An end is no release, or they are in the wrong order.
    """
    usable = [r for r in releases if r.yanked is None and not Version(r.version).is_prerelease]
    if end in {"", "latest"}:
        if not usable:
            raise UsageError(f"{project} has no release to go to", then="name one with --to")
        end = usable[-1].version
    first = _index_of(releases, start, "--from", project)
    last = _index_of(releases, end, "--to", project)
    _check_order(first, last, start, end)
    row: list[Candidate] = []
    notes = []
    for at in range(first, last + 1):
        release = releases[at]
        left_out = "" if at in {first, last} else _left_out(release, pre=pre)
        if left_out:
            notes.append(f"{release.version} is left out: {left_out}")
            continue
        day = f"{release.last_upload:%Y-%m-%d}" if release.last_upload else ""
        row.append(Candidate(release.version, day, parse_entry(release.version)))
    return row, notes


def _left_out(release: Release, *, pre: bool) -> str:
    if release.yanked is not None:
        return f"yanked{f': {release.yanked}' if release.yanked else ''}"
    if Version(release.version).is_prerelease and not pre:
        return "a pre-release (--pre tries those too)"
    return ""


def commits_between(
    repository: Repository, reference: Reference, start: str, end: str
) -> list[Candidate]:
    """The commits from one to another along the first parents, both ends included.

    Of what was merged only the merge is in the row: what a branch did before is its own affair.

    Args:
        repository: Our copy of the repository.
        reference: The package in it.
        start: The older end: the name of a branch, a tag or a commit.
        end: The newer end, likewise.

    Raises:
        UsageError: There is no such name, or the first does not lead to the second.
        PlugpullError: The repository cannot be read.
    """
    repository.fetch_history()
    old, new = repository.commit(start), repository.commit(end)
    if old.sha == new.sha:
        _check_order(0, 0, start, end)
    if not _leads_to(repository, old.sha, new.sha):
        turned = _leads_to(repository, new.sha, old.sha)
        raise UsageError(
            f"--from {start} is {'newer than' if turned else 'no ancestor of'} --to {end}",
            then="exchange the two" if turned else "begin where the branch left its parent",
        )
    shape = ["--first-parent", "--reverse", "--format=%H%x00%cd%x00%s", "--date=format:%Y-%m-%d"]
    text = git(
        ["log", *shape, f"{old.sha}..{new.sha}"], cwd=repository.path, doing="listing commits"
    )
    first = git(["log", "-1", *shape[2:], old.sha], cwd=repository.path, doing="reading a commit")
    return [_commit(line, reference) for line in [*first.splitlines(), *text.splitlines()]]


def _commit(line: str, reference: Reference) -> Candidate:
    sha, day, subject = line.split("\0", 2)
    entry = Entry(f"git+{reference.where}@{sha}", reference=reference.at(sha))
    return Candidate(sha[:_SHORT], day, entry, about=subject)


def _leads_to(repository: Repository, one: str, other: str) -> bool:
    try:
        git(["merge-base", "--is-ancestor", one, other], cwd=repository.path, doing="asking for it")
    except GitFailure:
        return False
    return True


def _index_of(releases: Sequence[Release], text: str, option: str, project: str) -> int:
    try:
        wanted = Version(text)
    except InvalidVersion as error:
        raise UsageError(
            f"{option} {text}: no version (PEP 440)",
            then="for example 1.2.11; --path CLONE searches commits",
        ) from error
    for at, release in enumerate(releases):
        if Version(release.version) == wanted:
            return at
    below = [r.version for r in releases if Version(r.version) < wanted]
    above = [r.version for r in releases if Version(r.version) > wanted]
    near = " and ".join([*below[-1:], *above[:1]])
    raise UsageError(
        f"{option} {text}: {project} has no such release", then=f"next to it are: {near or 'none'}"
    )


def _check_order(first: int, last: int, start: str, end: str) -> None:
    if first == last:
        raise UsageError(f"--from {start} and --to {end} are the same", then="name two versions")
    if first > last:
        raise UsageError(f"--from {start} is newer than --to {end}", then="exchange the two")
