"""Frameworks that are no row of the table, each with the reason: the ``[[left-out]]`` tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugpull.matrix.tables import Table

__all__ = ["LeftOut", "read_left_out"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A framework that people may look for and do not find.

    Attributes:
        name: Its name in prose.
        reason: Why it is not tried here.
        link: Where that can be read.
    """

    name: str
    reason: str
    link: str


def read_left_out(tables: Iterable[Table], declared: Iterable[str]) -> tuple[LeftOut, ...]:
    """The tables, checked.

    Args:
        tables: As they stand in the declaration.
        declared: The names and titles of the frameworks that are declared, which cannot be left
            out as well.

    Raises:
        UsageError: One has a mistake.
    """
    taken = {name.lower() for name in declared}
    found: list[LeftOut] = []
    for table in tables:
        name, reason, link = (_needed(table, key) for key in ("name", "reason", "link"))
        if name.lower() in taken:
            table.fail("name", f'"{name}" is declared, or left out twice')
        taken.add(name.lower())
        if not link.startswith("https://") or any(one in link for one in " |<>`"):
            table.fail("link", f'"{link}" is no https link')
        table.finish()
        found.append(LeftOut(name, reason, link))
    return tuple(found)


def _needed(table: Table, key: str) -> str:
    text = table.text(key)
    if text is None:
        table.fail(key, "is missing")
    return text
