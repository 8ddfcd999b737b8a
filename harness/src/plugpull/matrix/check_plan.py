"""From what is asked of a check to two versions and their cells."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.check_base import check_order, default_base
from plugpull.matrix.check_head import framework_of, head_of
from plugpull.matrix.check_only import check_only
from plugpull.matrix.declaration import read_declaration
from plugpull.matrix.entries import Entry, parse_entry
from plugpull.matrix.expansion import excludes, expand, rfc3339
from plugpull.matrix.files import clear_abandoned
from plugpull.matrix.freshness import state_folder
from plugpull.matrix.interpreters import Interpreter, find_all
from plugpull.matrix.model import python_order
from plugpull.matrix.plan import Plan, now_utc
from plugpull.matrix.selection import Selection, select
from plugpull.matrix.sources import Sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.check_options import CheckOptions
    from plugpull.matrix.declared import Declaration, Framework
    from plugpull.matrix.index import Index
    from plugpull.matrix.interpreters import Missing
    from plugpull.matrix.manifests import TargetFacts
    from plugpull.matrix.sources import Source

__all__ = ["CheckPlan", "plan_check"]

#: Below the folder for results: a check's cells are no part of the matrix.
FOLDER = "check"


@dataclass(frozen=True, slots=True)
class CheckPlan:
    """What a check does.

    Attributes:
        framework: The framework.
        head: What is checked.
        base: The version it is compared with, as in ids.
        why: Why it is that one.
        plan: The cells of both.
        only: Selectors over result ids. Empty selects all.
        as_of: The one cut-off of both (RFC 3339, UTC).
    """

    framework: Framework
    head: Source
    base: str
    why: str
    plan: Plan
    only: tuple[str, ...]
    as_of: str

    @property
    def pairs(self) -> list[tuple[Cell, Cell]]:
        """The base's cell and the head's, for each Python."""
        cells = {(cell.version, cell.python): cell for cell in self.plan.cells}
        return [
            (cells[self.base, python], cells[self.head.label, python])
            for python in self.framework.pythons
        ]


def plan_check(
    options: CheckOptions, *, root: Path, index: Index, say: Callable[[str], None]
) -> CheckPlan:
    """Find and build both versions, and plan their cells.

    Args:
        options: The posargs.
        root: The checkout.
        index: Where releases are looked up.
        say: Tells the user something before it happens.

    Raises:
        UsageError: Something that was asked for cannot be meant.
        PlugpullError: Something cannot be reached or built.
    """
    matrix = options.matrix
    declaration = read_declaration(Path(matrix.matrix), root / "targets")
    framework = framework_of(options, declaration, root / "targets")
    reference = head_of(options, framework)
    # Before anything is built: what is misspelt is known to be so now.
    check_only(matrix.only, framework.name, framework.target)
    if options.base is not None:
        _asked_base(options.base, options.cwd)
    found = find_all(framework.pythons, download=matrix.download_python)
    clear_abandoned(state_folder(root).root)
    sources = Sources(state_folder(root).root, found)
    say(
        f"this builds and runs the code of {reference} on this machine, as you; "
        "check what you would run anyway"
    )
    distribution = framework.target.distribution
    head = sources.find(reference, distribution)
    entry, why = _base(options, head, sources, index, distribution)
    entries = (entry, Entry(str(reference), reference=reference))
    moment = now_utc()
    cells = expand(
        [replace(framework, entries=entries, default=())],
        replace(declaration, excludes=()),
        index,
        found,
        now=moment,
        repeat=matrix.repeat,
        as_of=matrix.as_of or "today",
        sources=sources,
    )
    cells = [_excluded(cell, declaration) for cell in cells]
    _refuse_impossible(cells)
    version = next(cell.version for cell in cells if cell.version != head.label)
    if entry.reference is None:
        check_order(version, head, sources)
    cells = _same_defaults(cells, found)
    only = tuple(f"{framework.name}/py*/{text.strip().strip('/')}" for text in matrix.only)
    plan = Plan(
        cells=tuple(cells),
        options=replace(matrix, only=only),
        created=rfc3339(moment.replace(microsecond=0)),
        results=Path(matrix.results) / FOLDER,
        root=root,
        interpreters=dict(found),
        selections=_selections(only, cells, framework.target),
    )
    as_of = next((c.resolution.as_of for c in cells if c.resolution.as_of), "")
    chosen = replace(framework, entries=entries)
    return CheckPlan(chosen, head, version, why, plan, only, as_of or "")


def _base(
    options: CheckOptions, head: Source, sources: Sources, index: Index, distribution: str
) -> tuple[Entry, str]:
    if options.base is None:
        version, why = default_base(head, sources, index.releases(distribution), distribution)
        entry = parse_entry(version)
    else:
        entry, why = _asked_base(options.base, options.cwd), "as asked"
    if entry.reference is not None:
        check_order(sources.find(entry.reference, distribution), head, sources)
    return entry, why


def _asked_base(text: str, cwd: Path) -> Entry:
    try:
        entry = parse_entry(text, cwd)
    except ValueError as error:
        raise UsageError(f"--base {error}") from error
    if entry.reference is None and (entry.minors is not None or entry.majors):
        raise UsageError(f"--base {text} names several versions", then="name one")
    return entry


def _excluded(cell: Cell, declaration: Declaration) -> Cell:
    """The cell with what the declaration says against it. An exclude need not match here."""
    for exclude in declaration.excludes:
        if excludes(exclude, cell):
            return replace(cell, excluded=exclude.reason)
    return cell


def _refuse_impossible(cells: Sequence[Cell]) -> None:
    for cell in cells:
        if cell.impossible is not None:
            raise PlugpullError(f"{cell.id} cannot be made", why=cell.impossible)


def _same_defaults(cells: list[Cell], found: Mapping[str, Interpreter | Missing]) -> list[Cell]:
    """Every scenario runs on the newest Python that both versions have, on none otherwise."""
    able = [
        python
        for python in dict.fromkeys(cell.python for cell in cells)
        if all(cell.runs for cell in cells if cell.python == python)
        and isinstance(found.get(python), Interpreter)
    ]
    newest = max(able, key=python_order, default="")
    return [replace(cell, default=cell.python == newest) for cell in cells]


def _selections(
    only: Sequence[str], cells: Sequence[Cell], target: TargetFacts
) -> dict[str, Selection]:
    return {
        cell.session: (select(only, cell, target) if only else None) or Selection()
        for cell in cells
    }
