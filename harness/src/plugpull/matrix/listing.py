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
        as_of: The day of the cut-off, and what asked for it.
        remarks: The reason, if it is not scheduled, and everything else worth knowing.
    """

    cell: str
    state: str
    python: str
    as_of: str
    remarks: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Everything but the remarks, as shown."""
        return (self.cell, self.state, self.python, self.as_of)


def rows(plan: Plan) -> list[Row]:
    """The plan's cells in their order."""
    return [_row(plan, cell) for cell in plan.cells]


def list_cells(plan: Plan, console: Console) -> None:
    """Print a line for each cell, however long, and one with the numbers."""
    # Most nox processes print no table, and rich takes a while to import.
    from rich.text import Text  # noqa: PLC0415

    all_rows = rows(plan)
    titles = Row("cell", "state", "Python", "as of", "remarks")
    widths = [max(len(row.columns[at]) for row in [titles, *all_rows]) for at in range(4)]
    for row in [titles, *all_rows]:
        style = "bold" if row is titles else _STYLES[row.state]
        padded = [column.ljust(width) for column, width in zip(row.columns, widths, strict=False)]
        # Never cut and never folded: a line in a pipe is there to be searched.
        line = Text("  ".join([*padded, row.remarks]).rstrip(), style=style)
        console.print(line, soft_wrap=True)
    counts = Counter(row.state for row in all_rows)
    parts = [f"{counts[state]} {state}" for state in _STYLES if counts[state]]
    cells = f"{len(all_rows)} cell{'s' * (len(all_rows) != 1)}"
    console.print(f"{cells}: {', '.join(parts)}", highlight=False, soft_wrap=True)


def _row(plan: Plan, cell: Cell) -> Row:
    found = plan.interpreter(cell)
    remarks: list[str] = []
    if cell.excluded is not None:
        state, remarks = "excluded", [cell.excluded]
    elif cell.impossible is not None:
        state, remarks = "ERROR", [" ".join(cell.impossible.split())]
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
        as_of=f"{as_of[:10]} ({cell.resolution.as_of_asked})" if as_of else "",
        remarks="; ".join(remarks),
    )
