"""The reference agent as a shop's assistant: a conversation in which the model asks for calls.

What makes it durable is :mod:`durable.conversation`. Here are the verbs, the tools, and the client.

Usage: ``python shop.py start | resume | next-turn | inspect``. Set from outside, beside the
scenarios' own variables (docs/what-a-target-is-asked.md):

``AGENT_UNSAFE_EFFECTS``
    ``1``: the card is charged without a key.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from durable import tasks
from durable.conversation import Message, answering, calling, history, message
from durable.database import connect
from durable.errors import DONE_EXIT, FAILED_EXIT, AgentError
from durable.loop import Agent, run_id
from durable.plan import Plan
from durable.settings import Settings
from durable.stop import Stop
from durable.tools import OtherTool
from plugpull import record_effect
from shop_client import Client
from shop_model import MODEL, QUESTION, REQUEST, WORLD, answer

DATABASE = Path(os.environ["PLUGPULL_WORKDIR"]) / "shop.db"
ORDER = "order-42"
UNSAFE = os.environ.get("AGENT_UNSAFE_EFFECTS") == "1"


def charge_card(key: str, amount: int, payment: int, memo: str) -> str:
    """Charge the card. The service is sent the step's key, and does once what has the same key."""
    effect = f"charge_card_{payment}" if payment else "charge_card"
    record_effect(effect, key=None if UNSAFE else key)
    return f"charged {amount} for payment {payment} ({memo})"


def charge_in_cents(key: str, cents: int, payment: int, memo: str) -> str:
    """What ``charge_card`` has become in another world."""
    return charge_card(key, cents // 100, payment, memo)


def offered() -> Mapping[str, OtherTool]:
    """The tools that the model may call, in the world as it is now."""
    if WORLD == "tool-removed":
        return {}
    changed = WORLD == "tool-schema-changed"
    return {"charge_card": calling(charge_in_cents if changed else charge_card)}


def agent() -> Agent:
    """The agent with this shop's tools, and a model whose words go to the client."""
    client = Client()

    def said(messages: list[Message]) -> Message:
        return client.take(answer(messages), last=messages[-1]["role"] == "tool")

    tools = {**answering(said), **offered()}
    return Agent(DATABASE, Settings(), stopping=Stop().listen().asked, others=tools)


def create() -> None:
    """Store the conversation with its first message, unless it is there."""
    with closing(connect(DATABASE, create=True)) as connection:
        if not tasks.exists(connection, ORDER):
            tasks.create(
                connection, ORDER, Plan("Serve the customer", (message(REQUEST),)), run_id()
            )


def work() -> int:
    """Go on from wherever the conversation is, and close the order if nothing is left to do."""
    status = agent().run(ORDER)
    if status == DONE_EXIT:
        record_effect("finish_order", key=ORDER)
    elif status == FAILED_EXIT:
        print("agent: a step failed as often as it may; see the journal", file=sys.stderr)
    return status


def resume() -> int:
    """Go on. Whoever asks for it wants a step that failed tried again."""
    create()
    agent().reopen(ORDER)
    return work()


def next_turn() -> int:
    """Take a new message, when what was under way is done."""
    status = resume()
    if status != DONE_EXIT:
        return status
    agent().extend(ORDER, [message(QUESTION)])
    status = agent().run(ORDER)
    if status == DONE_EXIT:
        record_effect("next_turn", key=f"{ORDER}-turn-2")
    return status


def entries(said: Message) -> Iterator[dict[str, Any]]:
    """One message as the scenarios want it."""
    if said["role"] == "tool":
        yield {"kind": "answer", "id": said["id"]}
        return
    yield {"kind": "user" if said["role"] == "user" else "message", "id": None}
    for call in said.get("calls", []):
        yield {"kind": "call", "id": call["id"]}


def inspect() -> int:
    """Write down what is stored, and the world as it is now."""
    with closing(connect(DATABASE, create=False)) as connection:
        task = tasks.load(connection, ORDER)
    found = {
        "history": [entry for said in history(task) for entry in entries(said)],
        "finished": task.status == "done",
        "world": {
            "model": MODEL,
            "tools": {name: sorted(tool.needs) for name, tool in offered().items()},
        },
    }
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
    return DONE_EXIT


def start() -> int:
    """Begin, or go on where a crash came before anything was done."""
    create()
    return work()


VERBS = {"start": start, "resume": resume, "next-turn": next_turn, "inspect": inspect}


def main(verb: str) -> int:
    """Do what the verb says."""
    try:
        return VERBS[verb]()
    except AgentError as error:
        print(f"agent: {error}", file=sys.stderr)
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1]))
