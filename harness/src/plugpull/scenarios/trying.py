"""One faulted run from its start to its result: the same for every scenario that kills."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.scenarios.base import Case, Unfaulted
from plugpull.subject import Subject
from plugpull.verdicts import PASS, Judgement, Result

__all__ = ["Run", "try_killed"]

#: Takes the trial, what the run without a fault showed, the fault point, the time limit in seconds
#: and the evidence, to which it adds; gives the judgement.
Run = Callable[[Trial, Unfaulted, str, float, "dict[str, Any]"], Judgement]


def try_killed(
    name: str,
    lab: Lab,
    subject: Subject,
    unfaulted: Unfaulted,
    case: Case,
    *,
    run: Run,
    variables: Mapping[str, str] | None = None,
    shown: Sequence[str] = ("effects", "seconds"),
) -> Result:
    """Run once with a fault, and put together what is known of it.

    Args:
        name: The scenario's.
        lab: Where it happens.
        subject: What is run.
        unfaulted: What the run without a fault showed.
        case: What is tried.
        run: Does it.
        variables: Environment for each process, on top of the subject's.
        shown: What of the unfaulted run stands in the evidence.
    """
    limit = lab.limits.faulted(unfaulted.seconds)
    evidence: dict[str, Any] = {
        "unfaulted": {key: unfaulted.evidence[key] for key in shown},
        "limit": round(limit, 3),
        "launcher": lab.launcher.name,
    }
    with lab.trial(subject, variables) as trial:
        judgement = run(trial, unfaulted, case.kill_point, limit, evidence)
        evidence["effects"] = trial.provider.effects
        evidence["calls"] = [call.to_json() for call in trial.provider.calls]
        if strays := trial.sweep():
            evidence["left_group"] = strays
        if judgement.verdict != PASS:
            trial.keep(f"{name}-{subject.variant}-{case.kill_point}")
    return Result(
        scenario=name,
        target=subject.target,
        kill_point=case.kill_point,
        judgement=judgement,
        evidence=evidence,
        variant=subject.variant,
        point_detail=case.point_detail,
    )
