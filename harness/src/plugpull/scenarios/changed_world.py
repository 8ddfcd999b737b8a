"""changed-world: a run is killed in its tool, and something else has changed when it resumes.

What should be true after: the run goes on and comes to what it would have come to, or it is refused
with a message that names the difference. Going on silently to a wrong outcome is the failure.

Fault points: ``tool-schema-changed`` (the tool takes other arguments), ``tool-removed`` (it is no
longer among the agent's tools), ``model-renamed`` (the model has another name), and, when another
interpreter is given with ``--other-python``, ``framework-changed`` (the resume runs under another
version of the framework). The change reaches the resume through ``PLUGPULL_WORLD``; a manifest's
``worlds`` says which changes a target can show, and what a refusal has to name.

ERROR when the kill did not land as designed.
"""

from __future__ import annotations

import re
from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.provider import BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.killing import kill_in_call, note_stderr
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["ChangedWorld"]

#: Environment variable that says what has changed.
WORLD_VARIABLE = "PLUGPULL_WORLD"
FRAMEWORK_CHANGED = "framework-changed"


class ChangedWorld:
    """Killed in a tool, resumed in another world."""

    name = "changed-world"
    for_agents = False
    fault_points = ("tool-schema-changed", "tool-removed", "model-renamed")

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end in the world as it was.

        Raises:
            NotUsable: It failed, or there is no change that the target can show.
        """
        with lab.trial(subject) as trial:
            ended, effects = run_unfaulted(trial, lab.limits.unfaulted)
        points = self.fault_points
        if settings.resume_python is not None:
            points = (*points, FRAMEWORK_CHANGED)
        worlds = [point for point in points if point in subject.worlds]
        if not effects or not worlds:
            raise NotUsable(
                "the target's manifest names no world it can be resumed in"
                if effects
                else "the agent exited (code 0) and its tool never called the provider",
                {"stage": "unfaulted", "effects": effects},
            )
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=tuple(Case(world) for world in worlds),
            evidence={
                "effects": effects,
                "seconds": round(ended.seconds, 3),
                "resume_python": settings.resume_python,
            },
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill, change the world, resume."""
        limit = lab.limits.faulted(unfaulted.seconds)
        evidence: dict[str, Any] = {
            "unfaulted": {key: unfaulted.evidence[key] for key in ("effects", "seconds")},
            "limit": round(limit, 3),
            "launcher": lab.launcher.name,
        }
        with lab.trial(subject) as trial:
            judgement = self._run(trial, unfaulted, case, limit, evidence)
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
        self, trial: Trial, unfaulted: Unfaulted, case: Case, limit: float, evidence: dict[str, Any]
    ) -> Judgement:
        killed = kill_in_call(trial, BEFORE_EFFECT, limit, evidence)
        if isinstance(killed, Judgement):
            return killed
        if case.kill_point == FRAMEWORK_CHANGED:
            trial.python_after = unfaulted.evidence["resume_python"]
            evidence["resume_python"] = str(trial.python_after)
        else:
            trial.variables[WORLD_VARIABLE] = case.kill_point
        trial.provider.phase = "resume"
        try:
            ended = trial.run("resume", limit, generation=1)
        except CannotStart as reason:
            return error(f"resume could not be started: {reason}")
        evidence["resume_returncode"] = ended.returncode
        note_stderr(evidence, ended.stderr)
        if (reported := trial.inspect(limit)) is not None:
            evidence["reported"] = reported
        if ended.returncode is None:
            return Judgement(FAIL, Outcome.HUNG, f"resume hung: still running after {limit:g} s")
        made = any(call.phase == "resume" for call in trial.provider.calls)
        if ended.returncode != 0:
            return _judge_refusal(trial.subject.worlds[case.kill_point], ended.stderr, made=made)
        wrong = judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
        if wrong:
            return Judgement(
                wrong.verdict, wrong.outcome, f"resume went on silently, and {wrong.detail}"
            )
        return Judgement(PASS, Outcome.HELD, "the run went on and came to what it should")


def _judge_refusal(names: re.Pattern[str], stderr: str, *, made: bool) -> Judgement:
    """A resume that failed: refused with a message that names the difference, or just broken."""
    lines = [line.strip() for line in stderr.splitlines() if names.search(line)]
    if lines and not made:
        return Judgement(PASS, Outcome.REFUSED, f"refused, and says why: {lines[-1]}")
    if made:
        return Judgement(FAIL, Outcome.CRASHED, "resume failed after it had made a call")
    return Judgement(
        FAIL,
        Outcome.CRASHED,
        f"run could not be resumed, and the message does not name the difference ({names.pattern})",
    )
