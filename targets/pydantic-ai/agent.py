"""An order agent on Pydantic AI that stores its message history at every node of the run.

Pydantic AI keeps no store of its own: the application saves the messages and hands them to the
next run. This one drives the run node by node and saves before tools are called, so that a run
that died can be taken up. A run without a prompt first executes the calls its history ends on:

* https://pydantic.dev/docs/ai/core-concepts/agent/#iterating-over-an-agents-graph
* https://pydantic.dev/docs/ai/core-concepts/message-history/

Usage: ``python agent.py start | resume | inspect``. Set from outside:

``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the ``tool-call-id``.
``PLUGPULL_BATCH``
    For how many charges the model asks in one turn.
``PLUGPULL_WORLD``
    What has changed since the run was saved: ``tool-schema-changed``, ``tool-removed`` or
    ``model-renamed``.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plugpull import record_effect
from pydantic_ai import Agent, RunContext, Tool
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

ORDER = "order-42"
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Stand in for the language model: charges, then an answer.

    Like a real model it never says the same thing twice: each call has a new id and new wording.
    What failed it asks for again.
    """
    parts = [part for message in messages for part in message.parts]
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    # Newer releases give a call that failed a return as well, which says what was wrong.
    charged = {
        part.tool_call_id
        for part in parts
        if isinstance(part, ToolReturnPart) and str(part.content).startswith("charged")
    }
    made = {call.args_as_dict()["payment"] for call in calls if call.tool_call_id in charged}
    missing = [one for one in (range(1, BATCH + 1) or [0]) if one not in made]
    wording = uuid.uuid4().hex[:8]
    if missing and info.function_tools and len(calls) < PATIENCE * max(BATCH, 1):
        return ModelResponse(parts=[wish(payment, wording) for payment in missing])
    said = "I could not charge your card." if missing else "Your card was charged. Thank you!"
    return ModelResponse(parts=[TextPart(f"{said} ({wording})")])


def wish(payment: int, wording: str) -> ToolCallPart:
    """The model's wish to make a payment."""
    amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    arguments = {**amount, "memo": f"order 42, {wording}", "payment": payment}
    return ToolCallPart("charge_card", arguments, tool_call_id=f"call_{uuid.uuid4().hex}")


def charge_card(ctx: RunContext[Any], amount: int, memo: str, payment: int) -> str:
    """Charge the customer's card."""
    charge(ctx, payment)
    return f"charged ${amount} ({memo})"


def charge_in_cents(ctx: RunContext[Any], cents: int, memo: str, payment: int) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    charge(ctx, payment)
    return f"charged {cents} cents ({memo})"


def charge(ctx: RunContext[Any], payment: int) -> None:
    """Call the payment service; where there are several payments, each has its own name there."""
    by_call = os.environ.get("PLUGPULL_KEY", "none") == "tool-call-id"
    name = f"charge_card_{payment}" if payment else "charge_card"
    record_effect(name, key=ctx.tool_call_id if by_call else None)


def tools() -> list[Tool[Any]]:
    """The agent's tools, in the world as it is now."""
    if WORLD == "tool-removed":
        return []
    charges = charge_in_cents if WORLD == "tool-schema-changed" else charge_card
    return [Tool(charges, name="charge_card")]


agent = Agent(FunctionModel(answer, model_name=MODEL), tools=tools())


def history_file() -> Path:
    """Where the messages are kept for another process."""
    return Path(os.environ["PLUGPULL_WORKDIR"]) / "history.json"


def save(messages: Sequence[ModelMessage]) -> None:
    """Replace the stored history in one step: a crash leaves the old one or the new one."""
    draft = history_file().with_suffix(".new")
    draft.write_bytes(ModelMessagesTypeAdapter.dump_json(list(messages)))
    draft.replace(history_file())


def load() -> list[ModelMessage]:
    """The stored history, empty if the run died before anything was saved."""
    if not history_file().exists():
        return []
    return ModelMessagesTypeAdapter.validate_json(history_file().read_bytes())


async def run(history: list[ModelMessage]) -> None:
    """Run to the end, saving before every batch of tool calls and at the end."""
    prompt = None if history else "Charge my card $42 for order 42."
    async with agent.iter(prompt, message_history=history) as current:
        async for node in current:
            if Agent.is_call_tools_node(node):
                save(current.ctx.state.message_history)
    assert current.result is not None, "the iteration ended, so there is a result"
    save(current.result.all_messages())
    record_effect("finish_order", key=ORDER)


def entries(message: ModelMessage) -> list[dict[str, str | None]]:
    """What one stored message holds: the user's words, calls, answers, or the model's words."""
    kinds = {
        UserPromptPart: "user",
        ToolCallPart: "call",
        ToolReturnPart: "answer",
        TextPart: "message",
    }
    return [
        {"kind": kinds.get(type(part), "system"), "id": getattr(part, "tool_call_id", None)}
        for part in message.parts
    ]


def ended(history: list[ModelMessage]) -> bool:
    """Whether the history ends on the model's words, with no call left to answer."""
    if not history or isinstance(history[-1], ModelRequest):
        return False
    return not any(isinstance(part, ToolCallPart) for part in history[-1].parts)


def report(history: list[ModelMessage]) -> None:
    """Write down what the stored history holds."""
    parts = [entry for message in history for entry in entries(message)]
    output = {"kinds": [entry["kind"] for entry in parts], "closed": ended(history)}
    schemas = {tool.name: tool.function_schema.json_schema for tool in tools()}
    found = {
        "history": parts,
        "finished": ended(history),
        "output": output,
        "world": {"model": MODEL, "tools": schemas},
    }
    text = json.dumps(found)
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(text, encoding="utf-8")


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    if verb == "start":
        asyncio.run(run([]))
    elif verb == "resume":
        asyncio.run(run(load()))
    elif verb == "inspect":
        report(load())
    else:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)


if __name__ == "__main__":
    main(sys.argv[-1])
