"""model-error-after-tool: the tool has succeeded, and then the next call of the model fails.

What should be true after: the run comes to its end, every effect of the unfaulted run happened
exactly once, no tool whose call had its answer has called again (not even under a key that hides
it), and the stored history is well-formed.

Fault points: ``own-retry``, where the first model call after the tool fails and the framework's own
retry has to carry ``start`` to its end; ``users-retry``, where every such call fails until
``start`` has ended with an error, and the user resumes. Which of them a variant answers its target
declares.

ERROR when the target never came to its fault point ``model:after-tool``, or came there before any
effect, or ``start`` at ``users-retry`` did everything without the model. The proof is the fault
point's held call, with the process's id and group from the kernel, and the provider's record of
what had happened by then.
"""

from __future__ import annotations

from typing import Any

from plugpull.fault_desk import Reached
from plugpull.faults import FAIL as FAILS
from plugpull.faults import FAULTS_VARIABLE, GO_ON
from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import LOST
from plugpull.scenarios.base import Case, Settings, Unfaulted, error
from plugpull.scenarios.holding import hold_point, not_there, note_stderr
from plugpull.scenarios.killing import go_on
from plugpull.scenarios.trying import try_killed
from plugpull.scenarios.whole_runs import judge_stored, run_whole
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["ModelErrorAfterTool"]

OWN_RETRY, USERS_RETRY = "own-retry", "users-retry"

#: The fault point at which a target's model stands before it answers a tool's result.
AFTER_TOOL = "model:after-tool"

_ASKED = {FAULTS_VARIABLE: AFTER_TOOL}
_WHEN = "after the model's error"


class ModelErrorAfterTool:
    """The model call after the tool fails."""

    name = "model-error-after-tool"
    for_agents = False
    fault_points = (OWN_RETRY, USERS_RETRY)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end, past the fault point.

        Raises:
            NotUsable: It failed, or never came to the fault point.
        """
        del settings
        cases = [Case(point) for point in self.fault_points]
        return run_whole(lab, subject, cases, variables=_ASKED, points=[AFTER_TOOL])

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Let the model fail, go on, and look at what was called again."""
        return try_killed(self.name, lab, subject, unfaulted, case, run=_run, variables=_ASKED)


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    standing = hold_point(trial, AFTER_TOOL, limit, evidence)
    if isinstance(standing, Judgement):
        return standing
    agent, held = standing
    if broken := not_there(trial, agent, held, evidence):
        return broken
    before = trial.provider.calls
    if not before:
        trial.end(agent)
        return error(f"the agent came to {AFTER_TOOL} before any tool had called the provider")

    def rule(reached: Reached) -> str:
        return FAILS if point == USERS_RETRY and reached.phase == "start" else GO_ON

    trial.provider.faults.follow(rule)
    held.answer(FAILS)
    status = agent.wait(limit)
    trial.end(agent)
    if status == LOST:
        return error("the server that forked the agent has gone, so nobody knows how it ended")
    evidence["start_returncode"] = status
    note_stderr(evidence, trial.stderr("start"))
    broken = _judge_start(trial, unfaulted, point, status, limit)
    if point == USERS_RETRY and broken is None:
        broken = go_on(trial, limit, evidence, after="the model's error")
    evidence["faults"] = trial.provider.faults.evidence()
    if broken and status is None:
        return broken
    stored = judge_stored(trial, limit, evidence, when=_WHEN)
    done = ", ".join(dict.fromkeys(call.effect for call in before))
    return (
        broken
        or judge_effects(unfaulted.effects, trial.provider.effects, when=_WHEN)
        or _judge_repeated(trial, len(before))
        or stored
        or Judgement(PASS, Outcome.HELD, f"{done} had its answer and was not called again")
    )


def _judge_start(
    trial: Trial, unfaulted: Unfaulted, point: str, status: int | None, limit: float
) -> Judgement | None:
    """What is wrong with how ``start`` ended."""
    if status is None:
        return Judgement(FAIL, Outcome.HUNG, f"start hung {_WHEN}: still running after {limit:g} s")
    if point == OWN_RETRY and status != 0:
        return Judgement(
            FAIL, Outcome.CRASHED, f"start ended with {status} {_WHEN}, in spite of its own retry"
        )
    if point == USERS_RETRY and status == 0:
        return judge_effects(
            unfaulted.effects, trial.provider.effects, when="at the end of a start that exited 0"
        ) or error("start exited 0 although its model never answered: there was nothing to retry")
    return None


def _judge_repeated(trial: Trial, before: int) -> Judgement | None:
    """A key keeps a second call from having an effect; the tool ran again all the same."""
    calls = trial.provider.calls
    answered = {call.effect for call in calls[:before]}
    for call in calls[before:]:
        if call.effect in answered:
            return Judgement(
                FAIL,
                Outcome.REPEATED,
                f"call repeated: {call.effect} had its answer and was called again {_WHEN} "
                "(its key kept it from a second effect)",
            )
    return None
