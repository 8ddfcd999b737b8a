"""An order agent on endstate: one tool charges a card, then the order is closed.

Every message is saved when it is made, in an SQLite file, and ``AgentLoop.resume`` in another
process first runs the calls that have no saved result, then goes on:

* https://alvarodiez20.github.io/endstate/getting-started/resuming/
* https://alvarodiez20.github.io/endstate/concepts/durability/
* a tool of one's own, and the rule it needs: https://alvarodiez20.github.io/endstate/guides/custom-tool/

Usage: ``python agent.py start | resume | inspect``. Set from outside:

``PLUGPULL_IDEMPOTENT``
    ``yes`` (endstate's default) or ``no``: what the tool says about itself. A resume does not run
    the call of a tool that says no, and answers it with "interrupted" instead.
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the one that stands
    ``in-arguments``. endstate tells a tool no call id, so the model has to make the key.
``PLUGPULL_UNSETTLED``
    What this program does about a call that was answered so: ``go-on``, as endstate's own command
    does, or ``stop``.
``PLUGPULL_RESUME``
    How a run is taken up: ``finish`` it, or ``continue`` it with one more thing to do.
``PLUGPULL_BATCH``
    For how many charges the model asks in one turn.
``PLUGPULL_WORLD``
    What has changed since the run was saved: ``tool-schema-changed``, ``tool-removed`` or
    ``model-renamed``.
"""

from __future__ import annotations

import json
import os
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from endstate.agent.loop import AgentLoop, RunResult
from endstate.agent.permissions import Decision, Rule, default_policy
from endstate.agent.session import Session, SessionStore
from endstate.agent.tools.base import Tool, ToolContext
from endstate.types import Message, Response, StopReason, ToolCall
from plugpull import record_effect

ORDER = "order-42"
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"
AMOUNT = ("cents", 4200) if WORLD == "tool-schema-changed" else ("amount", 42)

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


class ChargeCard(Tool):
    """Charges the customer's card."""

    name = "charge_card"
    description = "Charge the customer's card."
    idempotent = os.environ.get("PLUGPULL_IDEMPOTENT", "yes") == "yes"

    @property
    def parameters(self) -> dict[str, Any]:
        """What the model is told to send along."""
        properties = {
            AMOUNT[0]: {"type": "integer"},
            "payment": {"type": "integer", "description": "which payment, where there are several"},
            "key": {"type": "string", "description": "made anew for every charge"},
        }
        return {"type": "object", "properties": properties, "required": list(properties)}

    def run(self, arguments: dict[str, Any], ctx: ToolContext) -> str:  # noqa: ARG002
        """Charge, and say so."""
        by_key = os.environ.get("PLUGPULL_KEY", "none") == "in-arguments"
        amount, payment = arguments[AMOUNT[0]], arguments["payment"]
        record_effect(
            f"charge_card_{payment}" if payment else "charge_card",
            key=arguments["key"] if by_key else None,
        )
        return f"charged {amount} (payment {payment})"


class ShopModel:
    """Stands in for the language model: charges, then an answer.

    Like a real model it never says the same thing twice: each call has a new id and a new key. What
    failed it asks for again; a call that was answered with "interrupted" it leaves alone, as the
    answer says. Like a real provider it refuses a conversation in which a call has no answer, or an
    answer no call: endstate's adapters hand on what the loop has stored.
    """

    model = MODEL

    def complete(
        self, messages: list[Message], tools: list[dict[str, Any]] | None = None
    ) -> Response:
        """The next turn.

        Raises:
            ValueError: No provider would take this conversation.
        """
        refuse_unpaired(messages)
        missing = list(range(1, BATCH + 1)) or [0]
        turns = [message for message in messages if message.tool_calls]
        answers = {one.call_id: one for message in messages for one in message.tool_results}
        for call in (call for turn in turns for call in turn.tool_calls):
            answer = answers.get(call.id)
            left_alone = answer and (
                not answer.is_error or answer.content.startswith("interrupted")
            )
            if left_alone and call.arguments["payment"] in missing:
                missing.remove(call.arguments["payment"])
        offered = any(tool["name"] == ChargeCard.name for tool in tools or [])
        if missing and offered and len(turns) < PATIENCE:
            message = Message(role="assistant", tool_calls=[ask(payment) for payment in missing])
            return Response(message=message, stop_reason=StopReason.TOOL_USE, model=MODEL)
        said = "I could not charge your card." if missing else "Your card was charged. Thank you!"
        return Response(message=Message(role="assistant", content=said), model=MODEL)


def refuse_unpaired(messages: list[Message]) -> None:
    """Turn down a conversation that no provider would take.

    Raises:
        ValueError: The message after calls does not answer each of them, and nothing else.
    """
    waiting: list[str] = []
    for message in messages:
        answered = [answer.call_id for answer in message.tool_results]
        if sorted(answered) != sorted(waiting):
            break
        waiting = [call.id for call in message.tool_calls]
    else:
        if not waiting:
            return
    refusal = "400: an assistant message with tool calls must be followed by tool messages"
    raise ValueError(refusal)


def ask(payment: int) -> ToolCall:
    """The model's wish to make a payment."""
    arguments = {AMOUNT[0]: AMOUNT[1], "payment": payment, "key": uuid.uuid4().hex}
    return ToolCall(id=f"call_{uuid.uuid4().hex}", name=ChargeCard.name, arguments=arguments)


def build(session: Session) -> AgentLoop:
    """The agent on a session; without a rule its tool would be denied."""
    policy = default_policy()
    policy.rules.insert(0, Rule(tool=ChargeCard.name, decision=Decision.ALLOW))
    return AgentLoop(
        provider=ShopModel(),
        tools=[] if WORLD == "tool-removed" else [ChargeCard()],
        tool_context=ToolContext(workdir=Path(os.environ["PLUGPULL_WORKDIR"])),
        policy=policy,
        session=session,
    )


def take_up(loop: AgentLoop) -> RunResult:
    """Go on with a saved run, with or without another instruction."""
    if os.environ.get("PLUGPULL_RESUME", "finish") == "continue":
        return loop.run("And thank you for your patience.")
    return loop.resume()


def finish(result: RunResult) -> None:
    """Close the order: the run came to its end.

    Raises:
        SystemExit: Nobody knows whether the card was charged, and the program is to mind.
    """
    unknown = ", ".join(dict.fromkeys(call.tool for call in result.unsettled_calls))
    if unknown and os.environ.get("PLUGPULL_UNSETTLED", "go-on") == "stop":
        message = f"the order stays open: nobody knows what came of {unknown}"
        raise SystemExit(message)
    record_effect("finish_order", key=ORDER)


def entries(message: Message) -> Iterator[dict[str, str | None]]:
    """What one stored message is: the user's words, calls, their answers, or the model's words."""
    for call in message.tool_calls:
        yield {"kind": "call", "id": call.id}
    for answer in message.tool_results:
        yield {"kind": "answer", "id": answer.call_id}
    if not message.tool_calls and not message.tool_results:
        kinds = {"user": "user", "assistant": "message"}
        yield {"kind": kinds.get(message.role, "system"), "id": None}


def report(loop: AgentLoop, messages: list[Message]) -> None:
    """Write down what the session holds, and the world as the agent sees it."""
    last = messages[-1] if messages else Message(role="system")
    found = {
        "history": [entry for message in messages for entry in entries(message)],
        "finished": last.role == "assistant" and not last.tool_calls,
        "output": last.content,
        "world": {"model": MODEL, "tools": [tool.spec() for tool in loop.tools.values()]},
    }
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    store = SessionStore(Path(os.environ["PLUGPULL_WORKDIR"]) / "sessions.sqlite3")
    if verb == "start":
        loop = build(store.create(model=MODEL))
        finish(loop.run("Charge my card $42 for order 42."))
        return
    session = store.resume(store.list_sessions()[0])
    if verb == "resume":
        finish(take_up(build(session)))
    elif verb == "inspect":
        report(build(session), session.messages)
    else:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)


if __name__ == "__main__":
    main(sys.argv[-1])
