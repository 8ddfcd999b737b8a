"""The Pythons of a framework's older versions: those that its ``default`` does not name.

A new release is asked on every Python. What an old one does is known, and differs least between
the Pythons in the middle: the oldest and the newest one say whether that still holds.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from plugpull.matrix.cells import Cell

__all__ = ["pythons_of", "without_the_middle"]

#: How a Python stands in a result's id, and at the end of a session's name.
_PYTHON = re.compile(r"(?:^|[/-])py(3\.[0-9]+)(?=/|$)")


def pythons_of(names: Iterable[str]) -> set[str]:
    """The Pythons that ids, or names of sessions, spell out."""
    return {found[1] for name in names for found in _PYTHON.finditer(name)}


def without_the_middle(
    cells: Iterable[Cell],
    older: Collection[str],
    *,
    asked: Collection[str],
    added: Mapping[str, Collection[str]],
) -> list[Cell]:
    """The cells, without those of older versions on the Pythons between.

    Args:
        cells: Each with its mark whether it runs every scenario.
        older: The Pythons of older versions.
        asked: The Pythons that were asked for by name: every version is tried there.
        added: The entries that were asked for by name, by framework: tried on every Python.
    """
    there = list(cells)
    default = {_version(cell) for cell in there if cell.default}
    # A version that none of the older Pythons can run keeps all that it has.
    able = {_version(cell) for cell in there if cell.python in older and cell.runs}
    return [
        cell
        for cell in there
        if _version(cell) in default
        or _version(cell) not in able
        or cell.python in older
        or cell.python in asked
        or not set(cell.asked.split(", ")).isdisjoint(added.get(cell.framework, ()))
    ]


def _version(cell: Cell) -> tuple[str, str]:
    return cell.framework, cell.version
