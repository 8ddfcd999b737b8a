"""One result that was run again, for a report that stands alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["Reproduction"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """One result that was run again.

    Attributes:
        id: The result's id.
        title: The framework's name in prose.
        distribution: What is installed of it.
        target: The target's name.
        python: ``major.minor``.
        scenario: The scenario.
        variant: The target's variant.
        point: The fault point, with the detail behind a slash where there is one.
        repeat: How often the fault point is tried where timing plays a part.
        raw: The result as the core wrote it.
        cell: Facts about the environment.
        npm: What comes from npm, each package with its version.
    """

    id: str
    title: str
    distribution: str
    target: str
    python: str
    scenario: str
    variant: str
    point: str
    repeat: int
    raw: dict[str, Any]
    cell: dict[str, Any]
    npm: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """``PASS`` or ``FAIL``."""
        return str(self.raw["verdict"])
