"""batch-kill: the model asks for several tool calls at once; killed between two of their results.

What should be true after: a call that had its answer is not made again, and every effect of the
batch happened exactly once.

Fault points: ``between-results``, where the second call is held and not recorded, and
``between-results-recorded``, where it is recorded and has no answer. At both the first call has its
answer. The proof that the fault landed is the kill check, and the provider's own list of what it
had answered by then.

The harness gives the framework a moment to save the first result: it waits until nothing in the
work folder changes any more. That is kindness and no proof, so a framework that saves results one
by one is not failed for being slower than the kill; one that never does fails either way.

ERROR when the unfaulted run makes fewer than two calls, or a kill did not land as designed.
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, run_unfaulted
from plugpull.scenarios.killing import kill_in_call, resume, settle
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["BatchKill"]

#: Environment variable that says how many calls the model asks for at once.
BATCH_VARIABLE = "PLUGPULL_BATCH"

_BATCH = {BATCH_VARIABLE: "3"}
_HELD_CALL = 2
_POINTS = {"between-results": BEFORE_EFFECT, "between-results-recorded": AFTER_EFFECT}


class BatchKill:
    """SIGKILL between two results of one batch of tool calls."""

    name = "batch-kill"
    for_agents = False
    fault_points = tuple(_POINTS)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` with a batch to its end.

        Raises:
            NotUsable: It failed, or made too few calls for a batch.
        """
        del settings
        with lab.trial(subject, _BATCH) as trial:
            ended, effects = run_unfaulted(trial, lab.limits.unfaulted)
        if len(effects) <= _HELD_CALL:
            raise NotUsable(
                f"the run without a fault had the effects {', '.join(effects) or 'none'}, which "
                "is no batch: the target does not do what PLUGPULL_BATCH asks",
                {"stage": "unfaulted", "effects": effects},
            )
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=tuple(Case(point) for point in self.fault_points),
            evidence={"effects": effects, "seconds": round(ended.seconds, 3)},
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill at the second call, resume, and look at what was called again."""
        limit = lab.limits.faulted(unfaulted.seconds)
        evidence: dict[str, Any] = {
            "unfaulted": dict(unfaulted.evidence),
            "limit": round(limit, 3),
            "launcher": lab.launcher.name,
        }
        with lab.trial(subject, _BATCH) as trial:
            judgement = self._run(trial, unfaulted, _POINTS[case.kill_point], limit, evidence)
            evidence["effects"] = trial.provider.effects
            evidence["calls"] = [call.to_json() for call in trial.provider.calls]
            if strays := trial.sweep():
                evidence["left_group"] = strays
            if judgement.verdict != PASS:
                trial.keep(f"{self.name}-{subject.variant}-{case.kill_point}")
        return Result(
            scenario=self.name,
            target=subject.target,
            kill_point=case.kill_point,
            judgement=judgement,
            evidence=evidence,
            variant=subject.variant,
        )

    def _run(
        self, trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
    ) -> Judgement:
        killed = kill_in_call(
            trial, point, limit, evidence, number=_HELD_CALL, before_kill=lambda: settle(trial)
        )
        if isinstance(killed, Judgement):
            return killed
        answered = [
            call.effect
            for call in trial.provider.calls
            if call.recorded and call.effect != killed.effect
        ]
        evidence["answered"] = answered
        broken = resume(trial, limit, evidence)
        if (reported := trial.inspect(limit)) is not None:
            evidence["reported"] = reported
        return (
            broken
            or judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
            or _judge_repeated(trial, answered)
            or _judge_history(evidence.get("reported", {}))
            or Judgement(
                PASS, Outcome.HELD, f"{', '.join(answered)} was answered and not called again"
            )
        )


def _judge_repeated(trial: Trial, answered: list[str]) -> Judgement | None:
    """A key keeps a second call from having an effect; the tool ran again all the same."""
    for call in trial.provider.calls:
        if call.phase == "resume" and call.effect in answered:
            return Judgement(
                FAIL,
                Outcome.REPEATED,
                f"call repeated: {call.effect} had its answer and was called again after resume "
                "(its key kept it from a second effect)",
            )
    return None


def _judge_history(reported: dict[str, Any]) -> Judgement | None:
    """Each call of the stored history has exactly one answer, and each answer its call."""
    entries = [entry for entry in reported.get("history", ()) if entry.get("id")]
    calls = [entry["id"] for entry in entries if entry["kind"] == "call"]
    answers = [entry["id"] for entry in entries if entry["kind"] == "answer"]
    for identity in calls:
        if answers.count(identity) != 1:
            return Judgement(
                FAIL,
                Outcome.UNPAIRED,
                f"history broken: the call {identity} has {answers.count(identity)} answers "
                "in the stored history (expected 1)",
            )
    for identity in answers:
        if identity not in calls:
            return Judgement(
                FAIL, Outcome.UNPAIRED, f"history broken: the answer {identity} has no call"
            )
    return None
