"""Killing an agent inside one call to the provider: what all scenarios that kill have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plugpull.killcheck import pull_the_plug
from plugpull.lab import Trial
from plugpull.processes.launcher import CannotStart
from plugpull.provider import HeldCall
from plugpull.scenarios.base import error, judge_ended_resume
from plugpull.subject import Subject
from plugpull.verdicts import Judgement

__all__ = ["kill_in_call", "note_stderr", "resume"]


def kill_in_call(
    trial: Trial,
    point: str,
    limit: float,
    evidence: dict[str, Any],
    *,
    verb: str = "start",
    number: int = 1,
    before_kill: Callable[[], None] = lambda: None,
) -> HeldCall | Judgement:
    """Start the agent, hold one of its calls, and kill it there.

    Args:
        trial: The run.
        point: Before or after the effect.
        limit: Seconds the agent has to make its call.
        evidence: Gets what was measured.
        verb: How the agent is started.
        number: Which call of this process is held, counted from 1.
        before_kill: Done while the call is held.

    Returns:
        The call in which the agent died, or the ERROR that says why it did not die as designed.
    """
    provider = trial.provider
    provider.phase = verb
    provider.hold_next(point, number)
    generation = 0 if verb == "start" else 1
    try:
        agent = trial.launch(verb, generation=generation)
    except CannotStart as reason:
        return error(f"the agent could not be started: {trial.subject.argv[0]}: {reason}")
    held = provider.wait_held(limit, lambda: agent.poll() is None)
    if held is None:
        status = agent.poll()
        evidence["ended_by_itself"] = status
        trial.end(agent)
        provider.drop_held()
        note_stderr(evidence, trial.stderr(verb))
        what = "the provider" if number == 1 else f"the provider {number} times"
        if status is None:
            return error(f"the tool did not call {what} within {limit:g} s")
        return error(f"the agent exited (status {status}) before its tool called {what}")
    before_kill()
    kill = pull_the_plug(agent, held)
    evidence["kill"] = kill.evidence
    trial.end(agent)
    if kill.problem:
        # While the call is held: a process that left the group may end once it is closed,
        # and nobody could name it then.
        trial.sweep()
    provider.drop_held()
    if kill.problem:
        note_stderr(evidence, trial.stderr(verb))
        return error(f"the kill did not land in the tool: {kill.problem}")
    return held


def resume(trial: Trial, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Go on in a new process; a judgement if that did not end well, ``None`` if it exited 0."""
    subject: Subject = trial.subject
    trial.provider.phase = "resume"
    before = len(trial.provider.calls)
    try:
        ended = trial.run("resume", limit, generation=1)
    except CannotStart as reason:
        return error(f"resume could not be started: {subject.argv[0]}: {reason}")
    evidence["resume_returncode"] = ended.returncode
    note_stderr(evidence, ended.stderr)
    return judge_ended_resume(
        subject,
        ended,
        new_effects=any(call.recorded for call in trial.provider.calls[before:]),
        limit=limit,
        after="the kill",
    )


def note_stderr(evidence: dict[str, Any], stderr: str) -> None:
    """Keep what a process wrote to standard error, if it wrote anything."""
    if stderr:
        evidence["stderr"] = stderr
