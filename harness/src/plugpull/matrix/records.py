"""What the collector found out: every cell with how it stands, every result, every bad file."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugpull.errors import ERROR_EXIT
from plugpull.matrix.counts import Counts
from plugpull.matrix.results import SCHEMA

if TYPE_CHECKING:
    from plugpull.matrix.compare import Comparison
    from plugpull.matrix.expected import Judged
    from plugpull.matrix.results import Result

__all__ = ["ERROR", "EXCLUDED", "NOT_RUN", "RAN", "CellRecord", "Collected", "Problem"]

#: The cell has results. Some of them may be ERROR.
RAN = "ran"
#: The cell could not be made, or was stopped before it was finished.
ERROR = "error"
#: The cell was asked for, and there is nothing usable to show for it.
NOT_RUN = "not run"
#: The declaration or the release itself says that this cell is not to run.
EXCLUDED = "excluded"

#: Some FAIL under ``--strict``, or some change under ``--compare``.
FINDING_EXIT = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """A file that was left out.

    Attributes:
        file: Its name below the results' folder.
        kind: ``missing``, ``damaged``, ``foreign schema`` or ``stale``.
        what: What is wrong with it.
    """

    file: str
    kind: str
    what: str

    def to_json(self) -> dict[str, str]:
        """One key per attribute."""
        return {"file": self.file, "kind": self.kind, "what": self.what}


@dataclass(frozen=True, slots=True)
class CellRecord:
    """A cell and how it stands.

    Attributes:
        framework: The name its users know it by.
        version: The version under test.
        python: ``major.minor``.
        state: :data:`RAN`, :data:`ERROR`, :data:`NOT_RUN` or :data:`EXCLUDED`.
        reason: Why, in a few words. ``""`` for a cell that ran.
        words: uv's own last words, or the end of the harness's output.
        step: The part of the work that failed, for example ``resolve``.
        missing_interpreter: Whether the cell did not run because its Python is not there.
        yanked: The reason of a yanked release, ``None`` for one that is not yanked.
        notes: Remarks of the planner.
        measured_at: When it was measured (UTC, ISO 8601), ``""`` if never.
        selected: Whether this run asked for it. If not, it was measured earlier.
        not_supported: What this release declares it cannot do.
        facts: The cell's block, as its file has it.
    """

    framework: str
    version: str
    python: str
    state: str
    reason: str = ""
    words: str = ""
    step: str = ""
    missing_interpreter: bool = False
    yanked: str | None = None
    notes: tuple[str, ...] = ()
    measured_at: str = ""
    selected: bool = True
    not_supported: tuple[dict[str, Any], ...] = ()
    facts: dict[str, Any] | None = None

    @property
    def id(self) -> str:
        """``langgraph-1.2.11/py3.13``."""
        return f"{self.framework}-{self.version}/py{self.python}"

    @property
    def finished_pairs(self) -> set[tuple[str, ...]]:
        """The scenarios and variants that it was asked for, if it came to its end."""
        pairs = (self.facts or {}).get("asked_pairs")
        if self.state != RAN or not isinstance(pairs, list):
            return set()
        return {tuple(map(str, pair)) for pair in pairs if isinstance(pair, list)}

    def to_json(self) -> dict[str, Any]:
        """The record, for ``matrix.json``."""
        data: dict[str, Any] = {
            "id": self.id,
            "framework": self.framework,
            "version": self.version,
            "python": self.python,
            "state": self.state,
            "selected": self.selected,
        }
        optional = {
            "stage": (self.facts or {}).get("stage"),
            "step": self.step,
            "reason": self.reason,
            "error": self.words,
            "notes": list(self.notes),
            "measured_at": self.measured_at,
            "not_supported": list(self.not_supported),
            "cell": self.facts,
        }
        data |= {name: value for name, value in optional.items() if value}
        if self.yanked is not None:
            data["yanked"] = self.yanked
        return data


@dataclass(frozen=True, slots=True)
class Collected:
    """Everything the reports are derived from.

    Attributes:
        cells: In the order of the plan, then those measured earlier.
        results: In the order of the cells.
        problems: Files that were left out.
        created: When the plan was made (UTC, ISO 8601).
        strict: Whether a FAIL makes the exit code 1.
        skip_missing_interpreters: Whether a missing Python leaves the exit code alone.
        comparison: With an earlier ``matrix.json``, if one was asked for.
        judged: What became of the expectations, if there are any.
    """

    cells: tuple[CellRecord, ...]
    results: tuple[Result, ...]
    problems: tuple[Problem, ...] = ()
    created: str = ""
    strict: bool = False
    skip_missing_interpreters: bool = False
    comparison: Comparison | None = None
    judged: Judged | None = None

    @property
    def selected(self) -> list[Result]:
        """The results that this run asked for."""
        return [result for result in self.results if result.selected]

    @property
    def counts(self) -> Counts:
        """The headline's numbers."""
        verdicts = Counter(result.verdict for result in self.selected)
        expected = Counter(result.expected for result in self.selected)
        asked = [cell for cell in self.cells if cell.selected]
        states = Counter(cell.state for cell in asked)
        return Counts(
            passed=verdicts["PASS"],
            failed=verdicts["FAIL"],
            errors=verdicts["ERROR"] + states[ERROR],
            not_run=states[NOT_RUN],
            excluded=states[EXCLUDED],
            cells=len(asked) - states[EXCLUDED],
            ran=states[RAN],
            not_supported=sum(len(cell.not_supported) for cell in asked),
            earlier=len(self.results) - verdicts.total(),
            expected=None if self.judged is None else expected["expected"],
            stale=expected["stale"],
        )

    @property
    def exit_code(self) -> int:
        """2, 1 or 0."""
        return self.judgement[0]

    @property
    def judgement(self) -> tuple[int, str]:
        """The exit code and why it is that."""
        counts = self.counts
        missing = [
            cell
            for cell in self.cells
            if cell.selected
            and cell.state == NOT_RUN
            and not (cell.missing_interpreter and self.skip_missing_interpreters)
        ]
        reasons = []
        if not self.selected:
            reasons.append("nothing ran")
        if counts.errors:
            reasons.append(f"{counts.errors} ERROR")
        if missing:
            reasons.append(f"{len(missing)} cell{'s' * (len(missing) > 1)} not run")
        unmatched = len(self.judged.unmatched) if self.judged else 0
        if unmatched:
            match = "matches" if unmatched == 1 else "match"
            reasons.append(f"{unmatched} expectation{'s' * (unmatched > 1)} that {match} nothing")
        if reasons:
            return ERROR_EXIT, ", ".join(reasons)
        reasons = self._findings(counts)
        if reasons:
            return FINDING_EXIT, ", ".join(reasons)
        if self.comparison is not None:
            return 0, "no verdict changed"
        return 0, "every cell that was asked for has its verdicts"

    def _findings(self, counts: Counts) -> list[str]:
        """What makes the exit code 1, in words."""
        changed = len(self.comparison.changed) if self.comparison is not None else 0
        reasons = [f"{changed} verdict{'s' * (changed > 1)} changed"] if changed else []
        if not self.strict:
            return reasons
        if self.judged is None:
            # Compared with a baseline, a FAIL that was there before is no news.
            if counts.failed and self.comparison is None:
                reasons.append(f"{counts.failed} FAIL, and --strict was given")
            return reasons
        if counts.unexpected:
            reasons.append(f"{counts.unexpected} unexpected FAIL")
        if counts.stale:
            reasons.append(f"{counts.stale} expected to fail and passed (stale)")
        return reasons

    def to_json(self) -> dict[str, Any]:
        """The content of ``matrix.json``: schema 1, with what makes it a matrix added."""
        code, reason = self.judgement
        data: dict[str, Any] = {
            "schema": SCHEMA,
            "results": [result.to_json() for result in self.results],
            "created": self.created,
            "exit_code": code,
            "exit_reason": reason,
            "counts": self.counts.to_json(),
            "cells": [cell.to_json() for cell in self.cells],
            "problems": [problem.to_json() for problem in self.problems],
        }
        if self.comparison is not None:
            data["comparison"] = self.comparison.to_json()
        if self.judged is not None:
            data["expectations"] = self.judged.to_json()
        return data
