"""The table before it is drawn: what stands in which row and column, and what is said beneath.

The terminal's table and the Markdown page are two drawings of this one model, so they cannot
disagree. Layout, colours and widths are the drawings' own affair.
"""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

from plugpull.matrix.expected import EXPECTED, STALE
from plugpull.matrix.model import (
    NOT_SUPPORTED,
    NOTHING,
    Grid,
    Group,
    Mark,
    Row,
    Section,
    python_order,
    pythons_label,
    version_order,
)
from plugpull.matrix.records import ERROR, EXCLUDED, NOT_RUN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.matrix.records import CellRecord, Collected
    from plugpull.matrix.results import Result

__all__ = ["summarise"]


_T = TypeVar("_T")
_Column = tuple[str, str]
"""Variant and fault point. A point with several results, one for each call say, is one column."""

_WORST_FIRST = ("ERROR", "FAIL", "PASS")


def summarise(collected: Collected) -> tuple[Section, ...]:
    """The tables of a collected matrix."""
    sections = []
    shown: set[str] = set()
    for scenario in _unique(result.scenario for result in collected.results):
        results = [result for result in collected.results if result.scenario == scenario]
        frameworks = _unique(result.framework for result in results)
        shown.update(frameworks)
        by_columns: dict[tuple[_Column, ...], list[str]] = {}
        for framework in frameworks:
            own = [result for result in results if result.framework == framework]
            by_columns.setdefault(_columns(own), []).append(framework)
        grids = [
            _grid(columns, names, scenario, results, collected.cells)
            for columns, names in by_columns.items()
        ]
        sections.append(Section(scenario, tuple(grids)))
    rest = [cell for cell in collected.cells if cell.framework not in shown]
    if rest:
        rows = _rows(rest, (), "", {})
        sections.append(Section("", (Grid((), tuple(rows)),)))
    return tuple(sections)


def _grid(
    columns: tuple[_Column, ...],
    frameworks: list[str],
    scenario: str,
    results: list[Result],
    cells: Sequence[CellRecord],
) -> Grid:
    by_cell: dict[str, list[Result]] = {}
    for result in results:
        by_cell.setdefault(result.cell, []).append(result)
    variants = {variant for variant, _ in columns}
    groups = []
    for variant, grouped in groupby(columns, key=lambda column: column[0]):
        # A framework's only variant needs no name.
        label = "" if variants == {"default"} else variant
        groups.append(Group(label, tuple(point for _, point in grouped)))
    rows: list[Row] = []
    for framework in frameworks:
        own = [cell for cell in cells if cell.framework == framework]
        rows += _rows(own, columns, scenario, by_cell)
    return Grid(tuple(groups), tuple(rows))


def _rows(
    cells: Sequence[CellRecord],
    columns: tuple[_Column, ...],
    scenario: str,
    by_cell: dict[str, list[Result]],
) -> list[Row]:
    """One row per version and set of Pythons that agree, the lowest Python first."""
    rows = []
    versions = _unique((cell.framework, cell.version) for cell in cells)
    for framework, version in sorted(versions, key=lambda each: version_order(each[1])):
        agreeing: dict[object, list[CellRecord]] = {}
        own = [cell for cell in cells if (cell.framework, cell.version) == (framework, version)]
        for cell in sorted(own, key=lambda cell: python_order(cell.python)):
            sight = _sight(cell, columns, scenario, by_cell.get(cell.id, []))
            agreeing.setdefault(sight, []).append(cell)
        for together in agreeing.values():
            placed = [_placed(by_cell.get(cell.id, [])) for cell in together]
            first = together[0]
            status = _status(first) if not any(placed) else None
            marks = tuple(
                _mark(
                    first, scenario, column, [place[column] for place in placed if column in place]
                )
                for column in columns
            )
            if status is None and not any(placed) and not _says_something(marks):
                continue
            rows.append(
                Row(
                    framework=framework,
                    version=version,
                    pythons=pythons_label([cell.python for cell in together]),
                    marks=() if status else marks,
                    status=status,
                    remarks=_remarks(together),
                    earlier=not first.selected,
                )
            )
    return rows


def _sight(
    cell: CellRecord, columns: tuple[_Column, ...], scenario: str, results: list[Result]
) -> object:
    """All that makes a row look as it does: cells of one version with equal sights share it.

    Counts of a timing-dependent result are added up, not compared.
    """
    placed = _placed(results)
    marks = tuple(
        (_worst(placed[column]), all(map(_known, placed[column])), True)
        if any(result.timing_dependent for result in placed.get(column, ()))
        else _mark(cell, scenario, column, [placed[column]] if column in placed else [])
        for column in columns
    )
    status = _status(cell) if not placed else None
    return marks, status, cell.yanked, cell.selected, "" if cell.selected else _day(cell)


def _placed(results: Iterable[Result]) -> dict[_Column, tuple[Result, ...]]:
    places: dict[_Column, tuple[Result, ...]] = {}
    for result in results:
        column = (result.variant, result.kill_point)
        places[column] = (*places.get(column, ()), result)
    return places


def _worst(results: Sequence[Result]) -> str:
    found = {result.verdict for result in results}
    return next(verdict for verdict in _WORST_FIRST if verdict in found)


def _mark(
    cell: CellRecord, scenario: str, column: _Column, places: list[tuple[Result, ...]]
) -> Mark:
    """What a place says, about one Python or about several that agree."""
    if not places:
        return _unmeasured(cell, scenario, column[0])
    everything = [result for place in places for result in place]
    verdict = _worst(everything)
    if verdict != "FAIL":
        stale = any(result.expected == STALE for result in everything)
        return Mark(f"{verdict} {STALE}", "FAIL") if stale else Mark(verdict, verdict)
    text = _failed(everything, several=len(places[0]) > 1)
    return Mark(f"{text}*", EXPECTED) if all(map(_known, everything)) else Mark(text, "FAIL")


def _known(result: Result) -> bool:
    """Whether it is no FAIL that nobody expects."""
    return result.verdict != "FAIL" or result.expected == EXPECTED


def _failed(results: list[Result], *, several: bool) -> str:
    """What a place with a FAIL says; ``several`` results may stand there for each Python."""
    first = results[0]
    if several:
        failed = sum(result.verdict == "FAIL" for result in results)
        return f"FAIL at {failed}/{len(results)}"
    if first.timing_dependent:
        runs = sum((result.runs for result in results), Counter[str]())
        return f"FAIL {runs['FAIL']}/{runs.total()}"
    if first.outcome == "duplicated" and first.most > 1:
        return f"FAIL({first.most})"
    return f"FAIL {first.outcome}".rstrip()


def _unmeasured(cell: CellRecord, scenario: str, variant: str) -> Mark:
    for declared in cell.not_supported:
        if declared.get("scenario") == scenario and declared.get("variant") in (None, variant):
            return NOT_SUPPORTED
    return NOTHING


def _status(cell: CellRecord) -> Mark | None:
    """What a cell without results says in their place."""
    if cell.state == ERROR:
        return Mark(f"ERROR: {cell.reason}", "ERROR")
    if cell.state == EXCLUDED:
        return Mark(f"excluded ({cell.reason})")
    if cell.state == NOT_RUN:
        return Mark(f"not run: {cell.reason}", "ERROR")
    return None


def _says_something(marks: tuple[Mark, ...]) -> bool:
    return any(mark != NOTHING for mark in marks)


def _remarks(cells: Sequence[CellRecord]) -> tuple[str, ...]:
    first = cells[0]
    remarks = []
    if first.yanked is not None:
        remarks.append("yanked")
    if first.state == ERROR and first.facts and first.facts.get("stage") == "interrupted":
        remarks.append("interrupted")
    if not first.selected:
        remarks.append(f"measured {_day(first)}")
    return tuple(remarks)


def _day(cell: CellRecord) -> str:
    return cell.measured_at[:10] or "earlier"


def _columns(results: list[Result]) -> tuple[_Column, ...]:
    """A framework's columns, grouped by variant, in the order of the fullest cell."""
    by_cell: dict[str, list[_Column]] = {}
    for result in results:
        column = (result.variant, result.kill_point)
        by_cell.setdefault(result.cell, []).append(column)
    fullest_first = sorted(by_cell.values(), key=len, reverse=True)
    columns = _unique(column for own in fullest_first for column in own)
    variants = _unique(variant for variant, _ in columns)
    return tuple(column for variant in variants for column in columns if column[0] == variant)


def _unique(items: Iterable[_T]) -> list[_T]:
    return list(dict.fromkeys(items))
