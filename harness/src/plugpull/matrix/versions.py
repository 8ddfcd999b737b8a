"""From what the declaration says about versions to releases that exist.

An entry is *exact* (``"1.2.11"``) or *open*: a specifier (its newest match), ``"latest"``, or
``"latest-minors:5"`` (the newest release of each of the newest five minors). Open entries pass
over yanked releases, and over pre-releases unless they ask for them. ``"harness"`` is the version
that every cell gets anyway: that of this checkout, for a target which comes with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from plugpull._version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from plugpull.matrix.index import Release

__all__ = ["Entry", "Pick", "matches", "parse_entry", "resolve", "supports"]

_MINORS = re.compile(r"latest-minors:([0-9]+)")
#: ``==1.2.11`` means one release, as surely as ``1.2.11`` does.
_PINNED = re.compile(r"\s*===?\s*([^*,\s]+)\s*")
#: Higher than any patch release of any Python.
_PATCHES = range(64)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list of versions.

    Attributes:
        text: As it stands in the declaration.
        exact: The version, for an exact entry. ``None`` for an open one.
        specifier: What an open entry's release must match. ``""`` matches everything.
        minors: How many minors an open entry takes. ``None`` takes one release.
        harness: The version is the harness's own; no index is asked for it, and nothing installed.
    """

    text: str
    exact: str | None = None
    specifier: str = ""
    minors: int | None = None
    harness: bool = False

    @property
    def meaning(self) -> tuple[object, ...]:
        """Equal for two entries that mean the same: ``"1.0"`` and ``"1.0.0"`` do."""
        if self.exact is not None:
            return (Version(self.exact),)
        return (SpecifierSet(self.specifier), self.minors)


@dataclass(frozen=True, slots=True)
class Pick:
    """One release that an entry led to, or the reason why it led to none.

    Attributes:
        entry: The entry.
        version: The release's version; the entry's own text if there is no such release.
        release: What the index knows of it. ``None`` if there is no such release.
        notes: Remarks for people.
        impossible: Why there is no release. ``None`` if there is one.
    """

    entry: Entry
    version: str
    release: Release | None = None
    notes: tuple[str, ...] = ()
    impossible: str | None = None


def parse_entry(text: str) -> Entry:
    """Read one entry.

    Raises:
        ValueError: It is neither a version nor anything else that an entry may be.
    """
    stripped = text.strip()
    if stripped == "latest":
        return Entry(text)
    if stripped == "harness":
        return Entry(text, exact=__version__, harness=True)
    minors = _MINORS.fullmatch(stripped)
    if minors is not None:
        if int(minors[1]) < 1:
            raise ValueError("latest-minors counts from 1")
        return Entry(text, minors=int(minors[1]))
    pinned = _PINNED.fullmatch(stripped)
    try:
        version = Version(pinned[1] if pinned else stripped)
    except InvalidVersion:
        pass
    else:
        return Entry(text, exact=str(version))
    try:
        specifier = SpecifierSet(stripped)
    except InvalidSpecifier:
        specifier = SpecifierSet()
    if not str(specifier):
        raise ValueError(
            f"{text!r} is neither a version nor a specifier (PEP 440), "
            'nor "latest" or "latest-minors:N"'
        )
    return Entry(text, specifier=str(specifier))


def resolve(
    entry: Entry, releases: Sequence[Release], *, project: str, cut_off: datetime | None = None
) -> tuple[Pick, ...]:
    """The releases an entry leads to, at least one pick.

    Args:
        entry: The entry.
        releases: What the index has, the oldest version first.
        project: The distribution's name, for texts.
        cut_off: Releases that came later do not exist for this entry. ``None`` sees all.
    """
    if entry.harness:
        return (Pick(entry, __version__),)
    if entry.exact is not None:
        return (_exact(entry, releases, project, cut_off),)
    seen = [release for release in releases if _before(release, cut_off)]
    allow = bool(SpecifierSet(entry.specifier).prereleases)
    fitting = [
        release
        for release in seen
        if matches(release.version, entry.specifier)
        and (allow or not Version(release.version).is_prerelease)
    ]
    chosen, passed = _newest(fitting, entry.minors)
    notes = tuple(
        f"{release.version} is yanked{f' ({release.yanked})' if release.yanked else ''}"
        f" and was passed over by {entry.text}"
        for release in passed
    )
    if chosen:
        return tuple(
            Pick(entry, release.version, release, notes if release is chosen[0] else ())
            for release in chosen
        )
    when = f" before {cut_off:%Y-%m-%d %H:%M} UTC" if cut_off is not None else ""
    newest = f"; the newest is {releases[-1].version}" if releases else ""
    reason = f"no release of {project}{when} fits {entry.text!r}{newest}"
    return (Pick(entry, entry.text, None, notes, reason),)


def matches(version: str, specifier: str) -> bool:
    """Whether a version is within a specifier. Pre-releases are versions like any other here."""
    return SpecifierSet(specifier).contains(Version(version), prereleases=True)


def supports(release: Release, python: str, full_version: str | None = None) -> str | None:
    """Why a release is not meant for a Python (``needs >= 3.11``); ``None`` if it is.

    Args:
        release: The release.
        python: ``major.minor``.
        full_version: The interpreter's own version, if one was found. Without it, the Python
            counts as supported if any of its patch releases is.
    """
    if not release.requires_python:
        return None
    try:
        needed = SpecifierSet(release.requires_python)
    except InvalidSpecifier:
        return None  # uv ignores it as well, and says so if it must.
    versions = [full_version] if full_version else [f"{python}.{patch}" for patch in _PATCHES]
    if any(needed.contains(version, prereleases=True) for version in versions):
        return None
    parts = sorted(needed, key=lambda part: (part.operator != ">=", str(part)))
    wanted = ", ".join(f"{part.operator} {part.version}" for part in parts)
    any_patch = any(needed.contains(f"{python}.{patch}") for patch in _PATCHES)
    return f"needs {wanted}" + (f", this is {full_version}" if any_patch else "")


def _exact(
    entry: Entry, releases: Sequence[Release], project: str, cut_off: datetime | None
) -> Pick:
    wanted = Version(entry.exact or "")
    for release in releases:
        if Version(release.version) != wanted:
            continue
        if not _before(release, cut_off):
            reason = (
                f"{project} {release.version} came on {release.first_upload:%Y-%m-%d}, "
                f"after the cut-off {cut_off:%Y-%m-%d %H:%M} UTC"
            )
            return Pick(entry, release.version, release, impossible=reason)
        return Pick(entry, release.version, release)
    newest = f"; the newest is {releases[-1].version}" if releases else ""
    return Pick(entry, str(wanted), impossible=f"{project} has no release {entry.exact}{newest}")


def _newest(releases: Sequence[Release], minors: int | None) -> tuple[list[Release], list[Release]]:
    """The newest release of each of the newest minors, and the yanked ones before it in line.

    Without a number of minors: the newest release of all.
    """
    chosen: list[Release] = []
    passed: list[Release] = []
    done: set[tuple[int, ...]] = set()
    for release in reversed(releases):
        version = Version(release.version)
        minor = (version.epoch, version.major, version.minor)
        if minor in done:
            continue
        if release.yanked is not None:
            passed.append(release)
            continue
        chosen.append(release)
        done.add(minor)
        if len(chosen) == (minors or 1):
            break
    return chosen, passed


def _before(release: Release, cut_off: datetime | None) -> bool:
    """Whether a resolver with that cut-off sees the release. Unknown times are seen."""
    return cut_off is None or release.first_upload is None or release.first_upload < cut_off
