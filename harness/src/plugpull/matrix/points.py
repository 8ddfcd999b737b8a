"""Fault points, as the scenarios have them: a misspelt one is found before anything is installed.

What a fault point has several results for, its details, only a run shows; those are not known here.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["fault_points", "has_point"]


def fault_points(scenarios: Iterable[str]) -> list[str]:
    """The fault points of some scenarios, each once. A scenario of some other harness adds none."""
    # Sessions that plan nothing never ask, and the scenarios take longer to import than all of it.
    from plugpull.scenarios import SCENARIOS  # noqa: PLC0415

    known = (SCENARIOS[name].fault_points for name in scenarios if name in SCENARIOS)
    return list(dict.fromkeys(point for points in known for point in points))


def has_point(scenario: str, pattern: str) -> bool:
    """Whether a scenario has a fault point of that name, or one that a glob fits."""
    points = fault_points([scenario])
    return not points or any(fnmatchcase(point, pattern) for point in points)
