"""provider-ack-lost: the provider did what it was asked to, and the tool never hears of it.

The process lives on. What becomes of the tool's failed call is up to the framework: its retry of
tools, the failure as text for the model, or an error that ends the run.

What should be true after: either the run came to its end (exit 0) and every effect of the unfaulted
run happened exactly once, or it ended with a clear error and nothing happened twice (outcome
``surfaced``: somebody knows, and can look). Where it came to its end, the stored history is
well-formed.

Fault point: ``ack-lost``. The first call is recorded and then closed without an answer.

ERROR when the agent never called, or the call was not the agent's. The proof is the held call, the
provider's own record of it, and the caller's process id and group from the kernel; the agent was
alive when its call was closed.
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import LOST
from plugpull.provider import AFTER_EFFECT
from plugpull.provider_calls import HeldCall
from plugpull.scenarios.base import Case, Settings, Unfaulted, error
from plugpull.scenarios.holding import hold_in_call, not_there, note_stderr
from plugpull.scenarios.trying import try_killed
from plugpull.scenarios.whole_runs import judge_stored, run_whole
from plugpull.stderr_tail import last_words
from plugpull.subject import Subject
from plugpull.verdicts import (
    FAIL,
    PASS,
    Judgement,
    Outcome,
    Result,
    judge_at_most_once,
    judge_effects,
)

__all__ = ["ProviderAckLost"]

ACK_LOST = "ack-lost"


class ProviderAckLost:
    """The answer to the first call never comes."""

    name = "provider-ack-lost"
    for_agents = True
    fault_points = (ACK_LOST,)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end.

        Raises:
            NotUsable: It failed, or its tool never called the provider.
        """
        del settings
        return run_whole(lab, subject, [Case(ACK_LOST)])

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Record the first call, close it without an answer, and see how the run ends."""
        return try_killed(self.name, lab, subject, unfaulted, case, run=_run)


def _run(
    trial: Trial, unfaulted: Unfaulted, _point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    standing = hold_in_call(trial, AFTER_EFFECT, limit, evidence)
    if isinstance(standing, Judgement):
        return standing
    agent, held = standing
    if broken := not_there(trial, agent, held, evidence):
        return broken
    trial.provider.drop_held()
    status = agent.wait(limit)
    trial.end(agent)
    if status == LOST:
        return error("the server that forked the agent has gone, so nobody knows how it ended")
    evidence["start_returncode"] = status
    stderr = trial.stderr("start")
    note_stderr(evidence, stderr)
    if status is None:
        return Judgement(
            FAIL, Outcome.HUNG, f"start hung after the lost answer: still running after {limit:g} s"
        )
    if status == 0:
        return _judge_end(trial, unfaulted, held, limit, evidence)
    return _judge_error(trial, unfaulted, held, status, last_words(stderr))


def _judge_end(
    trial: Trial, unfaulted: Unfaulted, held: HeldCall, limit: float, evidence: dict[str, Any]
) -> Judgement:
    """The run says that it came to its end."""
    wrong = judge_effects(unfaulted.effects, trial.provider.effects, when="after the lost answer")
    stored = judge_stored(trial, limit, evidence, when="after the lost answer")
    calls = sum(call.effect == held.effect for call in trial.provider.calls)
    again = " under its key" if calls > 1 else ""
    return (
        wrong
        or stored
        or Judgement(
            PASS,
            Outcome.HELD,
            f"the run came to its end; {held.effect} was called {calls} times{again} and happened "
            "once",
        )
    )


def _judge_error(
    trial: Trial, unfaulted: Unfaulted, held: HeldCall, status: int, said: str | None
) -> Judgement:
    """The run ended with an error: what was not done yet may be missing, nothing be there twice."""
    wrong = judge_at_most_once(
        unfaulted.effects, trial.provider.effects, when="after the lost answer"
    )
    if wrong:
        return wrong
    if status < 0 or said is None:
        how = f"by signal {-status}" if status < 0 else f"with {status} and without a word"
        return Judgement(FAIL, Outcome.CRASHED, f"start ended {how} after the lost answer")
    return Judgement(
        PASS, Outcome.SURFACED, f"{held.effect} happened once, and the run ended with: {said}"
    )
