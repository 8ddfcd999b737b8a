"""The reference agent as a shop's assistant: a conversation in which the model asks for calls.

What makes it durable is :mod:`durable.conversation`. Here are the verbs, and who plays which part.

Usage: ``python shop.py start | resume | approve | next-turn | inspect``. Set from outside, beside
the scenarios' own variables (docs/what-a-target-is-asked.md):

``AGENT_UNSAFE_EFFECTS``
    ``1``: the card is charged without a key.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from durable import tasks
from durable.conversation import Message, answering, history, message
from durable.database import connect
from durable.errors import DONE_EXIT, FAILED_EXIT, WAITING_EXIT, AgentError, Unfinished
from durable.loop import Agent, run_id
from durable.plan import Plan
from durable.settings import Settings
from durable.stop import Stop
from plugpull import record_effect
from shop_client import Client
from shop_model import MODEL, QUESTION, REQUEST, answer
from shop_tools import GATED, callable_tools, decided

DATABASE = Path(os.environ["PLUGPULL_WORKDIR"]) / "shop.db"
ORDER = "order-42"


class Shop:
    """The conversation, and the cashier whom it may ask: each is a task in one database."""

    def __init__(self) -> None:
        self._client = Client()
        self._stop = Stop().listen()
        self.tools = callable_tools(self._ask_cashier)

    def open(self) -> None:
        """Store the conversation with its first message, unless it is there."""
        _create(ORDER, REQUEST)

    def agent(self, *, cashier: bool = False) -> Agent:
        """The agent with this shop's tools; the words of its model go to the client."""

        def said(messages: list[Message]) -> Message:
            if cashier:
                return answer(messages, cashier=True)
            return self._client.take(answer(messages), last=messages[-1]["role"] == "tool")

        others = {**answering(said, GATED), **decided(), **self.tools}
        return Agent(DATABASE, Settings(), stopping=self._stop.asked, others=others)

    def _ask_cashier(self, key: str, memo: str) -> str:
        """Have another agent do it, in a task of its own that has this step's key as its name.

        A repetition of the step finds that task, and goes on with it.

        Raises:
            Unfinished: The cashier has to wait, and so does the shop.
            RuntimeError: It failed.
        """
        _create(key, memo)
        status = self.agent(cashier=True).run(key)
        if status == FAILED_EXIT:
            msg = f"the cashier could not do it; see {key}"
            raise RuntimeError(msg)
        if status != DONE_EXIT:
            raise Unfinished(status)
        return str(list(history(_load(key)))[-1]["text"])


def _create(task_id: str, text: str) -> None:
    with closing(connect(DATABASE, create=True)) as connection:
        if not tasks.exists(connection, task_id):
            tasks.create(
                connection, task_id, Plan("Serve the customer", (message(text),)), run_id()
            )


def _load(task_id: str) -> tasks.Task:
    with closing(connect(DATABASE, create=False)) as connection:
        return tasks.load(connection, task_id)


def work(shop: Shop) -> int:
    """Go on from wherever the conversation is, and close the order if nothing is left to do."""
    status = shop.agent().run(ORDER)
    if status == DONE_EXIT:
        record_effect("finish_order", key=ORDER)
    return status


def start(shop: Shop) -> int:
    """Begin, or go on where a crash came before anything was done."""
    shop.open()
    return work(shop)


def resume(shop: Shop) -> int:
    """Go on. Whoever asks for it wants a step that failed tried again."""
    shop.open()
    shop.agent().reopen(ORDER)
    return work(shop)


def next_turn(shop: Shop) -> int:
    """Take a new message, when what was under way is done."""
    status = resume(shop)
    if status != DONE_EXIT:
        return status
    shop.agent().extend(ORDER, [message(QUESTION)])
    status = shop.agent().run(ORDER)
    if status == DONE_EXIT:
        record_effect("next_turn", key=f"{ORDER}-turn-2")
    return status


def inspect(shop: Shop) -> int:
    """Write down what is stored, and the world as it is now."""
    task = _load(ORDER)
    found = {
        "history": [entry for said in history(task) for entry in entries(said)],
        "finished": task.status == "done",
        "world": {
            "model": MODEL,
            "tools": {name: sorted(tool.needs) for name, tool in shop.tools.items()},
        },
    }
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
    return DONE_EXIT


def entries(said: Message) -> Iterator[dict[str, Any]]:
    """One message as the scenarios want it."""
    if said["role"] == "tool":
        yield {"kind": "answer", "id": said["id"]}
        return
    yield {"kind": "user" if said["role"] == "user" else "message", "id": None}
    for call in said.get("calls", []):
        yield {"kind": "call", "id": call["id"]}


VERBS = {
    "start": start,
    "resume": resume,
    "approve": work,
    "next-turn": next_turn,
    "inspect": inspect,
}


def main(verb: str) -> int:
    """Do what the verb says."""
    try:
        status = VERBS[verb](Shop())
    except AgentError as error:
        print(f"agent: {error}", file=sys.stderr)
        return error.exit_code
    if status == FAILED_EXIT:
        print("agent: a step failed as often as it may; see the journal", file=sys.stderr)
    # A run that waits for a person has done what it can.
    return DONE_EXIT if status == WAITING_EXIT else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1]))
