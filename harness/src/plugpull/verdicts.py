"""What a run comes to: verdicts, outcomes, and the one frozen result every report is made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

__all__ = [
    "ERROR",
    "FAIL",
    "PASS",
    "Judgement",
    "Outcome",
    "Result",
    "combine",
    "exit_code",
    "judge_at_most_once",
    "judge_effects",
]

PASS = "PASS"  # noqa: S105 - no password
FAIL = "FAIL"
ERROR = "ERROR"


class Outcome:
    """Words for how an expectation held or broke."""

    HELD = "held"
    LOST = "lost"
    DUPLICATED = "duplicated"
    CRASHED = "crashed"
    HUNG = "hung"
    REFUSED = "refused"
    UNEXPECTED = "unexpected"
    STATE_LOST = "state lost"
    DIVERGED = "diverged"
    REPEATED = "repeated"
    UNPAIRED = "unpaired"
    SURFACED = "surfaced"
    UNAPPROVED = "unapproved"


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its reason.

    Attributes:
        verdict: :data:`PASS`, :data:`FAIL` or :data:`ERROR`.
        outcome: A word of :class:`Outcome`; ``None`` with ERROR, where nothing was judged.
        detail: One sentence for people.
    """

    verdict: str
    outcome: str | None
    detail: str


@dataclass(frozen=True, slots=True)
class Result:
    """One fault point of one scenario on one variant of a target.

    Attributes:
        scenario: The scenario's name.
        target: What was run, as people read it: ``langgraph 1.2.11 durability=sync``.
        kill_point: The fault point. The name is schema 1's, although not every fault kills.
        judgement: Verdict, outcome and detail.
        evidence: Measured values only; one that was not measured is missing.
        variant: The target's variant, ``default`` where there is only one.
        point_detail: Which of several results of one fault point this is.
        runs: How many repetitions came to each verdict.
        timing_dependent: The repetitions differ, or the target says that they may.
    """

    scenario: str
    target: str
    kill_point: str
    judgement: Judgement
    evidence: Mapping[str, Any]
    variant: str = "default"
    point_detail: str | None = None
    runs: Mapping[str, int] = field(default_factory=dict)
    timing_dependent: bool = False

    @property
    def verdict(self) -> str:
        """PASS, FAIL or ERROR."""
        return self.judgement.verdict

    @property
    def detail(self) -> str:
        """One sentence for people."""
        return self.judgement.detail

    @property
    def outcome(self) -> str | None:
        """How the expectation held or broke."""
        return self.judgement.outcome

    def with_detail(self, detail: str) -> Result:
        """The same result with another sentence."""
        return replace(self, judgement=replace(self.judgement, detail=detail))

    def to_json(self) -> dict[str, Any]:
        """The result as schema 1 has it."""
        return {
            "scenario": self.scenario,
            "target": self.target,
            "kill_point": self.kill_point,
            "verdict": self.verdict,
            "detail": self.detail,
            "evidence": dict(self.evidence),
            "outcome": self.outcome,
            "runs": {verdict: self.runs.get(verdict, 0) for verdict in (PASS, FAIL, ERROR)},
            "timing_dependent": self.timing_dependent,
            "variant": self.variant,
            "point_detail": self.point_detail,
        }


def judge_effects(
    expected: Collection[str], effects: Mapping[str, int], *, when: str
) -> Judgement | None:
    """Compare what the provider saw with the unfaulted run.

    Args:
        expected: The names the unfaulted run used, each of which is wanted exactly once.
        effects: Distinct effects per name after the faulted run.
        when: At what point of the run that is, for the sentence: ``after resume``.

    Returns:
        A FAIL for the first name whose count is wrong, or ``None`` when all are right.
    """
    for name in expected:
        count = effects.get(name, 0)
        if count != 1:
            outcome = Outcome.LOST if count == 0 else Outcome.DUPLICATED
            noun = "effect" if count == 1 else "effects"
            return Judgement(
                FAIL,
                outcome,
                f"effect {outcome}: the provider saw {count} {name} {noun} {when} (expected 1)",
            )
    for name, count in effects.items():
        if count and name not in expected:
            return Judgement(
                FAIL,
                Outcome.UNEXPECTED,
                f"unexpected effect: the provider saw {name} {when}, "
                "which the run without a fault never used",
            )
    return None


def judge_at_most_once(
    expected: Collection[str], effects: Mapping[str, int], *, when: str
) -> Judgement | None:
    """The same for a run that may have been left unfinished: what is missing is no FAIL."""
    done = {name: count for name, count in effects.items() if count}
    for name, count in done.items():
        if name in expected and count > 1:
            return Judgement(
                FAIL,
                Outcome.DUPLICATED,
                f"effect {Outcome.DUPLICATED}: the provider saw {count} {name} effects {when} "
                "(expected at most 1)",
            )
    return judge_effects([name for name in expected if name in done], done, when=when)


def combine(repetitions: Sequence[Result], *, declared_timing_dependent: bool) -> Result:
    """One result for several repetitions of the same thing.

    ERROR if any repetition was, else FAIL if any failed, else PASS; the evidence is that of the
    first repetition with the verdict.
    """
    runs = Counter(result.verdict for result in repetitions)
    verdict = next(verdict for verdict in (ERROR, FAIL, PASS) if runs[verdict])
    shown = next(result for result in repetitions if result.verdict == verdict)
    if len(runs) > 1:
        shown = shown.with_detail(
            f"{shown.detail} ({verdict} in {runs[verdict]} of {len(repetitions)} runs)"
        )
    return replace(
        shown,
        runs=dict(runs),
        timing_dependent=declared_timing_dependent or shown.timing_dependent or len(runs) > 1,
    )


def exit_code(results: Sequence[Result], *, missing: bool, strict: bool) -> int:
    """The command's exit status.

    2 if any result is ERROR, something that was asked for is missing, or nothing ran; else 1 when
    ``strict`` and something failed; else 0.
    """
    verdicts = {result.verdict for result in results}
    if missing or not results or ERROR in verdicts:
        return 2
    return 1 if strict and FAIL in verdicts else 0
