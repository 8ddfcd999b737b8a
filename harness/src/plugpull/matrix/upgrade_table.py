"""An upgrade table: who saved, who went on, and what came of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from plugpull.matrix.manifests import UPGRADE

if TYPE_CHECKING:
    from plugpull.matrix.cells import Cell
    from plugpull.matrix.upgrade_cells import Skipped

__all__ = ["NOT_TRIED", "Entry", "Grid", "UpgradeTable"]

NOT_TRIED = "not tried"
#: The fault point of an entry about a whole version.
_WHOLE = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One version that goes on with what one version has saved.

    Attributes:
        saved_by: The version that saved.
        resumed_by: The version that went on.
        cell: The id of its cell.
        python: ``major.minor`` of both.
        variant: The target's variant; empty where a whole version is broken.
        point: The fault point; empty where a whole version is broken.
        verdict: ``PASS``, ``FAIL``, ``ERROR`` or ``not tried``.
        outcome: Such as ``held``, ``refused``, ``lost``.
        detail: One sentence.
        raw: The result as the core wrote it.
    """

    saved_by: str
    resumed_by: str
    cell: str
    python: str
    variant: str
    point: str
    verdict: str
    outcome: str
    detail: str
    raw: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def broken(cls, saved_by: str, goes_on: Cell, reason: str) -> Entry:
        """One of the two cannot be run at all."""
        return cls(
            saved_by,
            goes_on.version,
            goes_on.id,
            goes_on.python,
            _WHOLE,
            _WHOLE,
            "ERROR",
            "",
            reason,
        )

    @classmethod
    def not_tried(
        cls, saved_by: str, goes_on: Cell, variant: str, point: str, reason: str
    ) -> Entry:
        """The version that goes on does not have what the other one used."""
        return cls(
            saved_by,
            goes_on.version,
            goes_on.id,
            goes_on.python,
            variant,
            point,
            NOT_TRIED,
            "",
            reason,
        )

    @property
    def id(self) -> str:
        """``CELL/resume-after-upgrade/VARIANT/POINT/from-VERSION``."""
        parts = [self.cell, UPGRADE, self.variant, self.point, f"from-{self.saved_by}"]
        return "/".join(part for part in parts if part)

    @property
    def own(self) -> bool:
        """Whether a version went on with its own state, which is a check and no upgrade."""
        return self.saved_by == self.resumed_by

    @property
    def word(self) -> str:
        """What stands in the table."""
        if self.outcome == "refused":
            return "refused"
        if self.verdict == "FAIL":
            return f"FAIL {self.outcome}"
        return self.verdict

    def to_json(self) -> dict[str, Any]:
        """The result as schema 1 has it, with what places it in the table."""
        return {
            "id": self.id,
            "saved_by": self.saved_by,
            "resumed_by": self.resumed_by,
            "python": self.python,
            **self.raw,
            "scenario": UPGRADE,
            "variant": self.variant,
            "kill_point": self.point,
            "verdict": self.verdict,
            "outcome": self.outcome or None,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class Grid:
    """A row for each version that saved, and a column for each that went on.

    Attributes:
        places: The fault points, each with its variant, that came out like this.
        rows: The versions that saved.
        columns: The versions that went on.
        words: By row and column; what is missing was not asked for.
    """

    places: tuple[tuple[str, str], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    words: dict[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class UpgradeTable:
    """Everything that a run of ``upgrade`` came to.

    Attributes:
        framework: The framework's name.
        title: Its name in prose.
        versions: The versions, the oldest first.
        entries: What was tried.
        skipped: Pairs that could not be tried.
        created: When (RFC 3339, UTC).
        cells: Facts about each cell.
        strict: Whether a FAIL makes the exit code 1.
        recorded: Whether states were used that were recorded before.
    """

    framework: str
    title: str
    versions: tuple[str, ...]
    entries: tuple[Entry, ...]
    skipped: tuple[Skipped, ...]
    created: str
    cells: dict[str, dict[str, Any]]
    strict: bool = False
    recorded: bool = False

    @property
    def grids(self) -> list[Grid]:
        """The grids in the order in which they were tried; equal ones are one."""
        places = dict.fromkeys((one.variant, one.point) for one in self.entries if one.point)
        if not places and self.entries:
            places = {(_WHOLE, _WHOLE): None}
        found: list[Grid] = []
        for variant, point in places:
            grid = self._grid(variant, point)
            for at, other in enumerate(found):
                if replace(other, places=grid.places) == grid:
                    found[at] = replace(other, places=(*other.places, *grid.places))
                    break
            else:
                found.append(grid)
        return found

    def _grid(self, variant: str, point: str) -> Grid:
        # An entry about a whole version is part of every grid.
        own = [one for one in self.entries if (one.variant, one.point) == (variant, point)]
        whole = [one for one in self.entries if one.point == _WHOLE]
        words = {(one.saved_by, one.resumed_by): one.word for one in [*whole, *own]}
        for one in self.skipped:
            words.setdefault((one.saves, one.goes_on), "not run")
        rows = self._order({row for row, _ in words})
        columns = self._order({column for _, column in words})
        return Grid(((point, variant),), rows, columns, words)

    def _order(self, versions: set[str]) -> tuple[str, ...]:
        known = [version for version in self.versions if version in versions]
        return (*known, *_by_number(versions - set(known)))

    @property
    def counts(self) -> Counter[str]:
        """How often each word comes out among the upgrades and downgrades."""
        return Counter(
            "refused" if one.outcome == "refused" else one.verdict
            for one in self.entries
            if not one.own
        )

    @property
    def exit_code(self) -> int:
        """2 if anything is ERROR or not run, or nothing ran; else 1 if ``strict`` and a FAIL."""
        verdicts = {one.verdict for one in self.entries}
        if self.skipped or "ERROR" in verdicts or not verdicts - {NOT_TRIED}:
            return 2
        return 1 if self.strict and "FAIL" in verdicts else 0

    def to_json(self) -> dict[str, Any]:
        """What stands in the file."""
        return {
            "schema": 1,
            "framework": self.framework,
            "created": self.created,
            "versions": list(self.versions),
            "results": [one.to_json() for one in self.entries],
            "not_run": [
                {"saved_by": one.saves, "resumed_by": one.goes_on, "reason": one.reason}
                for one in self.skipped
            ],
            "exit_code": self.exit_code,
            "cells": self.cells,
        }


def _by_number(versions: set[str]) -> Sequence[str]:
    """Recorded versions, which nobody has resolved: by their numbers, as far as they have some."""

    def place(text: str) -> list[tuple[int, str]]:
        parts = text.replace("-", ".").split(".")
        return [(int(part) if part.isdigit() else -1, part) for part in parts]

    return sorted(versions, key=place)
