"""resume-after-upgrade: a run that one version has saved is gone on with by another version.

What should be true after: the run goes on and comes to what it would have come to, or it is refused
with a message that names the version. An effect that is lost or there twice, a stored run that is
no longer whole, and a crash are failures.

Fault points: ``killed-before-effect`` and ``killed-after-effect`` (killed in a tool, once
everything that had begun to be saved was saved), and ``paused`` (the run waits for a person, who
approves only after the upgrade).

The two halves happen in two environments. With ``--save-states DIR`` a version saves: the run is
stopped at each fault point, its work folder is copied, and its own version goes on with the copy at
another path. With ``--states DIR`` another version goes on with what was saved. The provider counts
on from what it had seen when the state was saved.

ERROR when one of the two versions is broken by itself: its run without a fault fails, the two come
to different effects without any fault, the stop did not land as designed, or the version that saved
cannot go on with its own state. Only what is left can be the upgrade's fault.

With neither of the two options (the controls) the upgrade is played by ``PLUGPULL_WORLD``.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.saved_states import SavedState, read_state
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.changed_world import FRAMEWORK_CHANGED, WORLD_VARIABLE
from plugpull.scenarios.going_on import (
    APPROVAL,
    DECISION,
    GoOn,
    count_kinds,
    facts_about,
    run_verb,
)
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.saving import HELD, KILLED_AFTER, KILLED_BEFORE, PAUSED, Stop
from plugpull.scenarios.trying import try_killed
from plugpull.state_files import keep_state
from plugpull.subject import Subject
from plugpull.verdicts import ERROR, Judgement, Outcome, Result

__all__ = ["KILLED_AFTER", "KILLED_BEFORE", "PAUSED", "ResumeAfterUpgrade"]


@dataclass(frozen=True, slots=True)
class _Job:
    """What one case does.

    Attributes:
        state: What is gone on with; ``None`` to make a state first.
        reference: The run without a fault, under this version, or why there is none.
    """

    state: SavedState | None
    reference: Unfaulted | NotUsable


class ResumeAfterUpgrade:
    """Saved by one version, gone on with by another."""

    name = "resume-after-upgrade"
    for_agents = False
    fault_points = (KILLED_BEFORE, KILLED_AFTER, PAUSED)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run to the end without a fault, with and without a person's approval where asked."""
        states = [one for one in settings.states if one.origin.variant == subject.variant]
        wanted = (
            {state.origin.point for state in states}
            if settings.states
            else {point for point in self.fault_points if subject.has(self.name, point)}
        )
        plain: Unfaulted | NotUsable | None = None
        asking: Unfaulted | NotUsable | None = None
        if wanted & set(HELD):
            plain = _reference(lab, subject)
        if PAUSED in wanted:
            asking = _reference(lab, subject, asks=True)
        jobs: dict[Case, _Job] = {}
        for point in self.fault_points:
            reference = asking if point == PAUSED else plain
            if reference is None or point not in wanted:
                continue
            of_point = [one for one in states if one.origin.point == point]
            for state in of_point:
                jobs[Case(point, _origin_of(state))] = _Job(state, reference)
            if not settings.states:
                detail = f"from-{settings.version}" if settings.save_states else None
                jobs[Case(point, detail)] = _Job(None, reference)
        good = [one for one in (plain, asking) if isinstance(one, Unfaulted)]
        return Unfaulted(
            effects=(),
            seconds=max((one.seconds for one in good), default=0.0),
            cases=tuple(jobs),
            evidence={"jobs": jobs, "settings": settings},
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Go on with a saved state, or save one and go on with that."""
        job: _Job = unfaulted.evidence["jobs"][case]
        settings: Settings = unfaulted.evidence["settings"]
        if isinstance(job.reference, NotUsable):
            problem = job.reference
            return _result(subject, case, error(problem.detail), problem.evidence)
        if job.state is None:
            return _save_and_go_on(lab, subject, job.reference, case, settings)
        origin = job.state.origin
        if set(origin.expected) != set(job.reference.effects):
            here = ", ".join(job.reference.effects)
            there = ", ".join(origin.expected)
            detail = (
                "the two versions come to different effects without any fault, so nothing can be "
                f"judged: {there} under {origin.version}, {here} here"
            )
            return _result(subject, case, error(detail), {"saved": facts_about(job.state)})
        if (own := job.state.same_version).get("outcome") != Outcome.HELD:
            detail = (
                f"{origin.version} cannot go on with its own state either, so an upgrade cannot be "
                f"blamed: {own.get('detail') or 'nobody tried'}"
            )
            return _result(subject, case, error(detail), {"saved": facts_about(job.state)})
        return try_killed(self.name, lab, subject, job.reference, case, run=GoOn(job.state))


def _result(
    subject: Subject, case: Case, judgement: Judgement, evidence: Mapping[str, Any]
) -> Result:
    return Result(
        scenario=ResumeAfterUpgrade.name,
        target=subject.target,
        kill_point=case.kill_point,
        judgement=judgement,
        evidence=evidence,
        variant=subject.variant,
        point_detail=case.point_detail,
    )


def _origin_of(state: SavedState) -> str:
    """What stands in the id: the version, and the Python where that is another one."""
    ours = ".".join(platform.python_version_tuple()[:2])
    python = "" if state.minor == ours else f"-py{state.minor}"
    return f"from-{state.origin.version}{python}"


def _reference(lab: Lab, subject: Subject, *, asks: bool = False) -> Unfaulted | NotUsable:
    """The run without a fault, through the same pause, or why there is none."""
    try:
        with lab.trial(subject, APPROVAL if asks else None) as trial:
            return _run_reference(trial, lab.limits.unfaulted, asks=asks)
    except CannotStart as reason:
        return NotUsable(f"the agent could not be started: {reason}", {"stage": "unfaulted"})
    except NotUsable as problem:
        return problem


def _run_reference(trial: Trial, limit: float, *, asks: bool) -> Unfaulted:
    """The effects of a run without a fault, and what it stored.

    Raises:
        CannotStart: With the system's reason.
        NotUsable: It fails, or does not have each effect once.
    """
    ended, effects = run_unfaulted(trial, limit)
    if asks:
        _check_paused(trial, effects)
        approved = run_verb(trial, "approve", limit, DECISION)
        if approved.returncode != 0:
            how = "hung" if approved.returncode is None else f"ended with {approved.returncode}"
            raise NotUsable(
                f"a paused run cannot be approved without any fault: approve {how}",
                {"stage": "unfaulted", "stderr": approved.stderr},
            )
        effects = trial.provider.effects
    if not effects or set(effects.values()) != {1}:
        raise NotUsable(
            "the run without a fault does not have each of its effects exactly once: "
            f"{effects or 'it has none'}",
            {"stage": "unfaulted", "effects": effects},
        )
    reported = trial.inspect(limit)
    if broken := judge_history(reported, when="without a fault"):
        raise NotUsable(broken.detail, {"stage": "unfaulted", "reported": reported})
    return Unfaulted(
        effects=tuple(effects),
        seconds=ended.seconds,
        cases=(),
        evidence={
            "effects": effects,
            "seconds": round(ended.seconds, 3),
            "stored": count_kinds(reported),
        },
    )


def _check_paused(trial: Trial, effects: Mapping[str, int]) -> None:
    if "charge_card" in effects:
        raise NotUsable(
            "the run did not wait for approval: its tool was called although nobody had decided",
            {"stage": "unfaulted", "effects": dict(effects)},
        )
    trial.sweep()


def _save_and_go_on(
    lab: Lab, subject: Subject, reference: Unfaulted, case: Case, settings: Settings
) -> Result:
    """Stop a run and save it; its own version goes on with the copy, at another path."""
    name = lab.name_to_keep(f"{subject.variant}-{case.kill_point}")
    folder = lab.scratch / "states" / name
    stopped = try_killed(
        ResumeAfterUpgrade.name,
        lab,
        subject,
        reference,
        case,
        run=Stop(folder, settings),
        variables=APPROVAL if case.kill_point == PAUSED else None,
    )
    if stopped.verdict == ERROR:
        return stopped
    state = read_state(folder)
    own = try_killed(ResumeAfterUpgrade.name, lab, subject, reference, case, run=GoOn(state))
    if settings.save_states is not None:
        if own.verdict == ERROR:
            return own
        keep_state(
            state,
            settings.save_states / subject.variant / case.kill_point,
            {"verdict": own.verdict, "outcome": own.outcome, "detail": own.detail},
        )
        return _with_stop(own, stopped)
    if own.outcome != Outcome.HELD:
        detail = f"it cannot go on with its own state, so an upgrade cannot be blamed: {own.detail}"
        return replace(own, judgement=error(detail))
    # The controls: the upgrade is played.
    played = {WORLD_VARIABLE: FRAMEWORK_CHANGED}
    return try_killed(
        ResumeAfterUpgrade.name,
        lab,
        subject,
        reference,
        case,
        run=GoOn(state),
        variables=played,
    )


def _with_stop(own: Result, stopped: Result) -> Result:
    """The result with the proof of where the run was stopped."""
    if "kill" not in stopped.evidence:
        return own
    return replace(own, evidence={**own.evidence, "kill": stopped.evidence["kill"]})
