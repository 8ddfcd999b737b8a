"""What a branch is compared with if nobody says so: the release that it grew from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from plugpull.errors import UsageError
from plugpull.matrix.history import History
from plugpull.matrix.references import GIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.index import Release
    from plugpull.matrix.sources import Source, Sources

__all__ = ["check_order", "default_base", "tagged_version"]

#: So many tagged commits are looked at, the newest first. Maintenance branches meet earlier.
_TAGS = 12


def default_base(
    source: Source, sources: Sources, releases: Sequence[Release], distribution: str
) -> tuple[str, str]:
    """The release to compare with, and why it is that one.

    Args:
        source: What is checked.
        sources: Where it was found.
        releases: All of the project's, the oldest version first.
        distribution: The project.

    Raises:
        UsageError: It cannot be told.
        PlugpullError: The repository cannot be reached.
    """
    known = {Version(r.version): r for r in releases if r.yanked is None}
    history, sha = _history(source, sources)
    if history is not None:
        nearest = _nearest(history, sha, known, distribution)
        if nearest is not None:
            tag, version = nearest
            return known[version].version, f"its nearest release tag, {tag}"
    declared = Version(source.origin.version)
    older = [v for v in known if v <= declared and (declared.is_prerelease or not v.is_prerelease)]
    if not older:
        raise UsageError(
            f"no release of {distribution} is as old as {declared}, which {source.reference} says "
            "it is, and no release tag is among its ancestors",
            then="name what it is compared with: --base VERSION",
        )
    newest = known[max(older)].version
    return newest, f"the newest release that is not newer than its own version, {declared}"


def check_order(base: Source | str, source: Source, sources: Sources) -> None:
    """Refuse a base that came after what is checked, or is the same.

    Args:
        base: A release's version, or what a reference led to.
        source: What is checked.
        sources: Where both were found.

    Raises:
        UsageError: It did, or is.
    """
    declared = source.origin.version
    if isinstance(base, str):
        if Version(base) > Version(declared):
            raise UsageError(
                f"the base {base} is newer than what is checked: {source.reference} says it is "
                f"{declared}",
                then="name an older release with --base, or leave --base away",
            )
        return
    if base.origin.identity == source.origin.identity:
        raise UsageError(f"the base is what is checked: both are {source.label}")
    history, sha = _history(source, sources)
    older = base.origin.identity
    if history is None or base.origin.kind != GIT or history.commit_of(older) is None:
        return
    if history.is_ancestor(sha, older):
        raise UsageError(
            f"the base {base.label} is newer than what is checked: it has {sha[:12]} as ancestor",
            then="change --base and --ref round",
        )


def tagged_version(tag: str, distribution: str) -> Version | None:
    """The version that a tag's name says: ``v1.2``, ``1.2``, ``name==1.2``, ``name-v1.2``, ...

    Tags of other packages of the same repository say nothing.
    """
    match = re.fullmatch(r"(?:(.*[^=\-_@/])(?:==|[-_@/]))?v?(\d[^/@=]*)", tag)
    if match is None:
        return None
    if match[1] and canonicalize_name(match[1]) not in {canonicalize_name(distribution), "release"}:
        return None
    try:
        return Version(match[2])
    except InvalidVersion:
        return None


def _history(source: Source, sources: Sources) -> tuple[History | None, str]:
    """The commits that led to a source. A file has none."""
    if source.reference.kind == GIT:
        repository = sources.repository(source.reference)
        repository.fetch_history()
        return repository, source.origin.identity
    if source.tree is not None and source.tree.head:
        return History(Path(source.tree.top)), source.tree.head
    return None, ""


def _nearest(
    history: History, sha: str, known: dict[Version, Release], distribution: str
) -> tuple[str, Version] | None:
    found: list[tuple[int, Version, str]] = []
    for tag, commit in history.tags_before(sha):
        version = tagged_version(tag, distribution)
        if version is not None and version in known:
            found.append((-history.distance(commit, sha), version, tag))
        if len(found) == _TAGS:
            break
    if not found:
        return None
    _, version, tag = max(found)
    return tag, version
