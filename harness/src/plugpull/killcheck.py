"""The kill, and the check that it landed where it was meant to.

Everything here is a fact of the kernel or of our own child process. What the agent writes or says
plays no part.
"""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import Any

from plugpull.fault_desk import HeldFault
from plugpull.processes.launcher import AgentProcess, kill_group
from plugpull.provider_calls import HeldCall

__all__ = ["CLOSES_WITHIN", "Kill", "check_held", "pull_the_plug"]

#: Seconds, counted from the agent's death, in which the held call has to close. The kernel takes
#: milliseconds; a call that stays open is held by somebody who was not killed.
CLOSES_WITHIN = 1.0

# A killed process that the system does not collect within this time is stuck in the kernel.
_DIES_WITHIN = 60.0


@dataclass(frozen=True, slots=True)
class Kill:
    """What the kill was and whether it can be trusted.

    Attributes:
        evidence: The facts, as far as they were reached.
        problem: Why the kill proves nothing, ``None`` when it landed as designed.
    """

    evidence: dict[str, Any]
    problem: str | None


def pull_the_plug(agent: AgentProcess, held: HeldCall | HeldFault) -> Kill:
    """Kill the agent's process group inside the held call, checking four things in order.

    1. The agent still runs and the held call is still open.
    2. The process that made the call is in the agent's process group.
    3. The agent's exit status says SIGKILL.
    4. The held call closes, so nobody outside the group holds it.
    """
    evidence: dict[str, Any] = {}
    problem = check_held(agent, held, evidence)
    kill_group(agent.pid)
    if problem is None:
        problem = _after(agent, held, evidence)
    return Kill(evidence, problem)


def check_held(
    agent: AgentProcess,
    held: HeldCall | HeldFault,
    evidence: dict[str, Any],
    fault: str = "the kill",
) -> str | None:
    """Why the agent does not stand in the held call, ``None`` if it does: the steps 1 and 2.

    Args:
        agent: The process that was started.
        held: What is said to have come from it.
        evidence: Gets the facts.
        fault: What is about to happen to it, for the sentence; not every fault kills.
    """
    evidence |= {"agent_pid": agent.pid, "caller_pid": held.pid}
    status = agent.poll()
    if status is not None:
        evidence["agent_status"] = status
        return f"the agent had ended (status {status}) before {fault}"
    if not held.connection.is_open():
        return f"the call had been closed before {fault}"
    if held.pid is None:
        return "this platform does not tell which process made the call"
    try:
        group = os.getpgid(held.pid)
    except ProcessLookupError:
        return f"the process that made the call (pid {held.pid}) had ended before {fault}"
    evidence["caller_group"] = group
    if group != agent.pid:
        return (
            f"the call came from pid {held.pid} in process group {group}, outside the agent's "
            f"group {agent.pid}"
        )
    return None


def _after(agent: AgentProcess, held: HeldCall | HeldFault, evidence: dict[str, Any]) -> str | None:
    status = agent.wait(_DIES_WITHIN)
    evidence["agent_status"] = status
    if status != -signal.SIGKILL:
        return f"the agent ended with status {status}, not by SIGKILL"
    seconds = held.connection.wait_closed(CLOSES_WITHIN)
    if seconds is None:
        return (
            f"the call was still open {CLOSES_WITHIN:g} s after the agent's death: "
            "a process outside the agent's group holds it"
        )
    evidence["closed_after"] = round(seconds, 6)
    return None
