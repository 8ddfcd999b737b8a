"""From an entry of the declaration to releases that exist.

Open entries pass over yanked releases, and over pre-releases unless they ask for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import Version

from plugpull._version import __version__
from plugpull.matrix.entries import Entry, parse_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from plugpull.matrix.index import Release
    from plugpull.matrix.sources import Source

__all__ = ["Entry", "Pick", "matches", "parse_entry", "resolve", "supports"]

#: Higher than any patch release of any Python.
_PATCHES = range(64)


@dataclass(frozen=True, slots=True)
class Pick:
    """One version that an entry led to, or the reason why it led to none.

    Attributes:
        entry: The entry.
        version: The release's version; the entry's own text if there is no such release.
        release: What the index knows of it. ``None`` if there is no such release.
        notes: Remarks for people.
        impossible: Why there is no release. ``None`` if there is one.
        source: For a reference: what it led to.
    """

    entry: Entry
    version: str
    release: Release | None = None
    notes: tuple[str, ...] = ()
    impossible: str | None = None
    source: Source | None = None


def resolve(
    entry: Entry,
    releases: Sequence[Release],
    *,
    project: str,
    cut_off: datetime | None = None,
    answered: Sequence[str] = (),
) -> tuple[Pick, ...]:
    """The releases that an entry stands for: at least one pick, perhaps an impossible one.

    Args:
        entry: The entry, which is no reference.
        releases: All of the project's, the oldest version first.
        project: The distribution's name, for texts.
        cut_off: Releases that came later do not exist for this entry. ``None`` sees all.
        answered: The ranges of versions in which the target can be asked anything, for ``lowest``.
    """
    if entry.harness:
        return (Pick(entry, __version__),)
    if entry.exact is not None:
        return (_exact(entry, releases, project, cut_off),)
    seen = [release for release in releases if _before(release, cut_off)]
    allow = entry.pre or bool(SpecifierSet(entry.specifier).prereleases)
    fitting = [
        release
        for release in seen
        if matches(release.version, entry.specifier)
        and (allow or not Version(release.version).is_prerelease)
        and (not entry.lowest or _any_matches(release.version, answered))
    ]
    chosen, passed = _chosen(entry, fitting)
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


def _chosen(entry: Entry, fitting: Sequence[Release]) -> tuple[list[Release], list[Release]]:
    """What an open entry takes, and the yanked releases that it passed over on its way."""
    if entry.lowest:
        return _one_of_each(fitting, lambda _: (), 1)
    newest_first = list(reversed(fitting))
    if entry.majors:
        return _one_of_each(newest_first, lambda v: (v.epoch, v.major), len(fitting))
    return _one_of_each(newest_first, lambda v: (v.epoch, v.major, v.minor), entry.minors or 1)


def _one_of_each(
    releases: Sequence[Release], line: Callable[[Version], tuple[int, ...]], most: int
) -> tuple[list[Release], list[Release]]:
    """The first release of each line that is not yanked, and the yanked ones before it."""
    chosen: list[Release] = []
    passed: list[Release] = []
    done: set[tuple[int, ...]] = set()
    for release in releases:
        of = line(Version(release.version))
        if of in done:
            continue
        if release.yanked is not None:
            passed.append(release)
            continue
        chosen.append(release)
        done.add(of)
        if len(chosen) == most:
            break
    return chosen, passed


def _any_matches(version: str, ranges: Sequence[str]) -> bool:
    return not ranges or any(matches(version, one) for one in ranges)


def _before(release: Release, cut_off: datetime | None) -> bool:
    """Whether a resolver with that cut-off sees the release. Unknown times are seen."""
    return cut_off is None or release.first_upload is None or release.first_upload < cut_off
