"""Expectations beside results: what was expected, what was not, and which entries are out of date.

Fault points are known to results alone, so an entry whose fault point does not exist shows up here.
The other names are checked before anything runs.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import product
from typing import TYPE_CHECKING, Any

from plugpull.matrix.expectations import EXPECTED_FAILURE, Expectation, Expectations
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from plugpull.matrix.records import CellRecord
    from plugpull.matrix.results import Result

__all__ = ["EXPECTED", "STALE", "UNEXPECTED", "Judged", "Met", "judge"]

#: A FAIL that an entry names.
EXPECTED = "expected"
#: A FAIL that no entry names.
UNEXPECTED = "unexpected"
#: A PASS where an entry names an expected failure.
STALE = "stale"


@dataclass(frozen=True, slots=True)
class Met:
    """An entry, and where it was met (or was not).

    Attributes:
        entry: The entry.
        ids: The results' ids.
    """

    entry: Expectation
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """What became of the entries.

    Attributes:
        path: The file.
        results: The results, each knowing what was expected of it.
        met: Entries that were met, each with the ids of the FAILs.
        stale: Entries that were not, each with the ids of what passed.
        unmatched: Entries that match nothing that this run measured, each with what is wrong.
    """

    path: Path
    results: tuple[Result, ...]
    met: tuple[Met, ...]
    stale: tuple[Met, ...]
    unmatched: tuple[tuple[Expectation, str], ...]

    def to_json(self) -> dict[str, Any]:
        """For ``matrix.json``."""
        return {
            "file": str(self.path),
            "met": [{**_named(each.entry), "ids": list(each.ids)} for each in self.met],
            "stale": [{**_named(each.entry), "ids": list(each.ids)} for each in self.stale],
            "unmatched": [{**_named(entry), "what": what} for entry, what in self.unmatched],
        }


def judge(
    expectations: Expectations,
    cells: Sequence[CellRecord],
    results: Sequence[Result],
    *,
    narrowed: bool,
) -> Judged:
    """Put every FAIL and every entry in its place.

    Args:
        expectations: The file, its names checked.
        cells: The matrix.
        results: All results. What this run did not ask for is judged and matches no entry.
        narrowed: Whether the run left out cells, so that an entry about others is no mistake.
    """
    versions = {cell.id: _measured_version(cell) for cell in cells}
    asked = {cell.id for cell in cells if cell.selected}
    entry_of: dict[str, Expectation] = {}
    matched: set[tuple[str, str]] = set()
    for result, entry in product(results, expectations.entries):
        points = entry.points_of(result)
        if points and _is_about(entry, result, versions):
            entry_of[result.id] = entry
            if result.cell in asked:
                matched.update((entry.place, point) for point in points)
    judged = tuple(_judged(result, entry_of.get(result.id), results) for result in results)
    ids: dict[tuple[str, str], list[str]] = {}
    for result in judged:
        if result.selected and result.expected and result.id in entry_of:
            place = entry_of[result.id].place
            ids.setdefault((place, result.expected), []).append(result.id)
    entries = expectations.entries
    own = [result for result in results if result.cell in asked]
    wrong = [(entry, _unmatched(entry, matched, own, cells, narrowed)) for entry in entries]
    return Judged(
        path=expectations.path,
        results=judged,
        met=_by_entry(entries, ids, EXPECTED),
        stale=_by_entry(entries, ids, STALE),
        unmatched=tuple((entry, what) for entry, what in wrong if what),
    )


def _is_about(entry: Expectation, result: Result, versions: Mapping[str, str]) -> bool:
    version = versions.get(result.cell, result.version)
    return entry.is_about(result.framework, version, result.python)


def _by_entry(
    entries: Iterable[Expectation], ids: Mapping[tuple[str, str], list[str]], kind: str
) -> tuple[Met, ...]:
    return tuple(
        Met(entry, tuple(ids[entry.place, kind])) for entry in entries if (entry.place, kind) in ids
    )


def _judged(result: Result, entry: Expectation | None, results: Sequence[Result]) -> Result:
    if result.verdict == "FAIL":
        fits = entry is not None and entry.outcome in {"", result.outcome}
        return replace(result, expected=EXPECTED if fits else UNEXPECTED)
    if result.verdict != "PASS" or entry is None or entry.kind != EXPECTED_FAILURE:
        return result
    # A point without a detail is the place as the table shows it: one FAIL there is enough.
    points = entry.points_of(result)
    together = [
        other.verdict
        for other in results
        if (other.cell, other.scenario) == (result.cell, result.scenario)
        and other.variant == result.variant
        and other.kill_point == result.kill_point
        and entry.points_of(other) == points
    ]
    return result if set(together) - {"PASS"} else replace(result, expected=STALE)


def _unmatched(
    entry: Expectation,
    matched: set[tuple[str, str]],
    results: Sequence[Result],
    cells: Sequence[CellRecord],
    narrowed: bool,
) -> str:
    """What is wrong with an entry, a part of which nothing matched; ``""`` if nobody can tell."""
    missing = [point for point in entry.points if (entry.place, point) not in matched]
    if not missing:
        return ""
    about = {
        cell.id: cell
        for cell in cells
        if cell.selected and entry.is_about(cell.framework, _measured_version(cell), cell.python)
    }
    there = {
        result.point: None
        for result in results
        if result.cell in about
        and result.scenario in entry.scenarios
        and result.variant in entry.variants
    }
    if there:
        hint = suggestion(missing[0], there) or f"there are: {_list(there)}"
        return f"nothing was measured at {_list(missing)}: {hint}"
    pairs = set(product(entry.scenarios, entry.variants))
    if not narrowed and any(pairs & cell.finished_pairs for cell in about.values()):
        return f"no release supports {_list(entry.scenarios)} with {_list(entry.variants)}"
    return ""


def _measured_version(cell: CellRecord) -> str:
    """The version that was imported, which a branch or a folder has too."""
    proven = (cell.facts or {}).get("version")
    return proven if isinstance(proven, str) and proven else cell.version


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _named(entry: Expectation) -> dict[str, str]:
    return {"entry": entry.place, "kind": entry.kind, "reason": entry.reason, "link": entry.link}
