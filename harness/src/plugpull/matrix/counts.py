"""The numbers of the headline."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Counts"]


@dataclass(frozen=True, slots=True)
class Counts:
    """The headline.

    Attributes:
        passed, failed: Results.
        errors: Results that are ERROR, and cells that could not be made.
        not_run: Cells that were asked for and did not run.
        excluded: Cells that were not to run.
        cells: Cells that were asked for, without the excluded ones.
        ran: Those of them that have results.
        not_supported: What releases declare they cannot do, per cell, scenario and variant.
        earlier: Results measured earlier, of cells that this run did not ask for.
        expected: Those of the failed that are expected; ``None`` if nothing is.
        stale: Results that were expected to fail, and passed.
    """

    passed: int
    failed: int
    errors: int
    not_run: int
    excluded: int
    cells: int
    ran: int
    not_supported: int
    earlier: int
    expected: int | None = None
    stale: int = 0

    @property
    def unexpected(self) -> int:
        """Failed, and not expected to."""
        return self.failed - (self.expected or 0)

    def to_json(self) -> dict[str, int]:
        """One key per number. Those about expectations are there if there are any."""
        numbers = {
            "PASS": self.passed,
            "FAIL": self.failed,
            "ERROR": self.errors,
            "not_run": self.not_run,
            "excluded": self.excluded,
            "not_supported": self.not_supported,
            "cells": self.cells,
            "cells_ran": self.ran,
            "measured_earlier": self.earlier,
        }
        if self.expected is not None:
            numbers |= {"expected_FAIL": self.expected, "stale": self.stale}
        return numbers
