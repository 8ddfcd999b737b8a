"""A kill in the ungated call of a turn whose other call waits for a human.

Frameworks differ in when they make the ungated call: before they pause, or only once the other one
is approved; and then before it, after it, or beside it. What they do is a fact that is measured
here, and the state at the kill is the same whichever thread was faster: the ungated call stands
unrecorded, and the gated one, if it came beside it, does too. Only where the ungated call waits for
the gated one is that recorded and answered.
"""

from __future__ import annotations

from typing import Any

from plugpull.killcheck import pull_the_plug
from plugpull.lab import Trial
from plugpull.processes.launcher import AgentProcess, CannotStart
from plugpull.provider_calls import HeldCall
from plugpull.scenarios.approvals import SIBLING, Decision, Point
from plugpull.scenarios.approving import judge_unapproved, note_process, set_aside, set_decisions
from plugpull.scenarios.base import error
from plugpull.scenarios.killing import note_stderr, settle
from plugpull.verdicts import Judgement

__all__ = ["kill_in_sibling"]


def kill_in_sibling(
    trial: Trial,
    plan: Point,
    verb: str,
    limit: float,
    evidence: dict[str, Any],
    *,
    decisions: tuple[Decision, ...] | None = None,
) -> bool | Judgement:
    """Run a process, and kill it in the ungated call if that comes.

    Args:
        trial: The run.
        plan: What it asks.
        verb: ``start``, where no gated call may come, or ``approve``.
        limit: Seconds the process has to make its call.
        evidence: Gets where the call came, and what was killed.
        decisions: What ``approve`` is told.

    Returns:
        ``True`` when it was killed there; ``False`` when it exited 0 without that call; a judgement
        when it did neither.
    """
    gates = trial.provider.gates
    gated = plan.asks.gated if verb == "approve" else ()
    trial.provider.phase = verb
    if decisions is not None:
        set_decisions(trial, decisions)
    set_aside(trial, verb)
    gates.close(SIBLING, *gated)
    try:
        agent = trial.launch(verb, generation=0 if verb == "start" else 1)
    except CannotStart as reason:
        gates.drop()
        return error(f"{verb} could not be started: {trial.subject.argv[0]}: {reason}")
    held = _wait_for_sibling(trial, gated, agent, limit)
    if held is None:
        status = agent.wait(0)
        trial.end(agent)
        gates.drop()
        note_process(trial, verb, status, evidence, decisions)
        note_stderr(evidence, trial.stderr(verb))
        return False if status == 0 else _ended(trial, plan, verb, status, limit)
    # A kindness, as in batch-kill: what was answered before can be saved.
    settle(trial)
    evidence |= {"sibling_called_in": verb, "gated_call": _where_gated(trial, gated)}
    unapproved = None
    if verb == "start":
        unapproved = judge_unapproved(
            trial, plan.asks, frozenset(), when="before anybody had decided"
        )
    kill = pull_the_plug(agent, held)
    evidence["kill"] = kill.evidence
    trial.end(agent)
    if kill.problem:
        trial.sweep()
    gates.drop()
    note_process(trial, verb, kill.evidence.get("agent_status"), evidence, decisions)
    if kill.problem:
        note_stderr(evidence, trial.stderr(verb))
        return error(f"the kill did not land in {SIBLING}: {kill.problem}")
    return unapproved or True


def _wait_for_sibling(
    trial: Trial,
    gated: tuple[str, ...],
    agent: AgentProcess,
    limit: float,
) -> HeldCall | None:
    """The ungated call once it stands at its gate; the gated ones are let through if they must."""
    gates = trial.provider.gates

    def still_going() -> bool:
        return agent.poll() is None

    first = gates.wait_for((SIBLING, *gated), limit, still_going)
    if first is None or first.effect == SIBLING:
        return first
    # Made side by side, the other one comes as well; made one by one, the run stands still now.
    settle(trial)
    if (beside := gates.waiting(SIBLING)) is not None:
        return beside
    for name in gated:
        gates.open(name)
    return gates.wait_for((SIBLING,), limit, still_going)


def _where_gated(trial: Trial, gated: tuple[str, ...]) -> str:
    """What the provider has of the gated calls while the ungated one stands there."""
    if any(trial.provider.gates.waiting(name) for name in gated):
        return "made beside it, not recorded"
    if any(trial.provider.effects.get(name) for name in gated):
        return "answered before it"
    return "not made yet"


def _ended(
    trial: Trial, plan: Point, verb: str, status: int | None, limit: float
) -> bool | Judgement:
    """A process that ended otherwise before it made its call."""
    unapproved = None
    if verb == "start":
        unapproved = judge_unapproved(
            trial, plan.asks, frozenset(), when="before anybody had decided"
        )
    if unapproved:
        return unapproved
    if status is None:
        return error(f"{verb} did not call the provider for {SIBLING} within {limit:g} s")
    return error(f"{verb} exited {status} before it called the provider for {SIBLING}")
