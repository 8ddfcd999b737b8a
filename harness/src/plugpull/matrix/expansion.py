"""From the declaration to cells: framework x version x Python, each with what uv is asked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta, timezone
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.cells import Cell, Resolution
from plugpull.matrix.checkouts import members
from plugpull.matrix.declared import Rule
from plugpull.matrix.found import cut_off, versions_of, within
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.manifests import HARNESS
from plugpull.matrix.versions import supports

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from plugpull.matrix.declared import Declaration, Exclude, Framework
    from plugpull.matrix.entries import Entry
    from plugpull.matrix.found import Found
    from plugpull.matrix.index import Index, Release
    from plugpull.matrix.interpreters import Missing
    from plugpull.matrix.sources import Sources
    from plugpull.matrix.versions import Pick

__all__ = ["excludes", "expand", "rfc3339", "with_addition"]


def expand(
    frameworks: Sequence[Framework],
    declaration: Declaration,
    index: Index,
    pythons: Mapping[str, Interpreter | Missing],
    *,
    now: datetime,
    repeat: int | None = None,
    as_of: str | None = None,
    sources: Sources | None = None,
) -> list[Cell]:
    """Every cell of some frameworks: those to be run, the excluded, and the impossible.

    Args:
        frameworks: Which of the declaration's, perhaps with versions added.
        declaration: Where the rules for all and the excludes are.
        index: Asked once for each distribution.
        pythons: What was found for each Python. Cells of other Pythons are still expanded.
        now: The moment of planning, UTC.
        repeat: Overrides what the declaration says.
        as_of: Does so too.
        sources: Finds and builds versions that are no releases.

    Raises:
        UsageError: An exclude matches nothing, or two versions would have the same name.
        PlugpullError: The index cannot be asked.
    """
    last = Rule("", as_of=as_of)
    listed = (f for f in frameworks if not all(e.harness or e.reference for e in f.entries))
    projects = list(dict.fromkeys(framework.target.distribution for framework in listed))
    with ThreadPoolExecutor(max_workers=max(1, len(projects))) as pool:
        releases = dict(zip(projects, pool.map(index.releases, projects), strict=True))
    cells: list[Cell] = []
    for framework in frameworks:
        known = releases.get(framework.target.distribution, ())
        rules = (declaration.rule, *framework.rules, last)
        for found in versions_of(framework, known, rules, now, sources):
            of_version = []
            for python in framework.pythons:
                cell = _cell(framework, found, python, rules, now)
                if repeat is not None:
                    cell = replace(cell, repeat=repeat)
                cell = _unsupported(cell, found.first.release, pythons.get(python))
                of_version.append(_with_wheels(cell, found, rules, pythons.get(python), sources))
            cells += _mark_default(of_version, framework, found)
    return _exclude(cells, declaration.excludes, frameworks)


def rfc3339(moment: datetime) -> str:
    """A moment as uv reads it, in UTC, with whole seconds (the next one, for a part of one)."""
    if moment.microsecond:
        moment = moment.replace(microsecond=0) + timedelta(seconds=1)
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _cell(
    framework: Framework, found: Found, python: str, rules: Sequence[Rule], now: datetime
) -> Cell:
    pick = found.first
    target = framework.target
    rules = [r for r in rules if within(found.number, r.versions)]
    declared = [r.as_of for r in rules if r.as_of is not None]
    asked = declared[-1] if declared else ("release" if found.exact else "today")
    if pick.source is not None and asked == "release":
        asked = "today"  # It has none, and its dependencies are whatever there is now.
    limit = cut_off(asked, pick.release, now)
    notes = found.notes
    impossible = pick.impossible
    if pick.release is None and pick.entry.exact is not None and impossible is not None:
        # uv is asked all the same: its own words belong into the row, and take it a moment.
        notes, impossible = (*notes, impossible), None
    elif limit is None and impossible is None and not pick.entry.harness:
        notes = (*notes, "the index gives no upload times: resolved without a cut-off")
    plain, _ = members(text for r in rules for text in r.requirements)
    resolution = Resolution(
        requirements=(
            *_pin(pick, target.distribution),
            *target.companions,
            *plain,
        ),
        constraints=tuple(text for r in rules for text in r.constraints),
        as_of=None if limit is None else rfc3339(limit),
        as_of_asked=asked,
        npm=tuple(dict.fromkeys(text for r in rules for text in r.npm)),
    )
    origin = pick.source.origin if pick.source else None
    return Cell(
        framework=framework.name,
        distribution=target.distribution,
        version=pick.version,
        python=python,
        target=target.name,
        asked=", ".join(each.entry.label for each in found.picks),
        resolution=resolution,
        source=origin.kind if origin else "harness" if pick.entry.harness else "index",
        repeat=[r.repeat for r in rules if r.repeat is not None][-1],
        yanked=pick.release.yanked if pick.release is not None else None,
        notes=notes,
        impossible=impossible,
        origin=origin,
    )


def _pin(pick: Pick, distribution: str) -> tuple[str, ...]:
    """The requirement that says which version is under test."""
    if pick.entry.harness:
        return ()
    if pick.source is None:
        return (f"{distribution}=={pick.version}",)
    return (pick.source.requirement(distribution),)


def _with_wheels(
    cell: Cell,
    found: Found,
    rules: Sequence[Rule],
    python: Interpreter | Missing | None,
    sources: Sources | None,
) -> Cell:
    """The cell with what was built for its Python, other packages of the checkout as well.

    Not every commit has every package, and an unpacked sdist has no other: those that are not there
    come from the index, as a release's do. A build that fails makes the cell impossible.
    """
    source = found.first.source
    if source is None or sources is None or not cell.runs or not isinstance(python, Interpreter):
        return cell
    texts = [t for r in rules if within(found.number, r.versions) for t in r.requirements]
    others, absent = sources.at_hand(source, members(texts)[1])
    try:
        wheels = sources.wheels(source, cell.distribution, others, python)
    except PlugpullError as error:
        return replace(cell, impossible=str(error))
    first, *rest = cell.resolution.requirements
    built = tuple(source.requirement(one.name, one.folder) for one in others)
    resolution = replace(cell.resolution, requirements=(first, *built, *rest), wheels=wheels)
    notes = tuple(f"{one.name} is not built: there is no {one.folder}" for one in absent)
    return replace(cell, resolution=resolution, notes=(*cell.notes, *notes))


def _mark_default(cells: list[Cell], framework: Framework, found: Found) -> list[Cell]:
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
    cells: list[Cell], declared: Iterable[Exclude], frameworks: Sequence[Framework]
) -> list[Cell]:
    names = {framework.name for framework in frameworks}
    for exclude in declared:
        if exclude.framework not in names:
            continue  # Not planned this time, so nobody knows whether it matches.
        hits = [at for at, cell in enumerate(cells) if excludes(exclude, cell)]
        if not hits:
            raise UsageError(
                f'{exclude.place} versions: "{exclude.versions}" matches no version of '
                f"{exclude.framework} in the matrix",
                then="remove the exclude, or correct it",
            )
        for at in hits:
            cells[at] = replace(cells[at], excluded=exclude.reason, impossible=None)
    return cells


def excludes(exclude: Exclude, cell: Cell) -> bool:
    """Whether the declaration says that a cell is not run."""
    return (
        cell.framework == exclude.framework
        and exclude.python in {None, cell.python}
        and within(cell.origin.version if cell.origin else cell.version, exclude.versions)
    )


def with_addition(framework: Framework, entry: Entry) -> tuple[Framework, Entry]:
    """The framework with one more version, unless it is there already, and its entry there.

    Raises:
        UsageError: The framework comes with the harness, and has the harness's version only.
    """
    if framework.target.distribution == HARNESS:
        raise UsageError(
            f"--add {framework.name}@{entry.text}: it comes with the harness, in its version",
            then=f'declare versions = ["harness"], and choose it with --only {framework.name}',
        )
    for there in framework.entries:
        if entry.meaning == there.meaning:
            return framework, there
    return replace(framework, entries=(*framework.entries, entry)), entry
