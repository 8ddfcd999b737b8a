"""The versions of a framework: what all its entries lead to, none twice, and as of when."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.index import Release
from plugpull.matrix.references import PATH
from plugpull.matrix.versions import Pick, matches, resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.declared import Framework, Rule
    from plugpull.matrix.entries import Entry
    from plugpull.matrix.sources import Sources

__all__ = ["Found", "cut_off", "versions_of", "within"]

#: A release's dependencies may have been published in the same push, a little later.
RELEASE_GRACE = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class Found:
    """One version of a framework, and every entry that led to it."""

    picks: tuple[Pick, ...]

    @property
    def first(self) -> Pick:
        """What the first entry led to."""
        return self.picks[0]

    @property
    def exact(self) -> bool:
        """Whether some entry named this very version."""
        return any(pick.entry.exact is not None for pick in self.picks)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of all entries; for each open one that joined, where it leads."""
        joined = tuple(
            f"{pick.entry.text} is {pick.version}"
            for pick in self.picks
            if pick.entry.exact is None and len(self.picks) > 1
        )
        said = (note for pick in self.picks for note in pick.notes)
        return tuple(dict.fromkeys((*joined, *said)))

    @property
    def number(self) -> str:
        """The version that ranges are compared with: of what is no release, what it says itself."""
        return self.first.release.version if self.first.release else self.first.version


def cut_off(asked: str, release: Release | None, now: datetime) -> datetime | None:
    """The moment from which on no file is seen any more; ``None`` if it cannot be known.

    Args:
        asked: ``"release"`` (48 hours after the release's last file), ``"today"`` or a date (the
            end of that day, UTC).
        release: The release, for ``"release"``.
        now: The moment of planning, UTC.
    """
    if asked == "release":
        if release is None or release.last_upload is None:
            return None
        return release.last_upload + RELEASE_GRACE
    day = now.date() if asked == "today" else date.fromisoformat(asked)
    return datetime.combine(day + timedelta(days=1), time(), timezone.utc)


def versions_of(
    framework: Framework,
    releases: Sequence[Release],
    rules: Sequence[Rule],
    now: datetime,
    sources: Sources | None,
) -> list[Found]:
    """The framework's versions in the order of its entries, none twice."""
    declared = [r.as_of for r in rules if r.as_of is not None and not r.versions]
    # "release" is a cut-off for the dependencies. It says nothing about which release.
    limit = cut_off(declared[-1], None, now) if declared else None
    target = framework.target
    found: dict[str, Found] = {}
    for entry in framework.entries:
        if entry.reference is not None:
            picks: tuple[Pick, ...] = (_from_source(entry, target.distribution, limit, sources),)
        else:
            picks = resolve(
                entry,
                releases,
                project=target.distribution,
                cut_off=limit,
                answered=target.answered,
            )
        for pick in picks:
            is_release = pick.impossible is None and pick.source is None
            key = str(Version(pick.version)) if is_release else pick.version
            earlier = found[key].picks if key in found else ()
            if earlier:
                _check_same(framework.name, earlier[0], pick)
            found[key] = Found((*earlier, pick))
    return list(found.values())


def _from_source(
    entry: Entry, distribution: str, before: datetime | None, sources: Sources | None
) -> Pick:
    """What a reference led to. That it led nowhere is one cell's misfortune, not the matrix's."""
    assert entry.reference is not None
    if sources is None:
        raise PlugpullError(f"{entry.text}: nothing can be built here")
    try:
        source = sources.find(entry.reference, distribution, before=before)
    except PlugpullError as error:
        name = re.sub(r"[^A-Za-z0-9._-]+", "-", entry.reference.ref or entry.label).strip("-.")
        return Pick(entry, f"{entry.reference.kind}.{name}", impossible=str(error))
    # Its own number is all that it has of a release: no files, and no day on which they came.
    number = Release(source.origin.version, requires_python=source.requires_python)
    return Pick(entry, source.label, number, source.notes, source=source)


def _check_same(framework: str, one: Pick, other: Pick) -> None:
    first, second = one.source, other.source
    if first is None or second is None or first.origin.identity == second.origin.identity:
        return
    raise UsageError(
        f"{framework}: {one.entry.text} and {other.entry.text} would both be {other.version}",
        then="give their folders different names" if first.origin.kind == PATH else "name one",
    )


def within(version: str, specifier: str) -> bool:
    """Whether a version is in a range. An entry that led to no version is in the full one only."""
    if not specifier:
        return True
    try:
        return matches(version, specifier)
    except InvalidVersion:
        return False
