"""cancel-mid-stream: the client goes away while the answer streams, and comes back with a message.

The process lives on and ends by itself. Three ways of going away (the detail): ``close``, where the
stream is closed as the framework documents; ``cancel``, where the task that consumes it is
cancelled; ``disconnect``, where writing to the client fails. Then a new process takes the user's
next message in the same conversation.

Fault points: ``first-answer`` and ``last-answer``, at the second piece of text before the tool and
after it; ``in-tool`` and ``in-tool-recorded``, while the tool's call is held, before and after its
effect. When the client has gone and the agent stands still, the provider answers that call as a
service does that was slow (what was not recorded is recorded first), unless the agent has hung up.
A lost connection is noticed at the next piece only, so ``disconnect`` is tried once for both.

What should be true after: the agent ends, and the next turn comes to its end. No effect happened
twice; one that did not happen before the client went may be missing. The stored history is
well-formed, holds what the user said, and the call of each effect that happened.

ERROR when the agent does not stream two pieces of each answer or never stands at the point
``client``, where it waits for its client to hang up; when the held call was not the agent's; or
when more text was sent to a client that had gone. The proof is the held call or point, with the
process's id and group from the kernel, and that the word to the client's watcher was taken.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Any

from plugpull.fault_desk import HOLD, HeldFault, Reached, Rule
from plugpull.faults import CANCEL, CLOSE, FAULTS_VARIABLE, GO_ON
from plugpull.faults import FAIL as FAILS
from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import LOST, AgentProcess
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.provider_calls import HeldCall
from plugpull.scenarios.base import Case, Settings, Unfaulted, error
from plugpull.scenarios.holding import (
    answer_late,
    hold_in_call,
    hold_point,
    not_there,
    note_stderr,
)
from plugpull.scenarios.killing import go_on, settle
from plugpull.scenarios.trying import try_killed
from plugpull.scenarios.turns import judge_conversation, judge_turns
from plugpull.scenarios.whole_runs import run_whole
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result

__all__ = ["STREAM_VARIABLE", "CancelMidStream"]

#: Environment variable that asks a target to stream its run.
STREAM_VARIABLE = "PLUGPULL_STREAM"

_PIECE, _CLIENT = "chunk:", "client"
_PIECES = {"first-answer": "chunk:first-answer", "last-answer": "chunk:last-answer"}
_TOOL = {"in-tool": BEFORE_EFFECT, "in-tool-recorded": AFTER_EFFECT}
_DISCONNECT = "disconnect"

# The text has begun to reach the client.
_NUMBER = 2

_DETAILS = {
    "first-answer": (CLOSE, CANCEL, _DISCONNECT),
    "in-tool": (CANCEL, CLOSE),
    "in-tool-recorded": (CLOSE, CANCEL, _DISCONNECT),
    "last-answer": (_DISCONNECT, CLOSE, CANCEL),
}
_ASKED = {STREAM_VARIABLE: "1", FAULTS_VARIABLE: f"{_PIECE},{_CLIENT}"}

# For how many seconds an agent has to stand still before what happens next may happen.
_QUIET = 0.06

# In seconds: the most to wait for the watcher, and for it to take its word; how often to look.
_COMES_WITHIN = 10.0
_GLANCE = 0.002


class CancelMidStream:
    """The client goes away mid-stream."""

    name = "cancel-mid-stream"
    for_agents = False
    fault_points = tuple(_DETAILS)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run both turns, the first one streamed.

        Raises:
            NotUsable: One of them failed, or too little text was streamed.
        """
        cases = [
            Case(point, detail)
            for point, details in _DETAILS.items()
            for detail in details[: 1 if settings.one_detail else None]
        ]
        points = [piece for piece in _PIECES.values() for _ in range(_NUMBER)]
        return run_whole(lab, subject, cases, variables=_ASKED, points=points, next_turn=True)

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Let the client go, take the next turn, and look."""
        result = try_killed(
            self.name,
            lab,
            subject,
            unfaulted,
            case,
            run=partial(_run, detail=str(case.point_detail)),
            variables=_ASKED,
            shown=("effects", "seconds", "stored"),
        )
        return result.with_detail(f"{case.point_detail}: {result.detail}")


def _run(
    trial: Trial,
    unfaulted: Unfaulted,
    point: str,
    limit: float,
    evidence: dict[str, Any],
    *,
    detail: str,
) -> Judgement:
    standing = _stand(trial, point, limit, evidence)
    if isinstance(standing, Judgement):
        return standing
    agent, held, client = standing
    if isinstance(held, HeldCall):
        # Text from before the tool may still be on its way to the client.
        settle(trial, _QUIET)
    sent = _sent(trial)
    if not _leave(trial, held, client, detail):
        trial.end(agent)
        return error("whoever watches the client never heard of it")
    # Writing to a client that has gone is tried once more where nobody has noticed yet.
    sent += isinstance(held, HeldCall) and detail == _DISCONNECT
    status = agent.wait(limit)
    trial.end(agent)
    evidence |= {"start_returncode": status, "faults": trial.provider.faults.evidence()}
    note_stderr(evidence, trial.stderr("start"))
    if status == LOST:
        return error("the server that forked the agent has gone, so nobody knows how it ended")
    if status is None:
        return Judgement(
            FAIL, Outcome.HUNG, f"start hung without its client: still running after {limit:g} s"
        )
    if _sent(trial) != sent:
        return error(
            f"{_sent(trial)} pieces of text were sent to a client that was there for {sent}"
        )
    broken = go_on(trial, limit, evidence, verb="next-turn", after="the client had gone")
    if (reported := trial.inspect(limit)) is not None:
        evidence["reported"] = reported
    calls = trial.provider.calls
    charged = next((one.effect for one in calls if one.phase == "start" and one.recorded), None)
    return (
        broken
        or judge_turns(unfaulted.effects, trial.provider.effects)
        or judge_conversation(reported, unfaulted.evidence["stored"], charged=charged)
        or Judgement(PASS, Outcome.HELD, f"the conversation went on, with {charged or 'no'} effect")
    )


def _stand(
    trial: Trial, point: str, limit: float, evidence: dict[str, Any]
) -> tuple[AgentProcess, HeldCall | HeldFault, HeldFault] | Judgement:
    """Start the agent, and hold it at the fault point and its watcher at the client's."""
    desk = trial.provider.faults
    standing: tuple[AgentProcess, HeldCall | HeldFault] | Judgement
    if point in _TOOL:
        desk.follow(_watch)
        standing = hold_in_call(trial, _TOOL[point], limit, evidence)
    else:
        standing = hold_point(
            trial, _PIECES[point], limit, evidence, number=_NUMBER, otherwise=_watch
        )
    if isinstance(standing, Judgement):
        return standing
    agent, held = standing
    if broken := not_there(trial, agent, held, evidence):
        return broken
    client = desk.wait_held(_CLIENT, _COMES_WITHIN, lambda: agent.poll() is None)
    if client is None:
        trial.end(agent)
        note_stderr(evidence, trial.stderr("start"))
        return error(f"the agent never came to the fault point {_CLIENT}: nobody watches it")
    return agent, held, client


def _leave(trial: Trial, held: HeldCall | HeldFault, client: HeldFault, detail: str) -> bool:
    """Let the client go away, and then what the agent stands in go on; whether it was heard of."""
    trial.provider.faults.follow(_send_to_nobody(detail))
    by_watcher = detail == CANCEL or (detail == CLOSE and isinstance(held, HeldCall))
    client.answer(detail if by_watcher else GO_ON)
    if by_watcher:
        # Whether the agent hears of it before its call returns must not depend on the machine.
        if not _heard(client):
            return False
        settle(trial, _QUIET)
    if isinstance(held, HeldCall):
        answer_late(trial, held)
    elif by_watcher:
        held.answer(GO_ON)
    else:
        held.answer(CLOSE if detail == CLOSE else FAILS)
    return True


def _heard(client: HeldFault) -> bool:
    """Wait until the watcher has its word, which it takes by hanging up."""
    end = time.monotonic() + _COMES_WITHIN
    while client.connection.is_open():
        if time.monotonic() > end:
            return False
        threading.Event().wait(_GLANCE)
    return True


def _watch(reached: Reached) -> str:
    """Hold whoever watches the client, in the turn that is to be cut off."""
    return HOLD if (reached.point, reached.phase) == (_CLIENT, "start") else GO_ON


def _send_to_nobody(detail: str) -> Rule:
    """What the agent is told once its client has gone: where the connection is lost, that it is."""

    def rule(reached: Reached) -> str:
        lost = detail == _DISCONNECT and reached.phase == "start"
        return FAILS if lost and reached.point.startswith(_PIECE) else GO_ON

    return rule


def _sent(trial: Trial) -> int:
    """How many pieces of text of the first turn have come to be sent."""
    return sum(
        one.point.startswith(_PIECE) and one.phase == "start"
        for one in trial.provider.faults.reached
    )
