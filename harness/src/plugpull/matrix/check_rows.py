"""Base and head beside each other, result by result, and what became of each."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from plugpull.matrix.chance import SURE, beyond_chance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from plugpull.matrix.results import Result

__all__ = [
    "COULD_NOT",
    "FIXED",
    "LOOKS",
    "NEW",
    "REGRESSED",
    "TIMING",
    "UNCHANGED",
    "Row",
    "Side",
    "Unprepared",
    "side_by_side",
]

REGRESSED = "regressed"
COULD_NOT = "could-not-prepare"
TIMING = "timing-dependent"
FIXED = "fixed"
NEW = "new"
UNCHANGED = "unchanged"

#: Two shares are compared so often at most, each time with about twice as many runs. The level of
#: one comparison is the whole one's divided by this: looking again must not make chance a finding.
LOOKS = 4


@dataclass(frozen=True, slots=True)
class Side:
    """What one version came to, over all of its runs.

    Attributes:
        verdict: ``ERROR`` if any run was, else ``FAIL`` if any failed, else ``PASS``.
        failed: How many runs failed.
        runs: How many runs came to a verdict.
        errors: How many came to none.
        varies: Whether another run may come out otherwise: its target says so, or one did.
        raw: The newest result that shows the verdict, as the harness wrote it.
    """

    verdict: str
    failed: int
    runs: int
    errors: int
    varies: bool
    raw: Mapping[str, Any]

    @classmethod
    def of(cls, result: Result) -> Side:
        """One result."""
        counted = result.runs
        failed, passed = counted["FAIL"], counted["PASS"]
        varies = result.timing_dependent or bool(failed and passed)
        return cls(
            result.verdict, failed, failed + passed, counted["ERROR"], varies, dict(result.raw)
        )

    def plus(self, other: Side) -> Side:
        """Both together."""
        failed, runs = self.failed + other.failed, self.runs + other.runs
        order = ("ERROR", "FAIL", "PASS")
        worse = min(self, other, key=lambda side: order.index(side.verdict))
        return replace(
            worse,
            failed=failed,
            runs=runs,
            errors=self.errors + other.errors,
            varies=self.varies or other.varies or 0 < failed < runs,
        )

    @property
    def share(self) -> tuple[int, int]:
        """How many runs failed, and how many there were."""
        return self.failed, self.runs

    @property
    def shown(self) -> str:
        """``FAIL``, or ``FAIL in 3 of 10 runs``."""
        if self.verdict == "ERROR" or self.runs == 1:
            return self.verdict
        count = self.runs if self.verdict == "PASS" else self.failed
        return f"{self.verdict} in {count} of {self.runs} runs"


@dataclass(frozen=True, slots=True)
class Row:
    """One result of both versions.

    Attributes:
        python: ``major.minor``.
        name: ``SCENARIO/VARIANT/POINT[/DETAIL]``.
        base, head: What they came to; ``None`` for a version that was not asked.
    """

    python: str
    name: str
    base: Side | None
    head: Side | None

    @property
    def pair(self) -> tuple[str, str]:
        """The scenario and the variant."""
        scenario, variant, *_ = self.name.split("/")
        return scenario, variant

    @property
    def state(self) -> str:
        """What became of it."""
        base, head = self.base, self.head
        if base is None:
            return NEW if head is not None and head.verdict != "ERROR" else COULD_NOT
        if head is None or not self.comparable:
            return COULD_NOT
        if not self.differs:
            return UNCHANGED
        if self.varies and not self.sure:
            return TIMING
        if head.failed * base.runs > base.failed * head.runs:
            return REGRESSED
        return FIXED if head.failed == 0 else TIMING

    @property
    def reason(self) -> str:
        """What there is to say besides the two verdicts; ``""`` for nothing."""
        base, head = self.base, self.head
        if base is None:
            return "only the newer version is asked this"
        if head is None:
            return "what is checked is not asked this: its version is outside the target's range"
        if self.state == TIMING:
            return "fails less often, beyond chance" if self.sure else "no difference beyond chance"
        worse = head if head.verdict != "PASS" else base
        return str(worse.raw.get("detail") or "") if worse.verdict != "PASS" else ""

    @property
    def varies(self) -> bool:
        """Whether one of the two may come out otherwise the next time."""
        return any(side is not None and side.varies for side in (self.base, self.head))

    @property
    def differs(self) -> bool:
        """Whether the shares of failed runs differ at all."""
        if self.base is None or self.head is None:
            return False
        return self.base.failed * self.head.runs != self.head.failed * self.base.runs

    @property
    def sure(self) -> bool:
        """Whether the shares differ by more than chance."""
        if self.base is None or self.head is None:
            return False
        return beyond_chance(self.base.share, self.head.share, sure=SURE / LOOKS)

    @property
    def comparable(self) -> bool:
        """Whether both came to a verdict."""
        return all(side is not None and side.verdict != "ERROR" for side in (self.base, self.head))


@dataclass(frozen=True, slots=True)
class Unprepared:
    """A version without results under a Python.

    Attributes:
        python: ``major.minor``.
        version: The version, as in ids.
        reason: Why.
        excused: Whether that leaves the exit code alone: it was not meant to run.
    """

    python: str
    version: str
    reason: str
    excused: bool


def side_by_side(python: str, base: list[Result], head: list[Result]) -> list[Row]:
    """The rows of one Python, in the order of the results."""
    sides = [{_name(result): Side.of(result) for result in results} for results in (base, head)]
    names = dict.fromkeys([*sides[0], *sides[1]])
    return [Row(python, name, sides[0].get(name), sides[1].get(name)) for name in names]


def _name(result: Result) -> str:
    return result.id.removeprefix(f"{result.cell}/")
