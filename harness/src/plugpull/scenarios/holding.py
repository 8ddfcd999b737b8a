"""Holding an agent at one place of its run: in a call to the provider, or at a fault point.

What all scenarios have in common whose fault needs a process that stands still, whether it is
killed there or has to live on.
"""

from __future__ import annotations

from typing import Any

from plugpull.fault_desk import HOLD, HeldFault, Reached, Rule
from plugpull.faults import GO_ON
from plugpull.killcheck import check_held
from plugpull.lab import Trial
from plugpull.processes.launcher import AgentProcess, CannotStart
from plugpull.provider_calls import HeldCall
from plugpull.scenarios.base import error
from plugpull.verdicts import Judgement

__all__ = ["answer_late", "hold_in_call", "hold_point", "not_there", "note_stderr"]


def hold_in_call(
    trial: Trial,
    point: str,
    limit: float,
    evidence: dict[str, Any],
    *,
    verb: str = "start",
    number: int = 1,
    effect: str | None = None,
    stop_there: bool = False,
) -> tuple[AgentProcess, HeldCall] | Judgement:
    """Start the agent and hold one of its calls.

    Args:
        trial: The run.
        point: Before or after the effect.
        limit: Seconds the agent has to make its call.
        evidence: Gets what was measured.
        verb: How the agent is started.
        number: Which call of this process is held, counted from 1.
        effect: Count the calls with this effect only, ``None`` for all.
        stop_there: Hold the calls that come after it as well.

    Returns:
        The agent and its call, or the ERROR that says why there is none.
    """
    provider = trial.provider
    provider.phase = verb
    provider.hold_next(point, number, effect, stop_there=stop_there)
    try:
        agent = trial.launch(verb, generation=0 if verb == "start" else 1)
    except CannotStart as reason:
        return error(f"the agent could not be started: {trial.subject.argv[0]}: {reason}")
    held = provider.wait_held(limit, lambda: agent.poll() is None)
    if held is not None:
        return agent, held
    status = agent.poll()
    evidence["ended_by_itself"] = status
    trial.end(agent)
    provider.drop_held()
    note_stderr(evidence, trial.stderr(verb))
    what = "the provider" + (f" for {effect}" if effect else "")
    what += f" {number} times" if number > 1 else ""
    if status is None:
        return error(f"the tool did not call {what} within {limit:g} s")
    return error(f"the agent exited (status {status}) before its tool called {what}")


def hold_point(
    trial: Trial,
    point: str,
    limit: float,
    evidence: dict[str, Any],
    *,
    number: int = 1,
    otherwise: Rule = lambda _: GO_ON,
) -> tuple[AgentProcess, HeldFault] | Judgement:
    """Start the agent with ``start`` and hold it at a fault point.

    Args:
        trial: The run, whose agent is asked about its fault points.
        point: The point's name.
        limit: Seconds the agent has to come there.
        evidence: Gets what was measured.
        number: The how many-th time it comes there, counted from 1.
        otherwise: Answers at all other fault points; there it goes on.

    Returns:
        The agent and its open call, or the ERROR that says why there is none.
    """

    def rule(reached: Reached) -> str:
        if (reached.point, reached.number) == (point, number):
            return HOLD
        return otherwise(reached)

    trial.provider.phase = "start"
    trial.provider.faults.follow(rule)
    try:
        agent = trial.launch("start")
    except CannotStart as reason:
        return error(f"the agent could not be started: {trial.subject.argv[0]}: {reason}")
    held = trial.provider.faults.wait_held(point, limit, lambda: agent.poll() is None)
    if held is not None:
        return agent, held
    status = agent.poll()
    evidence["ended_by_itself"] = status
    trial.end(agent)
    note_stderr(evidence, trial.stderr("start"))
    there = f"the fault point {point}" + (f" {number} times" if number > 1 else "")
    if status is None:
        return error(f"the agent did not come to {there} within {limit:g} s")
    return error(f"the agent exited (status {status}) before it came to {there}")


def not_there(
    trial: Trial, agent: AgentProcess, held: HeldCall | HeldFault, evidence: dict[str, Any]
) -> Judgement | None:
    """The ERROR that the agent does not stand in the held call, by the kernel's word.

    Where it does not, everything is ended and let go.
    """
    facts: dict[str, Any] = {}
    evidence["fault"] = facts
    problem = check_held(agent, held, facts, "the fault")
    if problem is None:
        return None
    # While the call is held: a process that left the group may end once it is closed.
    trial.end(agent)
    trial.sweep()
    trial.provider.drop_held()
    trial.provider.faults.let_go()
    note_stderr(evidence, trial.stderr("start"))
    return error(f"the fault did not land where it was meant to: {problem}")


def answer_late(trial: Trial, held: HeldCall) -> bool:
    """Answer a held call as a service does that was slow; whether there was anybody to answer.

    What was held before it was recorded is recorded first. A call whose caller has gone comes to
    nothing, as it does where the caller was killed.
    """
    if held.connection.is_open():
        trial.provider.answer_held()
        return True
    trial.provider.drop_held()
    return False


def note_stderr(evidence: dict[str, Any], stderr: str) -> None:
    """Keep what a process wrote to standard error, if it wrote anything."""
    if stderr:
        evidence["stderr"] = stderr
