"""Making the plan: the declaration, the posargs and the index, put together once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.check_only import unknown_part
from plugpull.matrix.declaration import read_declaration, undeclared
from plugpull.matrix.entries import parse_entry
from plugpull.matrix.entrynames import check_names
from plugpull.matrix.environments import State
from plugpull.matrix.expansion import expand, rfc3339, with_addition
from plugpull.matrix.expectations import read_expectations
from plugpull.matrix.files import clear_abandoned
from plugpull.matrix.interpreters import find_all
from plugpull.matrix.older import pythons_of, without_the_middle
from plugpull.matrix.plan import Plan, now_utc
from plugpull.matrix.selection import Selection, may_concern, select
from plugpull.matrix.sources import Sources
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.declared import Declaration, Framework
    from plugpull.matrix.index import Index
    from plugpull.matrix.interpreters import Interpreter, Missing
    from plugpull.matrix.manifests import TargetFacts
    from plugpull.matrix.options import MatrixOptions

    Finder = Callable[[Iterable[str]], Mapping[str, Interpreter | Missing]]

__all__ = ["make_plan"]


def make_plan(
    options: MatrixOptions,
    *,
    root: Path,
    index: Index,
    now: datetime | None = None,
    find: Finder | None = None,
    pythons_named: Collection[str] = (),
) -> Plan:
    """Resolve everything that can be resolved before the first session.

    Args:
        options: The posargs.
        root: The checkout, with ``targets/`` in it.
        index: Where releases are looked up.
        now: The moment of planning (UTC). The clock's if not given.
        find: Finds the interpreters. :func:`find_all` if not given.
        pythons_named: Pythons that nox itself was asked for, in the names of sessions say.

    Raises:
        UsageError: The declaration or an option says something that cannot be meant.
        PlugpullError: The index cannot be asked.
    """
    moment = now or now_utc()
    targets = root / "targets"
    declaration = read_declaration(Path(options.matrix), targets)
    _check_pythons(options, declaration)
    expectations = read_expectations(Path(options.expectations)) if options.expectations else None
    frameworks, added = _frameworks(options, declaration, targets)
    pythons = [
        python
        for python in dict.fromkeys(p for framework in frameworks for p in framework.pythons)
        if not options.python or python in options.python
    ]
    found = find(pythons) if find else find_all(pythons, download=options.download_python)
    state = State(root / ".plugpull").root
    clear_abandoned(state)
    cells = expand(
        frameworks,
        declaration,
        index,
        found,
        now=moment,
        repeat=options.repeat,
        as_of=options.as_of,
        sources=Sources(state, found),
    )
    named = {*pythons_named, *options.python, *pythons_of(options.only)}
    cells = without_the_middle(cells, declaration.older, asked=named, added=added)
    cells = _leave_out(cells, frameworks, options, added)
    if expectations is not None:
        everything = {f.name: f for f in (*declaration.frameworks, *frameworks)}
        check_names(expectations, everything, cells)
    declared = [framework.name for framework in declaration.frameworks]
    chosen = _choose(cells, options, {f.name: f.target for f in frameworks}, added, declared)
    return Plan(
        cells=tuple(cell for cell, _ in chosen),
        options=options,
        created=rfc3339(moment.replace(microsecond=0)),
        results=Path(options.results),
        root=root,
        interpreters=dict(found),
        selections={cell.session: one for cell, one in chosen if one.scenarios or one.variants},
    )


def _check_pythons(options: MatrixOptions, declaration: Declaration) -> None:
    for python in options.python:
        if python not in declaration.pythons:
            raise UsageError(
                f"--python {python}: {declaration.path} does not have it",
                then=f"it has: {', '.join(declaration.pythons)}",
            )


def _frameworks(
    options: MatrixOptions, declaration: Declaration, targets: Path
) -> tuple[list[Framework], dict[str, set[str]]]:
    """The frameworks that have something to do, and the entries that ``--add`` asks of them."""
    frameworks = {framework.name: framework for framework in declaration.frameworks}
    by_distribution = {f.target.distribution: name for name, f in frameworks.items()}
    added: dict[str, set[str]] = {}
    for asked, text in options.add:
        name = asked if asked in frameworks else by_distribution.get(asked, asked)
        framework = frameworks.get(name) or undeclared(name, declaration, targets)
        try:
            entry = parse_entry(text)
        except ValueError as error:
            raise UsageError(f"--add {asked}@{text}: {error}") from error
        if entry.reference is not None and (place := entry.reference.missing) is not None:
            raise UsageError(
                f"--add {asked}@{text}: there is no {place}",
                then="name a folder, a wheel, an sdist or a repository that is there",
            )
        frameworks[name], there = with_addition(framework, entry)
        added.setdefault(name, set()).add(there.label)
    chosen = [
        framework
        for name, framework in frameworks.items()
        if name in added or may_concern(options.only, name)
    ]
    return chosen, added


def _leave_out(
    cells: Iterable[Cell],
    frameworks: Iterable[Framework],
    options: MatrixOptions,
    added: Mapping[str, set[str]],
) -> list[Cell]:
    """Mark the cells of frameworks that run only when they are asked for, unless they are.

    A glob asks for whatever there is, and not for one of them.
    """
    named = [selector.split("/")[0] for selector in options.only]
    off = {
        framework.name: framework.off
        for framework in frameworks
        if framework.off
        and not (options.all or framework.name in added)
        and not any(one == framework.name or one.startswith(f"{framework.name}-") for one in named)
    }
    return [
        replace(cell, excluded=f"off by default: {off[cell.framework]}; --only {cell.framework}")
        if cell.framework in off and cell.excluded is None
        else cell
        for cell in cells
    ]


def _choose(
    cells: Sequence[Cell],
    options: MatrixOptions,
    targets: Mapping[str, TargetFacts],
    added: Mapping[str, set[str]],
    declared: Iterable[str],
) -> list[tuple[Cell, Selection]]:
    """The selected cells, each with what runs in it.

    Raises:
        UsageError: A selector matches nothing, or nothing is left.
    """
    matched: set[str] = set()
    chosen: list[tuple[Cell, Selection]] = []
    for cell in cells:
        target = targets[cell.framework]
        matched.update(one for one in options.only if select([one], cell, target) is not None)
        if options.python and cell.python not in options.python:
            continue
        selection = select(options.only, cell, target) if options.only else Selection()
        if selection is None and _is_added(cell, added):
            selection = Selection()  # Asked for by name: --only speaks of the declared cells.
        if selection is not None:
            chosen.append((cell, selection))
    for selector in options.only:
        if selector not in matched:
            raise _matches_nothing(selector, cells, targets, declared)
    if not chosen:
        raise UsageError(
            "nothing is selected: no cell is within both --only and --python",
            then="nox -s list shows the cells",
        )
    return chosen


def _matches_nothing(
    selector: str,
    cells: Sequence[Cell],
    targets: Mapping[str, TargetFacts],
    declared: Iterable[str],
) -> UsageError:
    """The error for a selector, with the nearest name of the part that there is not."""
    parts = selector.split("/")
    inner = parts[2:]
    front = "/".join(parts[:2])
    for cell in cells if inner else ():
        if select([front], cell, targets[cell.framework]) is not None:
            unknown = unknown_part(inner, targets[cell.framework])
            if unknown is not None:
                return unknown.error(selector)
    names = [*declared, *(cell.id for cell in cells), *(cell.id.split("/")[0] for cell in cells)]
    near = suggestion(parts[0], names) if parts[0] not in names else ""
    return UsageError(
        f"--only {selector}: nothing matches",
        why="a prefix ends at / or is a framework's whole name; anything else is a glob",
        then=near or "nox -s list shows the cells",
    )


def _is_added(cell: Cell, added: Mapping[str, set[str]]) -> bool:
    return not added.get(cell.framework, set()).isdisjoint(cell.asked.split(", "))
