"""An order agent on endstate: one tool charges a card, then the order is closed.

Every message is saved when it is made, in an SQLite file, and ``AgentLoop.resume`` in another
process first runs the calls that have no saved result, then goes on. A new message does the same
first, in ``AgentLoop.run``:

* https://alvarodiez20.github.io/endstate/getting-started/resuming/
* https://alvarodiez20.github.io/endstate/concepts/durability/

endstate installs nothing for SIGTERM, and its pages name nothing to install, so Python's default
stays: the process dies as in a kill.

Usage: ``python agent.py start | resume | next-turn | inspect``. What a variant of target.json sets:

``PLUGPULL_IDEMPOTENT``
    ``yes`` (endstate's default) or ``no``: what the tool says about itself. A resume does not run
    the call of a tool that says no, and answers it with "interrupted" instead.
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the one that stands
    ``in-arguments``. endstate tells a tool no call id, so the model has to make the key.
``PLUGPULL_ERRORS``
    What becomes of an error of the payment service: it may ``rise``, which ends the run, or be the
    ``tool-error`` that the model hears of.
``PLUGPULL_UNSETTLED``
    What this program does about a call that was answered with "interrupted": ``go-on``, as
    endstate's own command does, or ``stop``.
``PLUGPULL_RESUME``
    How a run is taken up: ``finish`` it, or ``continue`` it with one more thing to do.

``PLUGPULL_BATCH`` and ``PLUGPULL_WORLD`` are the scenarios' own: see docs/add-a-target.md.
"""

from __future__ import annotations

import sys

from endstate.agent.loop import AgentLoop, RunResult
from endstate.agent.permissions import Decision, Rule, default_policy
from endstate.agent.session import Session
from endstate.agent.tools.base import ToolContext
from model import ShopModel
from plugpull import record_effect
from report import report
from settings import (
    ORDER,
    PATIENCE_PLEASE,
    QUESTION,
    REQUEST,
    RESUMES_WITH_PROMPT,
    STOPS_UNSETTLED,
    workdir,
)
from store import new_session, newest_session
from tools import ChargeCard, tools


def build(session: Session) -> AgentLoop:
    """The agent on a session; without a rule its tool would be denied."""
    policy = default_policy()
    policy.rules.insert(0, Rule(tool=ChargeCard.name, decision=Decision.ALLOW))
    return AgentLoop(
        provider=ShopModel(),
        tools=tools(),
        tool_context=ToolContext(workdir=workdir()),
        policy=policy,
        session=session,
    )


def start() -> None:
    """Begin the run and take it to its end."""
    finish(build(new_session()).run(REQUEST))


def resume() -> None:
    """Go on with a saved run, with or without another instruction."""
    loop = build(newest_session())
    finish(loop.run(PATIENCE_PLEASE) if RESUMES_WITH_PROMPT else loop.resume())


def next_turn() -> None:
    """Say something new in the same conversation."""
    build(newest_session()).run(QUESTION)
    record_effect("next_turn", key=f"{ORDER}-turn-2")


def inspect() -> None:
    """Look at what is stored."""
    report(newest_session().messages)


def finish(result: RunResult) -> None:
    """Close the order: the run came to its end.

    Raises:
        SystemExit: Nobody knows whether the card was charged, and the program is to mind.
    """
    unknown = ", ".join(dict.fromkeys(call.tool for call in result.unsettled_calls))
    if unknown and STOPS_UNSETTLED:
        message = f"the order stays open: nobody knows what came of {unknown}"
        raise SystemExit(message)
    record_effect("finish_order", key=ORDER)


VERBS = {"start": start, "resume": resume, "next-turn": next_turn, "inspect": inspect}

if __name__ == "__main__":
    if sys.argv[-1] not in VERBS:
        message = f"unknown verb: {sys.argv[-1]}"
        raise SystemExit(message)
    VERBS[sys.argv[-1]]()
