"""The plan of one run: resolved once, in the parent process, and read by everyone else.

Sessions run in processes of their own. They must agree on what ``latest`` is and on where each
Python lies, so nothing is looked up twice: the plan is a file, and its path is handed on.
"""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.errors import UsageError
from plugpull.matrix.cells import Cell
from plugpull.matrix.files import read_object, write_json
from plugpull.matrix.interpreters import Interpreter, Missing
from plugpull.matrix.options import MatrixOptions
from plugpull.matrix.selection import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

__all__ = ["PLAN_VERSION", "Plan", "read_plan"]

#: Raised when an older reader could not understand the file any more.
PLAN_VERSION = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """What one run does.

    Attributes:
        cells: The selected cells: those to be run, the excluded, and the impossible.
        options: What the user asked for.
        created: When the plan was made (RFC 3339, UTC).
        results: The folder for results.
        root: The checkout.
        pending: The sessions of the cells that must run. The others' results are up to date, or
            they cannot run.
        interpreters: What was found for each Python of the cells.
        selections: What runs within a cell, by session, where ``--only`` says so.
    """

    cells: tuple[Cell, ...]
    options: MatrixOptions
    created: str
    results: Path
    root: Path
    pending: tuple[str, ...] = ()
    interpreters: dict[str, Interpreter | Missing] = field(default_factory=dict)
    selections: dict[str, Selection] = field(default_factory=dict)

    def cell(self, session: str) -> Cell:
        """The cell with that session.

        Raises:
            UsageError: The plan has none.
        """
        for cell in self.cells:
            if cell.session == session:
                return cell
        raise UsageError(f"the plan has no cell {session}", then="nox -s list shows the cells")

    def selection(self, cell: Cell) -> Selection:
        """What runs within a cell. Everything by default."""
        return self.selections.get(cell.session, Selection())

    def interpreter(self, cell: Cell) -> Interpreter | Missing:
        """The cell's Python, or that it is missing."""
        return self.interpreters.get(cell.python) or Missing(cell.python)

    def not_run(self, cell: Cell) -> str | None:
        """Why a cell cannot be run at all; ``None`` if it can."""
        if cell.excluded is not None:
            return f"excluded ({cell.excluded})"
        if cell.impossible is not None:
            return cell.impossible
        interpreter = self.interpreter(cell)
        return f"not run: {interpreter.reason}" if isinstance(interpreter, Missing) else None

    def result_file(self, cell: Cell) -> Path:
        """Where a cell's results are."""
        return self.results / "cells" / f"{cell.session}.json"

    def with_pending(
        self,
        needs_run: Callable[[Plan, Cell, Path], bool],
        sessions: Collection[str] | None = None,
    ) -> Plan:
        """The plan that knows which cells must run.

        Args:
            needs_run: Says so for a cell that was run before. It may take a while, so several
                cells are asked about at once.
            sessions: The cells it is about. All if not given.
        """
        able = [
            cell
            for cell in self.cells
            if self.not_run(cell) is None and (sessions is None or cell.session in sessions)
        ]

        def asks(cell: Cell) -> bool:
            known = self.result_file(cell).exists() and not self.options.fresh
            return not known or needs_run(self, cell, self.root)

        with ThreadPoolExecutor(max_workers=4) as pool:
            answers = list(pool.map(asks, able))
        pending = [cell for cell, runs in zip(able, answers, strict=True) if runs]
        return replace(self, pending=tuple(cell.session for cell in _in_turn(pending)))

    def to_json(self) -> dict[str, Any]:
        """A JSON object that :func:`read_plan` takes back from a file."""
        return {
            "plan": PLAN_VERSION,
            "created": self.created,
            "results": str(self.results),
            "options": self.options.to_json(),
            "pending": list(self.pending),
            "interpreters": {name: found.to_json() for name, found in self.interpreters.items()},
            "selections": {
                session: {"scenarios": list(s.scenarios), "variants": list(s.variants)}
                for session, s in self.selections.items()
            },
            "cells": [cell.to_json() for cell in self.cells],
        }

    def write(self, path: Path) -> None:
        """Write the plan, whole or not at all."""
        write_json(path, self.to_json())


def read_plan(path: Path, root: Path) -> Plan:
    """The plan that :meth:`Plan.write` wrote.

    Raises:
        UsageError: The file is not there, damaged, or another version's.
    """
    then = "nox -s matrix makes a new one"
    try:
        data = read_object(path)
    except OSError as error:
        raise UsageError(f"there is no plan at {path}: {error.strerror}", then=then) from error
    except ValueError as error:
        raise UsageError(f"the plan {path} is damaged: {error}", then=then) from error
    if data.get("plan") != PLAN_VERSION:
        raise UsageError(f"the plan {path} was written by another version of plugpull", then=then)
    try:
        return _plan(data, root)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UsageError(f"the plan {path} is damaged: {error!r}", then=then) from error


def now_utc() -> datetime:
    """The moment of planning."""
    return datetime.now(timezone.utc)


def _plan(data: dict[str, Any], root: Path) -> Plan:
    return Plan(
        cells=tuple(Cell.from_json(cell) for cell in data["cells"]),
        options=MatrixOptions.from_json(data["options"]),
        created=str(data["created"]),
        results=Path(data["results"]),
        root=root,
        pending=tuple(data["pending"]),
        interpreters={
            name: Interpreter(**found)
            if "path" in found
            else Missing(found["python"], tuple(found["tried"]))
            for name, found in data["interpreters"].items()
        },
        selections={
            session: Selection(tuple(one["scenarios"]), tuple(one["variants"]))
            for session, one in data["selections"].items()
        },
    )


def _in_turn(cells: Iterable[Cell]) -> list[Cell]:
    """The order in which cells start.

    Those with every scenario come first: no long one is left over when all others have ended. Of
    the others one framework follows another, because some mostly wait and some mostly compute.
    """
    seen: Counter[str] = Counter()
    turns: list[tuple[bool, int, Cell]] = []
    for cell in cells:
        turns.append((not cell.default, 0 if cell.default else seen[cell.framework], cell))
        seen[cell.framework] += 1
    return [cell for _, _, cell in sorted(turns, key=lambda turn: turn[:2])]
