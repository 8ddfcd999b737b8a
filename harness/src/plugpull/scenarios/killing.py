"""Killing an agent inside one call to the provider: what all scenarios that kill have in common."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from typing import Any

from plugpull.endstate import snapshot
from plugpull.killcheck import pull_the_plug
from plugpull.lab import Ended, Trial
from plugpull.processes.launcher import LOST, CannotStart, kill_group
from plugpull.provider import AFTER_EFFECT
from plugpull.provider_calls import HeldCall
from plugpull.scenarios.base import error, judge_ended_resume
from plugpull.scenarios.holding import hold_in_call, note_stderr
from plugpull.subject import Subject
from plugpull.verdicts import Judgement

__all__ = [
    "go_on",
    "kill_at_moment",
    "kill_in_call",
    "kill_in_resume",
    "note_stderr",
    "resume",
    "settle",
]

# Seconds without a change after which a run counts as settled, and the most to wait.
_SETTLED = 0.15
_SETTLES_WITHIN = 3.0
_GLANCES = 5


def kill_in_call(
    trial: Trial,
    point: str,
    limit: float,
    evidence: dict[str, Any],
    *,
    verb: str = "start",
    number: int = 1,
    effect: str | None = None,
    stop_there: bool = False,
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
        effect: Count the calls with this effect only, ``None`` for all.
        stop_there: Hold the calls that come after it as well.
        before_kill: Done while the call is held.

    Returns:
        The call in which the agent died, or the ERROR that says why it did not die as designed.
    """
    standing = hold_in_call(
        trial,
        point,
        limit,
        evidence,
        verb=verb,
        number=number,
        effect=effect,
        stop_there=stop_there,
    )
    if isinstance(standing, Judgement):
        return standing
    agent, held = standing
    before_kill()
    kill = pull_the_plug(agent, held)
    evidence["kill"] = kill.evidence
    trial.end(agent)
    if kill.problem:
        # While the call is held: a process that left the group may end once it is closed,
        # and nobody could name it then.
        trial.sweep()
    trial.provider.drop_held()
    if kill.problem:
        note_stderr(evidence, trial.stderr(verb))
        return error(f"the kill did not land in the tool: {kill.problem}")
    return held


def kill_in_resume(
    trial: Trial, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement | None:
    """Go on after a kill, and kill again in the first call that this makes.

    Returns:
        ``None`` when that was done, or when there was no call because the run came to its end: the
        evidence then has a ``resume_returncode`` and no ``second_kill``. A judgement else.
    """
    first = evidence.pop("kill")
    before = len(trial.provider.calls)
    again = kill_in_call(trial, point, limit, evidence, verb="resume")
    second = evidence.pop("kill", None)
    evidence["kill"] = first
    if second is not None:
        evidence["second_kill"] = second
    if not isinstance(again, Judgement):
        return None
    status = evidence.pop("ended_by_itself", LOST)
    if status == LOST:
        return again
    evidence["resume_returncode"] = status
    return judge_ended_resume(
        trial.subject,
        Ended(status, 0.0, trial.stderr("resume")),
        new_effects=any(call.recorded for call in trial.provider.calls[before:]),
        limit=limit,
        after="the kill",
    )


def kill_at_moment(
    trial: Trial, seconds: float, limit: float, evidence: dict[str, Any]
) -> Judgement | None:
    """Kill so many seconds after the first call; 0 is in that call, after its effect.

    Returns:
        ``None`` when that was done, else the ERROR that says why not. Where the run had come to its
        end before, the evidence says ``ended_before_the_kill``.
    """
    if seconds <= 0:
        killed = kill_in_call(trial, AFTER_EFFECT, limit, evidence)
        return killed if isinstance(killed, Judgement) else None
    trial.provider.phase = "start"
    try:
        agent = trial.launch("start")
    except CannotStart as reason:
        return error(f"the agent could not be started: {trial.subject.argv[0]}: {reason}")
    called = trial.provider.wait_called(limit, lambda: agent.poll() is None)
    if called:
        agent.wait(seconds)
        kill_group(agent.pid)
    trial.end(agent)
    evidence["start_status"] = status = agent.poll()
    if called and status == -signal.SIGKILL:
        return None
    note_stderr(evidence, trial.stderr("start"))
    if not called:
        return error("the agent never called the provider")
    if status == 0:
        evidence["ended_before_the_kill"] = True
        return error("the run had ended by then, so nothing was killed")
    return error(f"the agent ended with status {status}, neither well nor by the kill")


def resume(trial: Trial, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Go on in a new process; a judgement if that did not end well, ``None`` if it exited 0."""
    return go_on(trial, limit, evidence)


def go_on(
    trial: Trial,
    limit: float,
    evidence: dict[str, Any],
    *,
    verb: str = "resume",
    after: str = "the kill",
) -> Judgement | None:
    """Go on in a new process; a judgement if that did not end well, ``None`` if it exited 0.

    Args:
        trial: The run.
        limit: Seconds it may take.
        evidence: Gets the exit status, as ``resume_returncode`` or what the verb makes of it.
        verb: How it is gone on: ``resume``, ``next-turn``, ``approve``.
        after: What came before, for the sentence.
    """
    subject: Subject = trial.subject
    trial.provider.phase = verb
    before = len(trial.provider.calls)
    try:
        ended = trial.run(verb, limit, generation=1)
    except CannotStart as reason:
        return error(f"{verb} could not be started: {subject.argv[0]}: {reason}")
    evidence[f"{verb.replace('-', '_')}_returncode"] = ended.returncode
    note_stderr(evidence, ended.stderr)
    return judge_ended_resume(
        subject,
        ended,
        new_effects=any(call.recorded for call in trial.provider.calls[before:]),
        limit=limit,
        after=after,
        verb=verb,
    )


def settle(trial: Trial, quiet: float | None = None) -> None:
    """Wait until the run stands still, so that what was answered can be saved.

    A kindness and no proof, for calls that are made beside the one that is held. It stands still
    when its work folder does not change and, where the kernel tells, none of its threads has
    anything to do: on a busy machine one that has waits long for its turn and changes nothing.

    Args:
        trial: The run.
        quiet: Seconds for which it has to stand still.
    """
    quiet = _SETTLED if quiet is None else quiet
    end = time.monotonic() + _SETTLES_WITHIN
    before = None
    while time.monotonic() < end:
        now = snapshot(trial.work) if trial.work.is_dir() else {}
        if now == before:
            return
        before = now
        for _ in range(_GLANCES):
            time.sleep(quiet / _GLANCES)
            if trial.busy():
                before = None
