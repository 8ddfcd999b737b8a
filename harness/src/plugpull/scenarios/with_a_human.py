"""Runs with a human and without one, for scenarios that go on with either a second time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plugpull.lab import Lab
from plugpull.scenarios.approvals import SHAPES, environment
from plugpull.scenarios.approving import run_approved
from plugpull.scenarios.base import Case, NotUsable, Unfaulted, run_unfaulted
from plugpull.scenarios.trying import Run, try_killed
from plugpull.subject import Subject
from plugpull.verdicts import Result

__all__ = ["ASKS", "SHAPE", "run_with_and_without", "try_with_or_without"]

#: The plainest shape in which a run asks: one call that waits.
SHAPE = "one"
ASKS = SHAPES[SHAPE]


def run_with_and_without(
    lab: Lab, subject: Subject, points: Sequence[str], *, plain: str, asking: str
) -> Unfaulted:
    """Run to the end without a fault, for each of two fault points that is wanted.

    Args:
        lab: Where it happens.
        subject: What is run.
        points: The fault points that the subject has.
        plain: The one whose runs ask nobody.
        asking: The one whose runs ask a human, who approves.

    Raises:
        NotUsable: It failed, or had no effect, or one that is not there once.
    """
    evidence: dict[str, Any] = {"effects": {}, "seconds": 0.0}
    if plain in points:
        with lab.trial(subject) as trial:
            ended, effects = run_unfaulted(trial, lab.limits.unfaulted)
        if not effects:
            raise NotUsable(
                "the agent exited (code 0) and its tool never called the provider",
                {"stage": "unfaulted", "effects": {}, "calls": []},
            )
        evidence |= {"effects": effects, "seconds": round(ended.seconds, 3)}
    if asking in points:
        approved = run_approved(lab, subject, SHAPE, strictly=True)
        evidence |= {
            "approved": approved["effects"],
            "seconds": max(evidence["seconds"], approved["seconds"]),
        }
    return Unfaulted(
        effects=tuple(evidence["effects"]),
        seconds=evidence["seconds"],
        cases=tuple(Case(point) for point in points),
        evidence=evidence,
    )


def try_with_or_without(
    name: str, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case, *, asks: bool, run: Run
) -> Result:
    """One faulted run, with a human or without one."""
    return try_killed(
        name,
        lab,
        subject,
        unfaulted,
        case,
        run=run,
        variables=environment(SHAPE) if asks else {},
        shown=("approved" if asks else "effects", "seconds"),
    )
