"""kill-sweep: SIGKILL at every call of a run in turn, and at random moments, then resume.

What should be true after: the end state is that of a run without a fault. Every effect happened
exactly once, the final output that ``inspect`` reports is the same, and so is what was left in the
work folder; in a history that it reports, each call has one answer.

Fault points: before and after the effect of each call (``before-effect``, ``after-effect``); the
same with a second kill at the first call of the resume (``...-twice``); and ``random-moment``, a
seeded time after the first call, which the evidence states so that it can be replayed.

A call is found by its effect and not by its number, so that calls made side by side may come in
any order. What the others of such a batch have come to when the kill lands is a matter of timing:
the kill waits until the work folder is at rest, and results at these calls are marked as
timing-dependent.

ERROR when a kill did not land as designed, or when runs without a fault do not leave the same
files. A file whose contents differ between two runs without a fault (a database with times in it)
is compared by its name alone, and the evidence says so. Nothing is called diverged before one more
run without a fault, made afterwards, has left what the first one did.
"""

from __future__ import annotations

from typing import Any

from plugpull.differences import Difference
from plugpull.endstate import tree_hash
from plugpull.lab import Lab, Trial
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error
from plugpull.scenarios.clean_run import CleanRun, EndState, end_state, run_clean, run_once_more
from plugpull.scenarios.killing import kill_at_moment, kill_in_call, kill_in_resume, resume, settle
from plugpull.scenarios.sweep_plan import (
    FAULT_POINTS,
    RANDOM_MOMENT,
    SINGLE_POINT,
    call_place,
    sweep_cases,
)
from plugpull.subject import Subject
from plugpull.verdicts import ERROR, FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["KillSweep"]

_SHOWN_DIFFERENCES = 3
_KEPT_DIFFERENCES = 50

# Runs with more calls than this keep them in the evidence only where something went wrong.
_MANY_CALLS = 50

# How many moments are tried in place of one before which the run had ended.
_TRIES = 8


class KillSweep:
    """SIGKILL at every call."""

    name = "kill-sweep"
    for_agents = True
    fault_points = FAULT_POINTS

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run twice without a fault: what there is to kill at, and what the end state is.

        Raises:
            NotUsable: A run failed, made no call, or the two did not come to the same.
        """
        ignore = (*subject.ignore, *settings.ignore)
        clean = run_clean(lab, subject, ignore)
        return Unfaulted(
            effects=tuple(clean.effects),
            seconds=clean.seconds,
            cases=tuple(sweep_cases(clean.calls, clean.span, settings)),
            evidence={
                "effects": clean.effects,
                "seconds": round(clean.seconds, 3),
                "clean": clean,
                "exact_moment": settings.moment is not None,
            },
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill, resume, and compare the end states."""
        clean: CleanRun = unfaulted.evidence["clean"]
        exact = unfaulted.evidence["exact_moment"]
        seconds = case.seconds
        for left in reversed(range(1 if exact else _TRIES)):
            attempt = _Attempt(lab, subject, clean, case, seconds)
            judgement = attempt.run()
            if not attempt.ended_before:
                break
            # Runs differ in speed. A moment that came too late proves nothing; an earlier one does,
            # and the earliest is in the first call, which no run can end before.
            seconds = round(seconds / 2, 6) if left > 1 else 0.0
        return Result(
            scenario=self.name,
            target=subject.target,
            kill_point=case.kill_point,
            judgement=judgement,
            evidence=attempt.evidence,
            variant=subject.variant,
            point_detail=case.point_detail,
            timing_dependent=_depends_on_timing(case, clean),
        )


class _Attempt:
    """One run that is killed, and what it comes to.

    Args:
        lab: Where it happens.
        subject: What is run.
        clean: What it is compared with.
        case: Where it is killed.
        seconds: When, for a random moment; not always what the case says.
    """

    def __init__(
        self, lab: Lab, subject: Subject, clean: CleanRun, case: Case, seconds: float
    ) -> None:
        self._lab = lab
        self._subject = subject
        self._clean = clean
        self._case = case
        self._seconds = seconds
        self._limit = lab.limits.faulted(clean.seconds)
        self.ended_before = False
        self.evidence: dict[str, Any] = {
            "unfaulted": {
                "effects": clean.effects,
                "seconds": round(clean.seconds, 3),
                "tree_hash": tree_hash(clean.end_state.tree),
                "output": clean.end_state.output,
                "number_of_calls": len(clean.calls),
            },
            "compared_by_name": sorted(clean.by_name),
            "limit": round(self._limit, 3),
            "launcher": lab.launcher.name,
        }

    def run(self) -> Judgement:
        """The verdict, with the place of the kill before its sentence."""
        evidence = self.evidence
        with self._lab.trial(self._subject) as trial:
            judgement = self._kill(trial) or resume_once(trial, self._limit, evidence)
            if judgement is None or judgement.verdict != ERROR:
                judgement = self._judge(trial, judgement)
            evidence["effects"] = trial.provider.effects
            calls = trial.provider.calls
            if len(calls) <= _MANY_CALLS or judgement.verdict != PASS:
                evidence["calls"] = [call.to_json() for call in calls]
            if strays := trial.sweep():
                evidence["left_group"] = strays
            if judgement.verdict != PASS and not self.ended_before:
                place = f"{self._case.kill_point}-{self._case.point_detail}"
                trial.keep(f"kill-sweep-{self._subject.variant}-{place}")
        return Judgement(
            judgement.verdict, judgement.outcome, f"{self._place()}: {judgement.detail}"
        )

    def _kill(self, trial: Trial) -> Judgement | None:
        case, evidence = self._case, self.evidence
        if case.kill_point == RANDOM_MOMENT:
            evidence["moment"] = self._seconds
            broken = kill_at_moment(trial, self._seconds, self._limit, evidence)
            self.ended_before = bool(evidence.get("ended_before_the_kill"))
            return broken
        place = call_place(self._clean.calls, case.number)
        evidence["killed_at"] = {"call": case.number, "effect": place.effect}
        point = SINGLE_POINT.get(case.kill_point, case.kill_point)
        killed = kill_in_call(
            trial,
            point,
            self._limit,
            evidence,
            number=place.number,
            effect=place.effect,
            before_kill=lambda: self._let_siblings_save(trial, place.effect),
        )
        if isinstance(killed, Judgement):
            return killed
        if case.kill_point in SINGLE_POINT:
            return kill_in_resume(trial, point, self._limit, evidence)
        return None

    def _let_siblings_save(self, trial: Trial, effect: str) -> None:
        if effect in self._clean.side_by_side:
            settle(trial)

    def _judge(self, trial: Trial, broken: Judgement | None) -> Judgement:
        """What the run came to: how its resume ended first, then effects, then the end state."""
        clean, evidence = self._clean, self.evidence
        broken = broken or judge_effects(clean.effects, trial.provider.effects, when="after resume")
        found = end_state(trial, self._limit, clean.ignore)
        evidence |= {"tree_hash": tree_hash(found.tree), "output": found.output}
        if found.unread:
            evidence["inspect"] = found.unread
        if found.unpaired and broken is None:
            broken = Judgement(
                FAIL, Outcome.UNPAIRED, f"stored history broken after resume: {found.unpaired}"
            )
        if broken:
            _keep(evidence, clean.differences(found))
            return broken
        return self._judge_end_state(found)

    def _judge_end_state(self, found: EndState) -> Judgement:
        held = Judgement(PASS, Outcome.HELD, "the end state is that of a run without a fault")
        if self.evidence.get("second_kill") is None and self._case.kill_point in SINGLE_POINT:
            held = Judgement(PASS, Outcome.HELD, f"no call was left to kill at, and {held.detail}")
        if not self._clean.differences(found):
            return held
        try:
            clean = run_once_more(self._lab, self._subject, self._clean)
        except NotUsable as reason:
            return error(reason.detail)
        self.evidence["compared_by_name"] = sorted(clean.by_name)
        differing = clean.differences(found)
        if not differing:
            return held
        _keep(self.evidence, differing)
        if all(one.loss for one in differing):
            return Judgement(FAIL, Outcome.STATE_LOST, f"state lost: {_shown(differing)}")
        return Judgement(FAIL, Outcome.DIVERGED, f"end state diverged: {_shown(differing)}")

    def _place(self) -> str:
        if self._case.kill_point == RANDOM_MOMENT:
            return f"{self._seconds:.6f} s after the first call"
        return f"call {self._case.number}"


def _depends_on_timing(case: Case, clean: CleanRun) -> bool:
    if case.kill_point == RANDOM_MOMENT:
        return True
    if case.kill_point in SINGLE_POINT:
        return bool(clean.side_by_side)
    return clean.calls[case.number - 1] in clean.side_by_side


def _keep(evidence: dict[str, Any], differing: list[Difference]) -> None:
    if differing:
        evidence["differs"] = [one.text for one in differing[:_KEPT_DIFFERENCES]]
        if len(differing) > _KEPT_DIFFERENCES:
            evidence["differs"].append(f"and {len(differing) - _KEPT_DIFFERENCES} more")


def _shown(differing: list[Difference]) -> str:
    more = len(differing) - _SHOWN_DIFFERENCES
    shown = "; ".join(one.text for one in differing[:_SHOWN_DIFFERENCES])
    return shown + (f"; and {more} more" if more > 0 else "")


def resume_once(trial: Trial, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Go on, unless the run came to its end in the resume that was to be killed."""
    if "resume_returncode" in evidence:
        return None
    return resume(trial, limit, evidence)
