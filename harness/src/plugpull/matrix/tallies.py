"""What came out for a version under test: verdicts as counts of runs, and what they lean to."""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Measured", "Tally", "leans_to_new", "share", "weight"]


@dataclass(frozen=True, slots=True)
class Tally:
    """What came out for one followed result on one version.

    Attributes:
        failed: Runs that failed.
        runs: Runs that passed or failed.
        varies: Whether it depends on timing.
        detail: The harness's own words about it.
    """

    failed: int
    runs: int
    varies: bool = False
    detail: str = ""

    @property
    def verdict(self) -> str:
        """``FAIL`` if any run failed, else ``PASS``."""
        return "FAIL" if self.failed else "PASS"

    @property
    def text(self) -> str:
        """The verdict; with its counts if it depends on timing."""
        if not self.varies:
            return self.verdict
        return f"{self.verdict} {self.failed or self.runs}/{self.runs}"


@dataclass(frozen=True, slots=True)
class Measured:
    """One version.

    Attributes:
        tallies: What came out, by the part of the result's id behind the cell.
        unusable: Why nothing can be said about it. ``""`` if something can.
    """

    tallies: Mapping[str, Tally]
    unusable: str = ""


def leans_to_new(tally: Tally, old: Tally, new: Tally) -> bool:
    """Whether counts are nearer to the new ones than to the old ones, sure or not."""
    return weight(tally, old, new) > 0


def weight(tally: Tally, old: Tally, new: Tally) -> float:
    """How much more likely the counts are with the new share of failures than with the old one."""
    was, became = share(old), share(new)
    passed = tally.runs - tally.failed
    return tally.failed * log(became / was) + passed * log((1 - became) / (1 - was))


def share(tally: Tally) -> float:
    """The share of runs that failed, as far as the counts tell."""
    # Neither 0 nor 1: that five of five runs failed does not make a sixth that passes impossible.
    return (tally.failed + 0.5) / (tally.runs + 1)
