"""graceful-stop: SIGTERM inside a tool, as a deploy sends it, then resume.

The agent's own process gets the signal, as a container's main process does, and may shut down the
way its framework documents. Then the provider, which was slow, answers the call; one that was held
before its effect is recorded first. Where the signal has ended the agent by then there is nobody to
answer, and the call comes to what it comes to in kill-mid-tool. What still lives after a grace
time, or in the group of an agent that has ended, gets SIGKILL.

What should be true after: the same as in kill-mid-tool. After a resume every effect of the
unfaulted run happened exactly once, and the stored history is well-formed. How and when the agent
ended is evidence and decides nothing. If it came to its end within the grace time (exit 0, every
effect once), a resume may say no or fail, and only must do no harm.

Fault points: ``before-effect`` and ``after-effect``.

ERROR when the agent ended or fell silent before its tool called the provider, or the call was not
the agent's. The proof is the held call, the caller's process id and group from the kernel when the
signal was sent, what the kernel says the process does about SIGTERM, and its exit status.
"""

from __future__ import annotations

import os
import signal
import time
from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import LOST, AgentProcess
from plugpull.processes.signals import DEFAULT, disposition
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.provider_calls import HeldCall
from plugpull.scenarios.base import Case, Settings, Unfaulted, error
from plugpull.scenarios.holding import answer_late, hold_in_call, not_there, note_stderr
from plugpull.scenarios.killing import go_on, settle
from plugpull.scenarios.trying import try_killed
from plugpull.scenarios.whole_runs import judge_stored, run_whole
from plugpull.subject import Subject
from plugpull.verdicts import PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["GracefulStop"]

#: Seconds from the provider's answer to SIGKILL: what ``docker stop`` gives, and more where the
#: whole run without a fault took longer than that, in multiples of its time.
GRACE = 10.0
GRACE_RUNS = 3

# For how many seconds a process that does something about SIGTERM has to stand still before the
# provider answers, and how long one that does nothing about it may take to be gone.
_QUIET = 0.06
_DIES_WITHIN = 60.0


class GracefulStop:
    """SIGTERM inside a tool."""

    name = "graceful-stop"
    for_agents = True
    fault_points = (BEFORE_EFFECT, AFTER_EFFECT)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end.

        Raises:
            NotUsable: It failed, or its tool never called the provider.
        """
        del settings
        return run_whole(lab, subject, [Case(point) for point in self.fault_points])

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Stop at the fault point, resume, and count."""
        return try_killed(self.name, lab, subject, unfaulted, case, run=_run)


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    standing = hold_in_call(trial, point, limit, evidence)
    if isinstance(standing, Judgement):
        return standing
    agent, held = standing
    if broken := not_there(trial, agent, held, evidence):
        return broken
    grace = max(GRACE, GRACE_RUNS * unfaulted.seconds)
    status = _stop(trial, agent, held, grace, evidence)
    if status == LOST:
        return error("the server that forked the agent has gone, so nobody knows how it ended")
    note_stderr(evidence, trial.stderr("start"))
    finished = status == 0 and not judge_effects(
        unfaulted.effects, trial.provider.effects, when="before resume"
    )
    broken = go_on(trial, limit, evidence, after="the stop")
    if broken and finished and broken.outcome != Outcome.HUNG:
        # There was nothing left to resume, and saying so harms nobody.
        broken = None
    wrong = judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
    stored = judge_stored(trial, limit, evidence, when="after resume")
    ending = "came to its end" if finished else f"ended with status {status}"
    return (
        broken
        or wrong
        or stored
        or Judgement(
            PASS,
            Outcome.HELD,
            f"the agent {ending}, and the provider saw exactly 1 {held.effect} effect",
        )
    )


def _stop(
    trial: Trial, agent: AgentProcess, held: HeldCall, grace: float, evidence: dict[str, Any]
) -> int | None:
    """Send SIGTERM, answer, wait, and end what is left; the agent's exit status."""
    does = disposition(agent.pid, signal.SIGTERM)
    begun = time.monotonic()
    os.kill(agent.pid, signal.SIGTERM)
    if does == DEFAULT:
        agent.wait(_DIES_WITHIN)
    else:
        # It may begin its shutdown before the answer comes: which of the two is first must not
        # depend on how busy the machine is.
        settle(trial, _QUIET)
    if agent.poll() is not None:
        # A container ends with its main process, and whoever else had the call goes with it.
        trial.end(agent)
        held.connection.wait_closed(_DIES_WITHIN)
    answered = answer_late(trial, held)
    by_itself = agent.wait(grace)
    seconds = time.monotonic() - begun
    trial.end(agent)
    status = agent.poll()
    evidence["stop"] = {
        "signal": "SIGTERM",
        "disposition": does,
        "answered": answered,
        "status": status,
        "seconds": round(seconds, 3),
        "grace": round(grace, 3),
        "killed": by_itself is None,
    }
    return status
