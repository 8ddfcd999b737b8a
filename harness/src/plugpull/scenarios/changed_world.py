"""changed-world: a run is killed in its tool, and something else has changed when it resumes.

What should be true after: the run goes on and comes to what it would have come to, or it is refused
with a message that names the difference. Going on silently to a wrong outcome is the failure.

Fault points: ``tool-schema-changed`` (the tool takes other arguments), ``tool-removed`` (it is no
longer among the agent's tools), ``model-renamed`` (the model has another name), and, when another
interpreter is given with ``--other-python``, ``framework-changed`` (the resume runs under another
version of the framework). The change reaches the resume through ``PLUGPULL_WORLD``; a manifest's
``worlds`` says which changes a target can show, and what a refusal has to name.

That the world did change is proven for a run that goes on: what ``inspect`` reports as ``world`` is
no longer what it was. That the change is to blame is proven by the same kill with a resume in the
world as it was, which has to hold.

ERROR when the kill did not land as designed, when the world did not change, or when the same kill
does harm without any change.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugpull.lab import Ended, Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.provider import BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.killing import kill_in_call, note_stderr, resume
from plugpull.scenarios.refusals import find_refusal
from plugpull.scenarios.trying import try_killed
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["FRAMEWORK_CHANGED", "WORLDS", "WORLD_VARIABLE", "ChangedWorld"]

#: Environment variable that says what has changed.
WORLD_VARIABLE = "PLUGPULL_WORLD"
FRAMEWORK_CHANGED = "framework-changed"

_ANNOUNCED = ("tool-schema-changed", "tool-removed", "model-renamed")

#: Every change there is.
WORLDS = (*_ANNOUNCED, FRAMEWORK_CHANGED)


@dataclass(frozen=True, slots=True)
class _Other:
    """The interpreter to resume under, and the framework's version there."""

    python: Path
    version: str


class ChangedWorld:
    """Killed in a tool, resumed in another world."""

    name = "changed-world"
    for_agents = False
    fault_points = _ANNOUNCED

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end, and again with the kill and a resume in the world as it was.

        Raises:
            NotUsable: One of them failed, there is no change that the target can show, or it does
                not report its world.
        """
        other = None
        if settings.resume_python is not None:
            other = _Other(settings.resume_python, settings.resume_version)
        wanted = WORLDS if other else _ANNOUNCED
        worlds = tuple(world for world in wanted if world in subject.worlds)
        if not worlds:
            raise NotUsable(
                "the target's manifest names no world it can be resumed in", {"stage": "unfaulted"}
            )
        limit = lab.limits.unfaulted
        with lab.trial(subject) as trial:
            ended, effects = run_unfaulted(trial, limit)
            if not effects:
                raise NotUsable(
                    "the agent exited (code 0) and its tool never called the provider",
                    {"stage": "unfaulted", "effects": effects},
                )
            world = _world_of(trial, limit)
        unfaulted = Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=tuple(Case(world) for world in worlds),
            evidence={
                "effects": effects,
                "seconds": round(ended.seconds, 3),
                "world": world,
                "other": other,
            },
        )
        _check_unchanged(lab, subject, unfaulted)
        if FRAMEWORK_CHANGED in worlds and other is not None:
            _check_other(lab, subject, unfaulted, other)
        return unfaulted

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill, change the world, resume."""
        return try_killed(self.name, lab, subject, unfaulted, case, run=_run)


def _check_unchanged(lab: Lab, subject: Subject, unfaulted: Unfaulted) -> None:
    """The same kill in a world that stays as it was has to do no harm.

    Raises:
        NotUsable: It does, so a changed world could not be blamed for anything.
    """
    limit = lab.limits.faulted(unfaulted.seconds)
    evidence: dict[str, Any] = {"stage": "unchanged"}
    with lab.trial(subject) as trial:
        killed = kill_in_call(trial, BEFORE_EFFECT, limit, evidence)
        broken = (
            killed
            if isinstance(killed, Judgement)
            else resume(trial, limit, evidence)
            or judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
        )
        evidence["effects"] = trial.provider.effects
    if broken:
        raise NotUsable(
            "in a world that has not changed the same kill does harm already, so a change cannot "
            f"be blamed: {broken.detail}",
            evidence,
        )


def _check_other(lab: Lab, subject: Subject, unfaulted: Unfaulted, other: _Other) -> None:
    """The target has to run under the other interpreter, without any fault.

    Raises:
        NotUsable: It does not.
    """
    with lab.trial(subject) as trial:
        trial.python_after = other.python
        try:
            ended = trial.run("start", lab.limits.unfaulted, generation=1)
        except CannotStart as reason:
            raise NotUsable(f"{other.python} cannot be started: {reason}", {}) from reason
        evidence = {"stage": "other-python", "stderr": ended.stderr}
        if ended.returncode != 0:
            raise NotUsable(
                f"a run without a fault fails under {other.python}: start ended with "
                f"{ended.returncode}",
                evidence,
            )
        if wrong := judge_effects(unfaulted.effects, trial.provider.effects, when="there"):
            raise NotUsable(
                f"a run without a fault differs under {other.python}: {wrong.detail}", evidence
            )


def _world_of(trial: Trial, limit: float) -> Any:
    """What the target says its world is; ``None`` for one that has no ``inspect``.

    Raises:
        NotUsable: It has ``inspect``, and that does not say it.
    """
    reported = trial.inspect(limit)
    if reported is None:
        return None
    if not reported.get("world"):
        raise NotUsable(
            "inspect does not report the target's world (its tools, its model), so nobody could "
            f"tell whether it changed: {reported.get('error', 'there is no world in the report')}",
            {"stage": "unfaulted", "reported": reported},
        )
    return reported["world"]


def _run(
    trial: Trial, unfaulted: Unfaulted, world: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    killed = kill_in_call(trial, BEFORE_EFFECT, limit, evidence)
    if isinstance(killed, Judgement):
        return killed
    if world == FRAMEWORK_CHANGED:
        other: _Other = unfaulted.evidence["other"]
        trial.python_after = other.python
        evidence |= {"resume_python": str(other.python), "resume_version": other.version}
    else:
        trial.variables[WORLD_VARIABLE] = world
    trial.provider.phase = "resume"
    try:
        ended = trial.run("resume", limit, generation=1)
    except CannotStart as reason:
        return error(f"resume could not be started: {reason}")
    evidence["resume_returncode"] = ended.returncode
    note_stderr(evidence, ended.stderr)
    if (reported := trial.inspect(limit)) is not None:
        evidence["reported"] = reported
    broken = _judge_end(trial, ended, world, limit)
    return broken or _judge_run(trial, unfaulted, world, ended, reported)


def _judge_end(trial: Trial, ended: Ended, world: str, limit: float) -> Judgement | None:
    """A judgement of a resume that did not exit 0."""
    if ended.returncode is None:
        return Judgement(FAIL, Outcome.HUNG, f"resume hung: still running after {limit:g} s")
    return _judge_refusal(trial, ended, world) if ended.returncode else None


def _judge_run(
    trial: Trial,
    unfaulted: Unfaulted,
    world: str,
    ended: Ended,
    reported: dict[str, Any] | None,
) -> Judgement:
    """A judgement of a resume that exited 0; it has to have seen another world."""
    if world != FRAMEWORK_CHANGED and reported is not None:
        if not reported.get("world"):
            why = reported.get("error", "inspect did not report it")
            return error(f"nobody knows whether the world changed: {why}")
        if reported["world"] == unfaulted.evidence["world"]:
            return error(f"the target did not change its world: {WORLD_VARIABLE}={world}")
    wrong = judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
    if wrong is None:
        under = ""
        if world == FRAMEWORK_CHANGED:
            under = f" under {unfaulted.evidence['other'].version}"
        return Judgement(PASS, Outcome.HELD, f"the run went on{under} and came to what it should")
    said = find_refusal(trial.subject.worlds[world], ended.stderr)
    how = f"resume went on, although it said {said!r}" if said else "resume went on silently"
    return Judgement(wrong.verdict, wrong.outcome, f"{how}, and {wrong.detail}")


def _judge_refusal(trial: Trial, ended: Ended, world: str) -> Judgement:
    """A resume that failed: refused with a message that names the difference, or just broken."""
    names = trial.subject.worlds[world]
    if any(call.phase == "resume" for call in trial.provider.calls):
        return Judgement(FAIL, Outcome.CRASHED, "resume failed after it had made a call")
    if ended.returncode is not None and ended.returncode < 0:
        return Judgement(FAIL, Outcome.CRASHED, f"resume died of signal {-ended.returncode}")
    if said := find_refusal(names, ended.stderr):
        return Judgement(PASS, Outcome.REFUSED, f"refused, and says why: {said}")
    return Judgement(
        FAIL,
        Outcome.CRASHED,
        f"run could not be resumed, and the message does not name the difference ({names.pattern})",
    )
