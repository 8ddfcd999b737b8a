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

import json
import platform
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plugpull.facts import now
from plugpull.lab import Ended, Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.saved_states import (
    Origin,
    SavedState,
    keep_state,
    program_hash,
    read_state,
    restore,
    save_state,
)
from plugpull.scenarios.base import (
    Case,
    NotUsable,
    Settings,
    Unfaulted,
    error,
    run_unfaulted,
)
from plugpull.scenarios.changed_world import FRAMEWORK_CHANGED, WORLD_VARIABLE
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.killing import kill_in_call, note_stderr, settle
from plugpull.scenarios.refusals import find_refusal
from plugpull.scenarios.trying import try_killed
from plugpull.subject import Subject
from plugpull.verdicts import ERROR, FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["KILLED_AFTER", "KILLED_BEFORE", "PAUSED", "ResumeAfterUpgrade"]

KILLED_BEFORE = "killed-before-effect"
KILLED_AFTER = "killed-after-effect"
PAUSED = "paused"

_HELD = {KILLED_BEFORE: BEFORE_EFFECT, KILLED_AFTER: AFTER_EFFECT}
# Runs that ask a person are another kind of run: they have a run without a fault of their own.
_APPROVAL = {"PLUGPULL_APPROVAL": "one"}
_DECISION = {"PLUGPULL_DECISIONS": json.dumps([{"call": "charge_card", "decision": "approve"}])}
_COUNTED = ("user", "call", "answer")


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
        if wanted & set(_HELD):
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
            return _result(subject, case, error(detail), {"saved": _facts(job.state)})
        if (own := job.state.same_version).get("outcome") != Outcome.HELD:
            detail = (
                f"{origin.version} cannot go on with its own state either, so an upgrade cannot be "
                f"blamed: {own.get('detail') or 'nobody tried'}"
            )
            return _result(subject, case, error(detail), {"saved": _facts(job.state)})
        return try_killed(self.name, lab, subject, job.reference, case, run=_GoOn(job.state))


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


# -- the run without a fault -----------------------------------------------------------------------


def _reference(lab: Lab, subject: Subject, *, asks: bool = False) -> Unfaulted | NotUsable:
    """The run without a fault, through the same pause, or why there is none."""
    try:
        with lab.trial(subject, _APPROVAL if asks else None) as trial:
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
        approved = _run_verb(trial, "approve", limit, _DECISION)
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
            "stored": _count(reported),
        },
    )


def _check_paused(trial: Trial, effects: Mapping[str, int]) -> None:
    if "charge_card" in effects:
        raise NotUsable(
            "the run did not wait for approval: its tool was called although nobody had decided",
            {"stage": "unfaulted", "effects": dict(effects)},
        )
    trial.sweep()


def _run_verb(trial: Trial, verb: str, limit: float, variables: Mapping[str, str]) -> Ended:
    """Run one verb with variables of its own.

    Raises:
        CannotStart: With the system's reason.
    """
    before = dict(trial.variables)
    trial.variables |= variables
    try:
        return trial.run(verb, limit, generation=1)
    finally:
        trial.variables = before


def _count(reported: Mapping[str, Any] | None) -> dict[str, int]:
    if reported is None:
        return {}
    return dict(Counter(one["kind"] for one in reported["history"]))


# -- saving ----------------------------------------------------------------------------------------


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
        run=_Stop(folder, settings),
        variables=_APPROVAL if case.kill_point == PAUSED else None,
    )
    if stopped.verdict == ERROR:
        return stopped
    state = read_state(folder)
    own = try_killed(ResumeAfterUpgrade.name, lab, subject, reference, case, run=_GoOn(state))
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
        run=_GoOn(state),
        variables=played,
    )


def _with_stop(own: Result, stopped: Result) -> Result:
    """The result with the proof of where the run was stopped."""
    if "kill" not in stopped.evidence:
        return own
    return replace(own, evidence={**own.evidence, "kill": stopped.evidence["kill"]})


@dataclass(frozen=True, slots=True)
class _Stop:
    """Brings a run to the fault point and copies what it has saved."""

    folder: Path
    settings: Settings

    def __call__(
        self,
        trial: Trial,
        unfaulted: Unfaulted,
        point: str,
        limit: float,
        evidence: dict[str, Any],
    ) -> Judgement:
        stop = _pause if point == PAUSED else _kill
        if (problem := stop(trial, point, limit, evidence)) is not None:
            return problem
        trial.sweep()
        origin = Origin(
            framework=self.settings.framework,
            version=self.settings.version,
            python=platform.python_version(),
            variant=trial.subject.variant,
            point=point,
            recorded=now(),
            expected=unfaulted.effects,
            stored=unfaulted.evidence["stored"],
            program=_program(trial.subject),
        )
        save_state(self.folder, trial.work, origin, trial.provider.calls)
        return Judgement(PASS, Outcome.HELD, "the state was saved")


def _kill(trial: Trial, point: str, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Kill in the tool. What had begun to be saved when the tool was called is saved by then.

    Whether a version saves in time is kill-mid-tool's question.
    """
    killed = kill_in_call(trial, _HELD[point], limit, evidence, before_kill=lambda: settle(trial))
    return killed if isinstance(killed, Judgement) else None


def _pause(trial: Trial, _point: str, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Run until a person has to approve."""
    trial.provider.phase = "start"
    try:
        ended = trial.run("start", limit)
    except CannotStart as reason:
        return error(f"the agent could not be started: {reason}")
    if ended.returncode != 0:
        note_stderr(evidence, ended.stderr)
        return error(f"the run did not pause: start ended with {ended.returncode}")
    if "charge_card" in trial.provider.effects:
        return error("the run did not pause: its tool was called")
    return None


def _program(subject: Subject) -> str:
    return "" if subject.program is None else program_hash(subject.program.parent)


# -- going on --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _GoOn:
    """Goes on with a saved state."""

    state: SavedState

    def __call__(
        self,
        trial: Trial,
        unfaulted: Unfaulted,
        point: str,
        limit: float,
        evidence: dict[str, Any],
    ) -> Judgement:
        state = self.state
        restore(state, trial.work)
        trial.provider.remember(state.calls)
        evidence["saved"] = _facts(state)
        if state.origin.program != _program(trial.subject):
            evidence["program_changed"] = True
        before = len(trial.provider.calls)
        trial.provider.phase = "resume"
        verb, variables = ("approve", _APPROVAL | _DECISION) if point == PAUSED else ("resume", {})
        try:
            ended = _run_verb(trial, verb, limit, variables)
        except CannotStart as reason:
            return error(f"{verb} could not be started: {reason}")
        evidence["resume_returncode"] = ended.returncode
        note_stderr(evidence, ended.stderr)
        if (reported := trial.inspect(limit)) is not None:
            evidence["reported"] = reported
        called = len(trial.provider.calls) > before
        judgement = (
            _judge_end(trial.subject, ended, verb, limit, called=called)
            or _judge_effects(trial, unfaulted, ended)
            or judge_history(reported, when="after resume")
            or _judge_stored(reported, state.origin.stored, unfaulted.evidence["stored"])
            or Judgement(PASS, Outcome.HELD, "the run went on and came to what it should")
        )
        detail = f"saved by {state.origin.version}: {judgement.detail}"
        if state.holds_its_path and judgement.verdict != PASS:
            detail += (
                " (the saved state holds the path of its work folder, which is another one now)"
            )
        if evidence.get("program_changed") and judgement.verdict == FAIL:
            # It may be the program that no longer goes with the state.
            return error(
                "the target's program has changed since the state was saved, so nobody knows what "
                f"is to blame; save it again. {detail}"
            )
        return replace(judgement, detail=detail)


def _facts(state: SavedState) -> dict[str, Any]:
    """What stands in the evidence about a state."""
    origin = state.origin
    return {
        "version": origin.version,
        "python": origin.python,
        "recorded": origin.recorded,
        "harness_version": origin.harness_version,
        "calls": [
            {"effect": one.effect, "key": one.key, "recorded": one.recorded} for one in state.calls
        ],
        "holds_its_path": state.holds_its_path,
        "same_version": dict(state.same_version),
    }


def _judge_end(
    subject: Subject, ended: Ended, verb: str, limit: float, *, called: bool
) -> Judgement | None:
    """A judgement of a process that did not exit 0: refused with a clear message, or broken."""
    if ended.returncode == 0:
        return None
    if ended.returncode is None:
        return Judgement(FAIL, Outcome.HUNG, f"{verb} hung: still running after {limit:g} s")
    if ended.returncode < 0:
        return Judgement(FAIL, Outcome.CRASHED, f"{verb} died of signal {-ended.returncode}")
    if called:
        return Judgement(FAIL, Outcome.CRASHED, f"{verb} failed after it had made a call")
    pattern = subject.worlds.get(FRAMEWORK_CHANGED)
    said = find_refusal(pattern, ended.stderr) if pattern is not None else None
    if said := said or subject.refused(ended.stderr):
        return Judgement(PASS, Outcome.REFUSED, f"refused, and says why: {said}")
    lines = ended.stderr.strip().splitlines()
    last = f": {lines[-1].strip()}" if lines else ", and nothing was said"
    return Judgement(
        FAIL, Outcome.CRASHED, f"the run could not be gone on with, and no version is named{last}"
    )


def _judge_effects(trial: Trial, unfaulted: Unfaulted, ended: Ended) -> Judgement | None:
    wrong = judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
    if wrong is None:
        return None
    pattern = trial.subject.worlds.get(FRAMEWORK_CHANGED)
    said = find_refusal(pattern, ended.stderr) if pattern is not None else None
    how = f"it went on, although it said {said!r}" if said else "it went on silently"
    return replace(wrong, detail=f"{how}, and {wrong.detail}")


def _judge_stored(
    reported: Mapping[str, Any] | None, there: Mapping[str, int], here: Mapping[str, int]
) -> Judgement | None:
    """The finished run's history has what either version stores of a run without a fault.

    What is reported can spoil a PASS and excuse nothing.
    """
    if reported is None or not there:
        return None
    found = _count(reported)
    for kind in _COUNTED:
        expected = min(there.get(kind, 0), here.get(kind, 0))
        if found.get(kind, 0) < expected:
            return Judgement(
                FAIL,
                Outcome.STATE_LOST,
                f"state lost: the stored history holds {found.get(kind, 0)} entries of kind "
                f"{kind!r} after resume (expected {expected})",
            )
    return None
