"""What a table is made of, before anything is known about lines and widths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

__all__ = [
    "NOTHING",
    "NOT_SUPPORTED",
    "Grid",
    "Group",
    "Mark",
    "Row",
    "Section",
    "python_order",
    "pythons_label",
    "version_order",
]


@dataclass(frozen=True, slots=True)
class Mark:
    """What one place of the table says.

    Attributes:
        text: For example ``FAIL(2)``, and ``FAIL(2)*`` for one that is expected.
        kind: ``PASS``, ``FAIL``, ``expected`` (a FAIL that is), ``ERROR`` (also for what was asked
            for and did not run), or ``""`` for all that is no verdict.
    """

    text: str
    kind: str = ""


#: That release has no such variant, or nobody asked for it.
NOTHING = Mark("-")
NOT_SUPPORTED = Mark("not supported")


@dataclass(frozen=True, slots=True)
class Group:
    """Columns that belong together: one variant's fault points.

    Attributes:
        label: The variant. ``""`` if there is nothing to tell apart.
        points: The fault points.
    """

    label: str
    points: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One framework in one version, under the Pythons that agree.

    Attributes:
        framework, version: What ran.
        pythons: For example ``3.10-3.13``.
        marks: One per column, group after group. Empty if the cell has no results.
        status: What stands there instead of marks.
        remarks: ``yanked``, ``measured 2026-11-28``.
        earlier: Whether this run did not ask for the cell.
    """

    framework: str
    version: str
    pythons: str
    marks: tuple[Mark, ...] = ()
    status: Mark | None = None
    remarks: tuple[str, ...] = ()
    earlier: bool = False

    @property
    def name(self) -> str:
        """``langgraph 1.2.11``."""
        return f"{self.framework} {self.version}"


@dataclass(frozen=True, slots=True)
class Grid:
    """Frameworks that have the same columns in a scenario."""

    groups: tuple[Group, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A scenario.

    Attributes:
        scenario: Its name, ``""`` for cells of frameworks without a single result.
        grids: Its tables.
    """

    scenario: str
    grids: tuple[Grid, ...]


def pythons_label(pythons: Sequence[str]) -> str:
    """``3.10-3.13`` for Pythons that follow each other, else each by its name."""
    ordered = sorted(set(pythons), key=python_order)
    runs: list[list[str]] = []
    for python in ordered:
        if runs and _follows(runs[-1][-1], python):
            runs[-1].append(python)
        else:
            runs.append([python])
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def version_order(version: str) -> tuple[int, Version, str]:
    """Releases in their order; whatever is no release stands after them."""
    try:
        return 0, Version(version), ""
    except InvalidVersion:
        return 1, Version("0"), version


def python_order(python: str) -> tuple[int, ...]:
    """3.9 comes before 3.10."""
    return tuple(int(part) if part.isdigit() else 0 for part in python.split("."))


def _follows(python: str, other: str) -> bool:
    one, two = python_order(python), python_order(other)
    return one[:-1] == two[:-1] and one[-1] + 1 == two[-1]
