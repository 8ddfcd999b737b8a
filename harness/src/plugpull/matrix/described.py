"""The cells' sessions as nox is told of them: with a plan, or as far as the declaration goes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.declared import Declaration
    from plugpull.matrix.plan import Plan

__all__ = ["Described", "declared_cells", "other_names", "planned_cells"]


@dataclass(frozen=True, slots=True)
class Described:
    """A cell's session as far as it can be told: in a listing, without asking an index.

    Attributes:
        session: Its name.
        framework: The framework's name.
        python: ``major.minor``.
        about: One line for ``nox -l``.
        tags: What ``nox -t`` chooses by.
        leads_to: For a name like ``langgraph-latest-py3.13``: the session it stands for.
    """

    session: str
    framework: str
    python: str
    about: str
    tags: tuple[str, ...]
    leads_to: str | None = None


def planned_cells(plan: Plan, asked: Collection[str] = ()) -> list[Described]:
    """The sessions of the cells that can run.

    Args:
        plan: The plan.
        asked: Names that were asked for. One like ``langgraph-latest-py3.13`` becomes a session
            too, that leads to the cell.
    """
    cells: list[Described] = []
    for cell in plan.cells:
        if plan.not_run(cell) is not None:
            continue
        about = f"{cell.framework} {cell.version} on Python {cell.python}"
        latest = "latest" in cell.asked.split(", ")
        one = _described(cell.session, cell.framework, cell.python, about, latest=latest)
        cells.append(one)
        cells += [
            replace(one, session=name, leads_to=cell.session)
            for name in other_names(cell)
            if name in asked
        ]
    return cells


def declared_cells(declaration: Declaration) -> list[Described]:
    """The sessions as far as the declaration tells. Open entries keep their own names."""
    return [
        _described(
            f"{framework.name}-{entry.exact or entry.text}-py{python}",
            framework.name,
            python,
            f"{framework.name} {entry.exact or entry.text} on Python {python}",
            latest=entry.text == "latest",
        )
        for framework in declaration.frameworks
        for entry in framework.entries
        for python in framework.pythons
    ]


def other_names(cell: Cell) -> list[str]:
    """What else a cell's session may be called: by the open entries that led to the cell."""
    entries = [entry for entry in cell.asked.split(", ") if entry != cell.version]
    return [f"{cell.framework}-{entry}-py{cell.python}" for entry in entries]


def _described(session: str, framework: str, python: str, about: str, *, latest: bool) -> Described:
    tags = (framework, f"py{python}", *(["latest"] if latest else []))
    return Described(session, framework, python, about, tags)
