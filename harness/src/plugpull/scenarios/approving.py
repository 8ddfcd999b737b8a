"""Running a run that asks a human: to its pause, and on with what was decided."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugpull.lab import Ended, Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.scenarios.approvals import (
    DECISIONS_VARIABLE,
    FINISH,
    SHAPES,
    Decision,
    Shape,
    as_variable,
    environment,
)
from plugpull.scenarios.base import NotUsable, error, judge_ended_resume
from plugpull.scenarios.killing import note_stderr
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, Judgement, Outcome

__all__ = [
    "Process",
    "judge_unapproved",
    "note_process",
    "pause",
    "run_approved",
    "run_process",
    "set_aside",
    "set_decisions",
]


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a run that asks.

    Attributes:
        verb: What it was told to do.
        ended: How it ended.
        new_effects: Whether it had an effect.
    """

    verb: str
    ended: Ended
    new_effects: bool

    def refusal(self, subject: Subject) -> str | None:
        """The line in which it said no without doing anything, ``None`` if it did not."""
        if self.new_effects or self.ended.returncode in {0, None}:
            return None
        return subject.refused(self.ended.stderr)

    def judge(self, subject: Subject, limit: float, *, after: str) -> Judgement | None:
        """A FAIL for one that hung, refused or crashed; ``None`` for one that exited 0."""
        return judge_ended_resume(
            subject,
            self.ended,
            new_effects=self.new_effects,
            limit=limit,
            after=after,
            verb=self.verb,
        )


def run_process(
    trial: Trial,
    verb: str,
    limit: float,
    evidence: dict[str, Any],
    decisions: tuple[Decision, ...] | None = None,
) -> Process | Judgement:
    """Run one process of a run that asks; an ERROR if it could not be started.

    Args:
        trial: The run.
        verb: ``start``, ``resume`` or ``approve``.
        limit: Seconds it has.
        evidence: Gets how it ended, and what the provider had seen by then.
        decisions: What ``approve`` is told.
    """
    trial.provider.phase = verb
    if decisions is not None:
        set_decisions(trial, decisions)
    before = len(trial.provider.calls)
    set_aside(trial, verb)
    try:
        ended = trial.run(verb, limit, generation=0 if verb == "start" else 1)
    except CannotStart as reason:
        return error(f"{verb} could not be started: {trial.subject.argv[0]}: {reason}")
    note_process(trial, verb, ended.returncode, evidence, decisions)
    note_stderr(evidence, ended.stderr)
    new = any(call.recorded for call in trial.provider.calls[before:])
    return Process(verb, ended, new)


def set_decisions(trial: Trial, decisions: tuple[Decision, ...]) -> None:
    """Tell every process from here on what was decided."""
    trial.variables[DECISIONS_VARIABLE] = as_variable(decisions)


def note_process(
    trial: Trial,
    verb: str,
    returncode: int | None,
    evidence: dict[str, Any],
    decisions: tuple[Decision, ...] | None = None,
) -> None:
    """Keep how a process ended, and what the provider had seen by then."""
    one: dict[str, Any] = {"verb": verb}
    if decisions is not None:
        one["decisions"] = [decision.to_json() for decision in decisions]
    one |= {"returncode": returncode, "effects": trial.provider.effects}
    evidence.setdefault("processes", []).append(one)
    if verb != "start":
        evidence["resume_returncode"] = returncode


def set_aside(trial: Trial, verb: str) -> Path:
    """Keep what processes with this verb wrote by itself, so that the next one's is its own.

    One that still writes goes on writing to the file that was put aside.

    Returns:
        Where its standard error is now; no such file if nobody wrote before.
    """
    aside = trial.private / verb
    for kind in ("out", "err"):
        written = trial.private / f"{verb}.{kind}"
        free = (trial.private / f"{verb}-{number}.{kind}" for number in itertools.count(1))
        aside = next(place for place in free if not place.exists())
        if written.exists():
            written.rename(aside)
    return aside


def judge_unapproved(
    trial: Trial, shape: Shape, allowed: frozenset[str], *, when: str
) -> Judgement | None:
    """A FAIL for a gated effect that happened although nobody had allowed it."""
    for name in shape.gated:
        count = trial.provider.effects.get(name, 0)
        if count and name not in allowed:
            noun = "effect" if count == 1 else "effects"
            return Judgement(
                FAIL,
                Outcome.UNAPPROVED,
                f"effect unapproved: the provider saw {count} {name} {noun} {when} (expected 0)",
            )
    return None


def pause(
    trial: Trial, shape: Shape, limit: float, evidence: dict[str, Any], *, verb: str = "start"
) -> Judgement | None:
    """Run to where the run waits for a human.

    Returns:
        ``None`` when it has ended well and no gated effect has happened; the FAIL for a gated
        effect; the ERROR for a ``start`` that did not come so far.
    """
    done = run_process(trial, verb, limit, evidence)
    if isinstance(done, Judgement):
        return done
    unapproved = judge_unapproved(trial, shape, frozenset(), when="before anybody had decided")
    if unapproved or verb != "start":
        return unapproved or done.judge(trial.subject, limit, after="the kill")
    if done.ended.returncode is None:
        return error(f"start did not come to its pause within {limit:g} s")
    if done.ended.returncode != 0:
        return error(f"start exited {done.ended.returncode} and came to no pause")
    return judge_step(trial, shape)


def judge_step(trial: Trial, shape: Shape) -> Judgement | None:
    """An ERROR where the step that has to lie before the pause was not done by then."""
    for name in shape.before:
        if not trial.provider.effects.get(name):
            return error(
                f"the run paused before its step was done: the provider had seen no {name} effect"
            )
    return None


def run_approved(lab: Lab, subject: Subject, shape: str, *, strictly: bool) -> dict[str, Any]:
    """Run without a fault, through its pause and the approval of everything.

    Args:
        lab: Where it happens.
        subject: What is run.
        shape: How it asks.
        strictly: Every effect has to be there exactly once; else it is enough that the run ended.

    Returns:
        Its effects, its slowest process's seconds, and its processes, for the evidence.

    Raises:
        NotUsable: It failed, hung, or its effects are not what they have to be.
    """
    limit = lab.limits.unfaulted
    evidence: dict[str, Any] = {"stage": "unfaulted", "limit": limit}
    slowest = 0.0
    with lab.trial(subject, environment(shape)) as trial:
        provider = trial.provider
        for verb, decisions in (("start", None), ("approve", SHAPES[shape].approve_all)):
            done = run_process(trial, verb, limit, evidence, decisions)
            if isinstance(done, Judgement):
                raise NotUsable(done.detail, evidence)
            slowest = max(slowest, done.ended.seconds)
            evidence["calls"] = [call.to_json() for call in provider.calls]
            if done.ended.returncode is None:
                raise NotUsable(
                    f"the run without a fault did not end within {limit:g} s: {verb}", evidence
                )
            if done.ended.returncode != 0:
                raise NotUsable(
                    f"the run without a fault failed: {verb} exited {done.ended.returncode}",
                    evidence,
                )
            if verb == "start" and strictly and (early := _early(provider.effects, shape)):
                raise NotUsable(
                    f"the run without a fault did not wait for anybody: {early} happened before "
                    "the approval",
                    evidence,
                )
        effects = provider.effects
        if provider.refused:
            raise NotUsable(f"the provider refused a call: {provider.refused[0]}", evidence)
    if FINISH not in effects:
        raise NotUsable(
            f"the run without a fault never came to its end: no {FINISH} effect after approve",
            evidence,
        )
    if strictly and effects != dict.fromkeys(SHAPES[shape].effects, 1):
        seen = ", ".join(f"{count} {name}" for name, count in effects.items())
        raise NotUsable(
            f"the run without a fault had the effects {seen}; expected is 1 of each of "
            f"{', '.join(SHAPES[shape].effects)}",
            evidence,
        )
    return {
        "effects": effects,
        "seconds": round(slowest, 3),
        "processes": evidence["processes"],
    }


def _early(effects: dict[str, int], shape: str) -> str | None:
    """A gated effect that happened, or the end of the run."""
    return next((name for name in (*SHAPES[shape].gated, FINISH) if effects.get(name)), None)
