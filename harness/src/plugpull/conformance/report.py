"""What a check came to: findings, each with a kind that docs/findings-explained.md explains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from plugpull.verdicts import ERROR, FAIL, PASS

__all__ = ["AFTER", "BEFORE", "UNJUDGED", "ConformanceReport", "Finding"]

#: The effect was recorded, and its caller never heard of it.
AFTER = "after"
#: The caller was about to have the effect.
BEFORE = "before"

#: Kinds that say nothing for or against the subject, only why it could not be judged.
UNJUDGED = frozenset(
    {
        "baseline_crashed",
        "crash_not_reached",
        "crash_swallowed",
        "no_effects",
        "not_isolated",
        "not_repeatable",
        "run_crashed",
        "state_not_comparable",
    }
)


@dataclass(frozen=True)
class Finding:
    """Something that did not hold, or that kept the check from judging.

    Attributes:
        kind: What it is, one word of docs/findings-explained.md.
        crash_after: The number of the effect at which the run was crashed, counted from 1; 0 where
            no crash was involved.
        detail: What was seen, in one sentence.
        when: Whether the crash came :data:`AFTER` or :data:`BEFORE` that effect.
    """

    kind: str
    crash_after: int
    detail: str
    when: str = AFTER

    @property
    def verdict(self) -> str:
        """FAIL for a defect of the subject, ERROR where it could not be judged."""
        return ERROR if self.kind in UNJUDGED else FAIL

    def __str__(self) -> str:
        if not self.crash_after:
            return f"[{self.kind}] {self.detail}"
        return f"[{self.kind}] crash {self.when} effect #{self.crash_after}: {self.detail}"


@dataclass
class ConformanceReport:
    """The outcome of one check.

    Attributes:
        crash_points: How many places the subject was crashed at.
        findings: Everything that was found, errors included.
    """

    crash_points: int = 0
    findings: list[Finding] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing at all was found."""
        return not self.findings

    @property
    def failures(self) -> list[Finding]:
        """What is wrong with the subject."""
        return [finding for finding in self.findings if finding.verdict == FAIL]

    @property
    def errors(self) -> list[Finding]:
        """What kept the subject from being judged."""
        return [finding for finding in self.findings if finding.verdict == ERROR]

    @property
    def verdict(self) -> str:
        """ERROR if anything could not be judged, else FAIL or PASS."""
        if self.errors:
            return ERROR
        return FAIL if self.findings else PASS

    def to_json(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "verdict": self.verdict,
            "crash_points": self.crash_points,
            "findings": [{**vars(one), "verdict": one.verdict} for one in self.findings],
        }

    def __bool__(self) -> bool:
        return self.passed

    def __str__(self) -> str:
        tried = f"conformance: {self.crash_points} crash point(s) tested"
        head = f"{tried}, {len(self.findings)} finding(s)"
        if self.passed:
            return f"{head} — PASS"
        return "\n".join([head, *(f"  {finding}" for finding in self.findings)])
