"""The table of ``nox -s list``: every cell, scheduled or not, and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugpull.matrix.interpreters import Interpreter

if TYPE_CHECKING:
    from rich.console import Console

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.plan import Plan

__all__ = ["Row", "list_cells", "rows"]

_STYLES = {"scheduled": "green", "excluded": "dim", "ERROR": "red", "not run": "yellow"}


@dataclass(frozen=True, slots=True)
class Row:
    """One cell in the table.

    Attributes:
        cell: Its session's name.
        state: ``scheduled``, ``excluded``, ``ERROR`` or ``not run``.
        python: The interpreter's full version; ``""`` if none was found.
        as_of: The cut-off, and what asked for it.
        remarks: The reason, if it is not scheduled, and everything else worth knowing.
    """

    cell: str
    state: str
    python: str
    as_of: str
    remarks: str


def rows(plan: Plan) -> list[Row]:
    """The plan's cells in their order."""
    return [_row(plan, cell) for cell in plan.cells]


def list_cells(plan: Plan, console: Console) -> None:
    """Print the table and a line with the numbers."""
    # Most nox processes print no table, and rich takes a while to import.
    from rich import box  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    all_rows = rows(plan)
    # A terminal may fold a long remark. A file or a pipe gets one line a cell, however long.
    folds = console.is_terminal
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("cell", "state", "Python", "as of"):
        table.add_column(title, no_wrap=True)
    table.add_column("remarks", no_wrap=not folds, overflow="fold")
    for row in all_rows:
        style = _STYLES.get(row.state)
        table.add_row(row.cell, row.state, row.python, row.as_of, row.remarks, style=style)
    width = None if folds else max(console.width, _width(all_rows))
    console.print(table, width=width, crop=False, markup=False)
    counts = Counter(row.state for row in all_rows)
    parts = [f"{counts[state]} {state}" for state in _STYLES if counts[state]]
    console.print(f"{len(all_rows)} cells: {', '.join(parts)}", highlight=False)


def _row(plan: Plan, cell: Cell) -> Row:
    found = plan.interpreter(cell)
    remarks: list[str] = []
    if cell.excluded is not None:
        state, remarks = "excluded", [cell.excluded]
    elif cell.impossible is not None:
        state, remarks = "ERROR", [cell.impossible]
    elif not isinstance(found, Interpreter):
        state, remarks = "not run", [found.reason]
    else:
        state = "scheduled"
    if cell.yanked is not None:
        remarks.append(f"yanked: {cell.yanked or 'no reason given'}")
    if cell.asked != cell.version and cell.impossible is None:
        remarks.append(f"declared as {cell.asked}")
    selection = plan.selection(cell)
    within = [*selection.scenarios, *selection.variants]
    if within and state == "scheduled":
        remarks.append(f"only {' '.join(within)}")
    remarks += [note for note in cell.notes if note not in remarks]
    as_of = cell.resolution.as_of
    return Row(
        cell=cell.session,
        state=state,
        python=found.version if isinstance(found, Interpreter) else "",
        as_of=f"{as_of} ({cell.resolution.as_of_asked})" if as_of else "",
        remarks="; ".join(remarks),
    )


def _width(all_rows: list[Row]) -> int:
    """Wide enough for every row as one line."""
    return (
        max(
            (
                len(r.cell) + len(r.state) + len(r.python) + len(r.as_of) + len(r.remarks)
                for r in all_rows
            ),
            default=80,
        )
        + 120
    )
