"""What a target needs of the machine that no package brings: asked before anything runs."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass

from plugpull.specifiers import matches

__all__ = ["NEEDS", "Need", "in_use", "unmet"]

#: What can be needed: the module that brings it, and the module's word for which one it is.
NEEDS = {"sqlite": ("sqlite3", "sqlite_version")}


@dataclass(frozen=True, slots=True)
class Need:
    """One condition.

    Attributes:
        of: What it is about: a name of :data:`NEEDS`.
        versions: The versions of it that will do.
        remedy: What a person does where it is not met.
        framework: The versions of the framework that need it.
        instead: A module that the target's program puts in the place of Python's own where that
            one will not do, and leaves alone where it will; ``None`` for none.
    """

    of: str
    versions: str
    remedy: str
    framework: str = "*"
    instead: str | None = None

    def found(self) -> tuple[str, str]:
        """The module that the target's program uses in this environment, and its version."""
        module, word = NEEDS[self.of]
        there = str(getattr(importlib.import_module(module), word))
        if self.instead is None or matches(there, self.versions):
            return module, there
        try:
            other = importlib.import_module(self.instead)
        except ImportError:
            return module, there
        return self.instead, str(getattr(other, word))


def unmet(needs: Sequence[Need], version: str) -> str | None:
    """The first condition that ``version`` of the framework does not find met, with its remedy."""
    for need in needs:
        if not matches(version, need.framework):
            continue
        _, there = need.found()
        if not matches(there, need.versions):
            return f"it needs {need.of} {need.versions}, and here is {there}: {need.remedy}"
    return None


def in_use(needs: Sequence[Need], version: str) -> dict[str, str]:
    """What the target's program uses where that may not be Python's own, for the cell's block."""
    facts: dict[str, str] = {}
    for need in needs:
        if need.instead is not None and matches(version, need.framework):
            module, there = need.found()
            facts |= {f"{need.of}_version": there, f"{need.of}_module": module}
    return facts
