"""Repeating what differs: a change is a finding only if it comes again, or beyond chance."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plugpull.matrix.check_rows import LOOKS, Row, Side
from plugpull.matrix.prepared import prepared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.plan import Plan

__all__ = ["repeat_differences"]


def repeat_differences(
    rows: list[Row],
    cells: dict[str, tuple[Cell, Cell]],
    plan: Plan,
    *,
    most: int,
    say: Callable[[str], None],
) -> list[Row]:
    """The rows, with as many more runs as it takes to be sure of what differs.

    A changed verdict is tried once more on each side. Where runs of one side differ, both sides run
    until their shares of failures differ by more than chance, or ``most`` times.

    Args:
        rows: What has been measured.
        cells: For each Python the base's cell and the head's.
        plan: Their plan.
        most: How often each side runs at most.
        say: Tells the user what is repeated.

    Raises:
        PlugpullError: A cell that ran before does not run any more.
    """
    for _ in range(LOOKS + 1):
        wanted: dict[tuple[str, str, str], int] = {}
        for row in rows:
            more = _more(row, most)
            if more:
                place = (row.python, *row.pair)
                wanted[place] = max(more, wanted.get(place, 0))
        if not wanted:
            break
        for (python, scenario, variant), count in wanted.items():
            pair = f"{scenario}/{variant}"
            say(f"py{python}/{pair}: {count} more run{'s' * (count > 1)} of each version")
            of_pair = [
                row for row in rows if (row.python, *row.pair) == (python, scenario, variant)
            ]
            names = [row.name for row in of_pair if _more(row, most)]
            base, head = (_measured(plan, cell, scenario, variant, count) for cell in cells[python])
            rows = [
                _with(row, base, head) if row.python == python and row.name in names else row
                for row in rows
            ]
    return rows


def _more(row: Row, most: int) -> int:
    """How many more runs of each side a row needs."""
    base, head = row.base, row.head
    if base is None or head is None or not row.comparable or not row.differs:
        return 0
    fewest = min(base.runs, head.runs)
    if not row.varies:
        return 1 if fewest == 1 < most else 0
    return 0 if row.sure else max(0, min(max(fewest, 4), most - fewest))


def _measured(plan: Plan, cell: Cell, scenario: str, variant: str, count: int) -> dict[str, Side]:
    """What so many runs of one pair come to, by the results' names."""
    arguments = ["--scenario", scenario, "--variant", variant]
    arguments += ["--repeat", str(count), "--timing-repeat", str(count)]
    if plan.options.timeout is not None:
        arguments += ["--timeout", str(plan.options.timeout)]
    with prepared(plan, cell) as ready:
        file = ready.core(arguments)
    results = file.results(framework=cell.framework, version=cell.version, python=cell.python)
    return {result.id.removeprefix(f"{result.cell}/"): Side.of(result) for result in results}


def _with(row: Row, base: dict[str, Side], head: dict[str, Side]) -> Row:
    sides: Iterable[Side | None] = (
        side.plus(more[row.name]) if side is not None and row.name in more else side
        for side, more in ((row.base, base), (row.head, head))
    )
    one, other = sides
    return replace(row, base=one, head=other)
