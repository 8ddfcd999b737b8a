"""From the declaration to cells: framework x version x Python, each with what uv is asked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING

from packaging.version import InvalidVersion, Version

from plugpull.errors import UsageError
from plugpull.matrix.cells import Cell, Resolution
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.manifests import HARNESS
from plugpull.matrix.versions import matches, resolve, supports

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from plugpull.matrix.declared import Declaration, Exclude, Framework, Rule
    from plugpull.matrix.index import Index, Release
    from plugpull.matrix.interpreters import Missing
    from plugpull.matrix.versions import Entry, Pick

__all__ = ["cut_off", "expand", "rfc3339", "with_addition"]

#: A release's dependencies may have been published in the same push, a little later.
RELEASE_GRACE = timedelta(hours=48)


@dataclass(frozen=True, slots=True)
class _Found:
    """One version of a framework, and every entry that led to it."""

    picks: tuple[Pick, ...]

    @property
    def first(self) -> Pick:
        return self.picks[0]

    @property
    def exact(self) -> bool:
        return any(pick.entry.exact is not None for pick in self.picks)

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks of all entries; for each open one that joined, where it leads."""
        joined = tuple(
            f"{pick.entry.text} is {pick.version}"
            for pick in self.picks
            if pick.entry.exact is None and len(self.picks) > 1
        )
        return (*joined, *(note for pick in self.picks for note in pick.notes))


def expand(
    frameworks: Sequence[Framework],
    declaration: Declaration,
    index: Index,
    pythons: Mapping[str, Interpreter | Missing],
    *,
    now: datetime,
    repeat: int | None = None,
) -> list[Cell]:
    """Every cell of some frameworks: those to be run, the excluded, and the impossible.

    Args:
        frameworks: Which of the declaration's, perhaps with versions added.
        declaration: Where the rules for all and the excludes are.
        index: Asked once for each distribution.
        pythons: What was found for each Python. Cells of other Pythons are still expanded.
        now: The moment of planning, UTC.
        repeat: Overrides what the declaration says.

    Raises:
        UsageError: An exclude matches nothing.
        PlugpullError: The index cannot be asked.
    """
    listed = (f for f in frameworks if not all(entry.harness for entry in f.entries))
    projects = list(dict.fromkeys(framework.target.distribution for framework in listed))
    with ThreadPoolExecutor(max_workers=max(1, len(projects))) as pool:
        releases = dict(zip(projects, pool.map(index.releases, projects), strict=True))
    cells: list[Cell] = []
    for framework in frameworks:
        known = releases.get(framework.target.distribution, ())
        for found in _versions(framework, known, declaration.rule, now):
            of_version = []
            for python in framework.pythons:
                cell = _cell(framework, found, python, declaration.rule, now)
                if repeat is not None:
                    cell = replace(cell, repeat=repeat)
                of_version.append(_unsupported(cell, found.first.release, pythons.get(python)))
            cells += _mark_default(of_version, framework, found)
    return _exclude(cells, declaration.excludes, frameworks)


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


def rfc3339(moment: datetime) -> str:
    """A moment as uv reads it, in UTC, with whole seconds (the next one, for a part of one)."""
    if moment.microsecond:
        moment = moment.replace(microsecond=0) + timedelta(seconds=1)
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _versions(
    framework: Framework, releases: Sequence[Release], rule: Rule, now: datetime
) -> list[_Found]:
    """The framework's versions in the order of its entries, none twice."""
    asked = next((r.as_of for r in (*framework.rules[:1], rule) if r.as_of is not None), None)
    found: dict[str, _Found] = {}
    for entry in framework.entries:
        # "release" is a cut-off for the dependencies. It says nothing about which release.
        limit = cut_off(asked, None, now) if asked is not None else None
        for pick in resolve(entry, releases, project=framework.target.distribution, cut_off=limit):
            key = str(Version(pick.version)) if pick.impossible is None else pick.version
            earlier = found[key].picks if key in found else ()
            found[key] = _Found((*earlier, pick))
    return list(found.values())


def _cell(framework: Framework, found: _Found, python: str, rule: Rule, now: datetime) -> Cell:
    pick = found.first
    target = framework.target
    rules = [rule, *(r for r in framework.rules if _within(pick.version, r.versions))]
    declared = [r.as_of for r in rules if r.as_of is not None]
    asked = declared[-1] if declared else ("release" if found.exact else "today")
    limit = cut_off(asked, pick.release, now)
    notes = found.notes
    impossible = pick.impossible
    if pick.release is None and pick.entry.exact is not None and impossible is not None:
        # uv is asked all the same: its own words belong into the row, and take it a moment.
        notes, impossible = (*notes, impossible), None
    elif limit is None and impossible is None and not pick.entry.harness:
        notes = (*notes, "the index gives no upload times: resolved without a cut-off")
    resolution = Resolution(
        requirements=(
            *(() if pick.entry.harness else (f"{target.distribution}=={pick.version}",)),
            *target.companions,
            *(text for r in rules for text in r.requirements),
        ),
        constraints=tuple(text for r in rules for text in r.constraints),
        as_of=None if limit is None else rfc3339(limit),
        as_of_asked=asked,
    )
    return Cell(
        framework=framework.name,
        distribution=target.distribution,
        version=pick.version,
        python=python,
        target=target.name,
        asked=", ".join(each.entry.text.strip() for each in found.picks),
        resolution=resolution,
        source="harness" if pick.entry.harness else "index",
        repeat=[r.repeat for r in rules if r.repeat is not None][-1],
        yanked=pick.release.yanked if pick.release is not None else None,
        notes=notes,
        impossible=impossible,
    )


def _mark_default(cells: list[Cell], framework: Framework, found: _Found) -> list[Cell]:
    """The newest Python that a default version supports runs every scenario, others the base."""
    texts = {pick.entry.text.strip() for pick in found.picks}
    wanted = not framework.default or bool(texts & set(framework.default))
    supported = [cell.python for cell in cells if cell.excluded is None]
    newest = max(supported, key=_minor, default="")
    return [replace(cell, default=wanted and cell.python == newest) for cell in cells]


def _minor(python: str) -> tuple[int, ...]:
    return tuple(int(part) for part in python.split("."))


def _unsupported(cell: Cell, release: Release | None, python: Interpreter | Missing | None) -> Cell:
    if release is None or cell.impossible is not None:
        return cell
    full = python.version if isinstance(python, Interpreter) else None
    return replace(cell, excluded=supports(release, cell.python, full))


def _exclude(
    cells: list[Cell], excludes: Iterable[Exclude], frameworks: Sequence[Framework]
) -> list[Cell]:
    names = {framework.name for framework in frameworks}
    for exclude in excludes:
        if exclude.framework not in names:
            continue  # Not planned this time, so nobody knows whether it matches.
        hits = [at for at, cell in enumerate(cells) if _excludes(exclude, cell)]
        if not hits:
            raise UsageError(
                f'{exclude.place} versions: "{exclude.versions}" matches no version of '
                f"{exclude.framework} in the matrix",
                then="remove the exclude, or correct it",
            )
        for at in hits:
            cells[at] = replace(cells[at], excluded=exclude.reason, impossible=None)
    return cells


def _excludes(exclude: Exclude, cell: Cell) -> bool:
    return (
        cell.framework == exclude.framework
        and exclude.python in {None, cell.python}
        and _within(cell.version, exclude.versions)
    )


def _within(version: str, specifier: str) -> bool:
    """Whether a version is in a range. An entry that led to no version is in the full one only."""
    if not specifier:
        return True
    try:
        return matches(version, specifier)
    except InvalidVersion:
        return False


def with_addition(framework: Framework, entry: Entry) -> Framework:
    """The framework with one more version, unless it is there already.

    Raises:
        UsageError: The framework comes with the harness, and has the harness's version only.
    """
    if framework.target.distribution == HARNESS:
        raise UsageError(
            f"--add {framework.name}=={entry.text}: it comes with the harness, in its version",
            then=f'declare versions = ["harness"], and choose it with --only {framework.name}',
        )
    if any(entry.meaning == there.meaning for there in framework.entries):
        return framework
    return replace(framework, entries=(*framework.entries, entry))
