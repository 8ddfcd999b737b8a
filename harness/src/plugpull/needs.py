"""What a target needs of the machine that no package brings: asked before anything runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from plugpull.specifiers import matches

__all__ = ["NEEDS", "Need", "unmet"]

#: What can be needed, each with what there is.
NEEDS = {"sqlite": lambda: sqlite3.sqlite_version}


@dataclass(frozen=True, slots=True)
class Need:
    """One condition.

    Attributes:
        of: What it is about: a name of :data:`NEEDS`.
        versions: The versions of it that will do.
        remedy: What a person does where it is not met.
        framework: The versions of the framework that need it.
    """

    of: str
    versions: str
    remedy: str
    framework: str = "*"


def unmet(needs: Sequence[Need], version: str) -> str | None:
    """The first condition that ``version`` of the framework does not find met, with its remedy."""
    for need in needs:
        there = NEEDS[need.of]()
        if matches(version, need.framework) and not matches(there, need.versions):
            return f"it needs {need.of} {need.versions}, and here is {there}: {need.remedy}"
    return None
