"""What a run measured of one version, in few words: a line for each scenario.

It is read off the table's own model, so the two cannot disagree.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from plugpull.matrix.model import NOT_SUPPORTED, NOTHING, pythons_label, version_order
from plugpull.matrix.records import RAN
from plugpull.matrix.selection import EVERYWHERE
from plugpull.matrix.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.matrix.model import Grid, Group, Row
    from plugpull.matrix.records import CellRecord, Collected
    from plugpull.notes import Note

__all__ = ["Gap", "Line", "Part", "measured", "newest"]

#: ``FAIL 2/3``, or ``FAIL at 2/3``: of so many runs, or places.
_COUNTED = re.compile(r"(FAIL (?:at )?)(\d+)/(\d+)(\*?)")


@dataclass(frozen=True, slots=True)
class Part:
    """Variants that came out alike.

    Attributes:
        variants: Their names.
        marks: What the table says, each with the fault points at which it does. No point means all
            of them; points that are left out say PASS.
    """

    variants: tuple[str, ...]
    marks: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Gap:
    """What a version cannot be asked for.

    Attributes:
        places: Fault points, or variants where the point is empty, each with the variant whose
            gap it is (``""``: of all); empty for the whole scenario.
        reason, link: Why, and where that stands.
    """

    places: tuple[tuple[str, str], ...]
    reason: str
    link: str


@dataclass(frozen=True, slots=True)
class Line:
    """One scenario.

    Attributes:
        scenario: Its name.
        pythons: Under which Pythons it ran, for example ``3.10-3.13``; ``""`` if it did not.
        parts: What came out, those that PASS everywhere first.
        gaps: What it could not be asked for.
        notes: What the framework documents about the FAILs, each with its link.
    """

    scenario: str
    pythons: str
    parts: tuple[Part, ...]
    gaps: tuple[Gap, ...]
    notes: tuple[tuple[str, str], ...]


def newest(framework: str, collected: Collected) -> str:
    """The newest version that ran in full; where none did, the newest that ran; else ``""``."""
    ran = [cell for cell in collected.cells if cell.framework == framework and cell.state == RAN]
    full = {
        result.version
        for result in collected.results
        if result.framework == framework and result.scenario not in EVERYWHERE
    }
    in_full = [cell.version for cell in ran if cell.version in full]
    return max(in_full or [cell.version for cell in ran], key=version_order, default="")


def measured(
    framework: str, version: str, collected: Collected, notes: Sequence[Note]
) -> list[Line]:
    """A line for each scenario that the version was asked for, or cannot be asked for."""
    cells = tuple(
        cell
        for cell in collected.cells
        if (cell.framework, cell.version, cell.state) == (framework, version, RAN)
    )
    results = tuple(
        result
        for result in collected.results
        if (result.framework, result.version) == (framework, version)
    )
    gaps = _gaps(cells)
    own = replace(collected, cells=cells, results=results, comparison=None)
    lines = [
        Line(
            section.scenario,
            pythons_label([one.python for one in results if one.scenario == section.scenario]),
            tuple(_parts(section.grids)),
            gaps.pop(section.scenario, ()),
            tuple(_noted(own, section.scenario, notes)),
        )
        for section in summarise(own)
        if section.scenario
    ]
    return [*lines, *(Line(scenario, "", (), found, ()) for scenario, found in gaps.items())]


def _parts(grids: Iterable[Grid]) -> list[Part]:
    together: dict[tuple[tuple[str, tuple[str, ...]], ...], list[str]] = {}
    for grid in grids:
        at = 0
        for group in grid.groups:
            marks = _marks(group, [row for row in grid.rows if row.marks], at)
            at += len(group.points)
            if marks is not None:
                together.setdefault(marks, []).append(group.label)
    return [
        Part(tuple(filter(None, variants)), marks)
        for marks, variants in sorted(together.items(), key=lambda item: item[0] != ())
    ]


def _marks(
    group: Group, rows: Sequence[Row], at: int
) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
    """What is said of a variant; ``None`` if nothing is, because it was not asked."""
    by_text: dict[str, list[str]] = {}
    for offset, point in enumerate(group.points):
        text = _text(rows, at + offset)
        if text:
            by_text.setdefault(text, []).append(point)
    if not by_text or list(by_text) == [NOT_SUPPORTED.text]:
        return None
    by_text.pop(NOT_SUPPORTED.text, None)
    if len(by_text) == 1 and "PASS" not in by_text:
        return ((next(iter(by_text)), ()),)
    by_text.pop("PASS", None)
    return tuple((text, tuple(points)) for text, points in by_text.items())


def _text(rows: Sequence[Row], column: int) -> str:
    """What a column says, with the Pythons where they do not agree.

    Rows of the table stand for as many Pythons as agree about all columns; here they are counted
    together column by column.
    """
    found: dict[str, list[str]] = {}
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        mark = row.marks[column]
        if mark == NOTHING:
            continue
        words = mark.text
        if counted := _COUNTED.fullmatch(words):
            words = f"{counted[1]}{{}}{counted[4]}"
            failed, of = counts.get(words, (0, 0))
            counts[words] = failed + int(counted[2]), of + int(counted[3])
        found.setdefault(words, []).append(row.pythons)
    told = {
        words.format("/".join(map(str, counts[words]))) if words in counts else words: labels
        for words, labels in found.items()
    }
    if len(told) == 1:
        return next(iter(told))
    return ", ".join(f"{text} on {_joined(labels)}" for text, labels in told.items())


def _joined(labels: Iterable[str]) -> str:
    """``3.10-3.11`` and ``3.12`` are ``3.10-3.12``."""
    pythons = []
    for part in ", ".join(labels).split(", "):
        first, _, last = part.partition("-")
        major, _, minor = first.partition(".")
        until = int((last or first).partition(".")[2])
        pythons += [f"{major}.{number}" for number in range(int(minor), until + 1)]
    return pythons_label(pythons)


def _gaps(cells: Iterable[CellRecord]) -> dict[str, tuple[Gap, ...]]:
    found: dict[str, dict[tuple[str, str], list[tuple[str, str]]]] = {}
    for cell in cells:
        for declared in cell.not_supported:
            why = (str(declared.get("reason") or ""), str(declared.get("link") or ""))
            place = (str(declared.get("kill_point") or ""), str(declared.get("variant") or ""))
            places = found.setdefault(str(declared.get("scenario")), {}).setdefault(why, [])
            if any(place) and place not in places:
                places.append(place)
    return {
        scenario: tuple(Gap(tuple(places), *why) for why, places in reasons.items())
        for scenario, reasons in found.items()
    }


def _noted(collected: Collected, scenario: str, notes: Sequence[Note]) -> list[tuple[str, str]]:
    """The notes that the harness has put behind results of a scenario."""
    details = {result.detail for result in collected.results if result.scenario == scenario}
    found = {
        (note.text, note.link): None
        for note in notes
        if any(f"({note.text} {note.link})" in detail for detail in details)
    }
    return list(found)
