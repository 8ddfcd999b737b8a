"""resume-twice: a saved state that was already used is used again, as after a job sent twice.

What should be true: every effect is there once, because the second process does nothing, does the
same under the same key, or is refused. A refusal passes; it made no effect and said why in words
that the target declares.

Fault points: ``after-finish``, where the run has come to its end and is resumed once more, and
``after-approval``, where a human's decision took the run to its end and is given once more for the
saved state that the application kept at the pause. Everything before the second use is a run
without a fault.

ERROR when the first use did not come to its end with every effect once: nothing was used then.
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.scenarios.approvals import Decision
from plugpull.scenarios.approving import Process, run_process
from plugpull.scenarios.base import Case, Settings, Unfaulted, error
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.with_a_human import (
    ASKS,
    run_with_and_without,
    try_with_or_without,
)
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["AFTER_APPROVAL", "ResumeTwice"]

AFTER_FINISH = "after-finish"
AFTER_APPROVAL = "after-approval"

_YES = ASKS.approve_all


class ResumeTwice:
    """A run that has ended is gone on with."""

    name = "resume-twice"
    for_agents = True
    fault_points = (AFTER_FINISH, AFTER_APPROVAL)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run to the end, with and without a human.

        Raises:
            NotUsable: It failed, or had no effect, or one that is not there once.
        """
        del settings
        points = [point for point in self.fault_points if subject.has(self.name, point)]
        return run_with_and_without(lab, subject, points, plain=AFTER_FINISH, asking=AFTER_APPROVAL)

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Use the state, use it again, and count."""
        asks = case.kill_point == AFTER_APPROVAL
        return try_with_or_without(self.name, lab, subject, unfaulted, case, asks=asks, run=_run)


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    asks = point == AFTER_APPROVAL
    again = "approve" if asks else "resume"
    decided = _YES if asks else None
    expected = tuple(unfaulted.evidence["approved" if asks else "effects"])
    if unused := _use(trial, asks, limit, evidence):
        return unused
    if wrong := judge_effects(expected, trial.provider.effects, when="after the first use"):
        return error(f"the saved state was not used up: {wrong.detail}")
    second = run_process(trial, again, limit, evidence, decided)
    if isinstance(second, Judgement):
        return second
    if (reported := trial.inspect(limit)) is not None:
        evidence["reported"] = reported
    return (
        judge_effects(expected, trial.provider.effects, when=f"after a second {again}")
        or judge_history(reported, when=f"after a second {again}")
        or _judge_end(trial, second, limit)
    )


def _use(trial: Trial, asks: bool, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """The first use: everything up to the end of the run. An ERROR if that did not go well."""
    steps: list[tuple[str, tuple[Decision, ...] | None]] = [("start", None)]
    if asks:
        steps.append(("approve", _YES))
    for verb, decided in steps:
        done = run_process(trial, verb, limit, evidence, decided)
        if isinstance(done, Judgement):
            return done
        status = done.ended.returncode
        if status is None:
            return error(f"the first {verb} did not end within {limit:g} s")
        if status != 0:
            return error(f"the first {verb} exited {status}")
    return None


def _judge_end(trial: Trial, second: Process, limit: float) -> Judgement:
    """Every effect is there once; what is left is how the second process ended."""
    if refusal := second.refusal(trial.subject):
        return Judgement(PASS, Outcome.REFUSED, f"the second {second.verb} was refused: {refusal}")
    if second.ended.returncode:
        return Judgement(
            FAIL,
            Outcome.CRASHED,
            f"the second {second.verb} ended with {second.ended.returncode} and no refusal that "
            "the target declares",
        )
    return second.judge(trial.subject, limit, after="the end of the run") or Judgement(
        PASS, Outcome.HELD, f"a second {second.verb} changed nothing: every effect happened once"
    )
