"""An order as a flow of CrewAI: the model is asked, the card is charged, the order is closed.

CrewAI saves the state of a flow with ``@persist``, and a flow that is begun with the same id has
that state and takes its methods from the start. With a checkpoint the methods that have ended are
not taken again:

* https://docs.crewai.com/en/concepts/flows
* https://docs.crewai.com/en/concepts/checkpointing

Usage: ``python agent.py start | resume | inspect``. What a variant of target.json sets:

``PLUGPULL_SAVED``
    What is gone on with: ``persist``, or ``checkpoint``.
``PLUGPULL_KEY``
    What the method sends the payment service as idempotency key: ``none``, the ``flow-id`` of the
    state, or the ``call-id`` that the model has made.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from crewai.flow.flow import Flow, listen, start
from crewai.flow.persistence import persist
from kept import Kept, described, kept
from model import ShopModel
from plugpull import record_effect
from pydantic import BaseModel
from settings import KEEPS_CLASSES, KEY, ORDER, REQUEST, SAVED
from stores import checkpointing, checkpoints, persistence

MODEL = ShopModel(model="shop-1")


class Order(BaseModel):
    """The state of the flow.

    Attributes:
        id: What it is saved under.
        messages: The conversation.
        kept: Values of the application's own classes.
    """

    id: str = ""
    messages: list[dict[str, Any]] = []
    kept: Kept | None = None


class OrderFlow(Flow[Order]):
    """Ask, charge, close."""

    @start()
    def ask(self) -> None:
        """Ask the model what is to be done."""
        asked = {"role": "user", "content": REQUEST}
        if KEEPS_CLASSES and self.state.kept is None:
            self.state.kept = kept()
        self.state.messages = [asked, {"role": "assistant", "content": MODEL.call([asked])}]

    @listen(ask)
    def charge(self) -> None:
        """Do what the model asks for."""
        call = json.loads(self.state.messages[1]["content"])
        key = {"flow-id": self.state.id, "call-id": call["id"]}.get(KEY)
        record_effect("charge_card", key=key)
        told = {"role": "tool", "content": f"charged ${call['amount']}", "call": call["id"]}
        self.state.messages = [*self.state.messages, told]

    @listen(charge)
    def close(self) -> None:
        """Thank the customer, and close the order."""
        thanks = {"role": "assistant", "content": MODEL.call(self.state.messages)}
        self.state.messages = [*self.state.messages, thanks]
        record_effect("finish_order", key=ORDER)


def run(*, restore: bool) -> None:
    """Take the flow to its end, from its start or from where it is."""
    if SAVED == "persist":
        persist(persistence())(OrderFlow)().kickoff(inputs={"id": ORDER})
    else:
        OrderFlow().kickoff(inputs={"id": ORDER}, from_checkpoint=checkpointing(restore=restore))


def stored() -> tuple[Order, int]:
    """What a new process can load, and from how many checkpoints."""
    if SAVED == "persist":
        found = persistence().load_state(ORDER)
        return Order.model_validate(found or {}), int(found is not None)
    if not checkpoints():
        return Order(), 0
    restored = OrderFlow.from_checkpoint(checkpointing(restore=True))
    return Order.model_validate(restored.state.model_dump()), len(checkpoints())


def inspect() -> None:
    """Look at what is stored."""
    order, seen = stored()
    kinds = [kind for message in order.messages for kind in entries(message)]
    finished = len(order.messages) == 4
    found: dict[str, Any] = {
        "history": kinds,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in kinds], "closed": finished},
        "checkpoints": seen,
    }
    if KEEPS_CLASSES:
        found["classes"] = described(order.kept)
    report(found)


def entries(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What one stored message is."""
    if message["role"] == "tool":
        return [{"kind": "answer", "id": message["call"]}]
    if message["role"] == "assistant" and message["content"].startswith("{"):
        return [{"kind": "call", "id": json.loads(message["content"])["id"]}]
    return [{"kind": "user" if message["role"] == "user" else "message", "id": None}]


def report(found: dict[str, Any]) -> None:
    """Write down what was found."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")


def main(verb: str) -> None:
    """Start the flow, go on with it in another process, or look at what is stored."""
    if verb == "inspect":
        inspect()
        return
    if verb not in {"start", "resume"}:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)
    if KEEPS_CLASSES and verb == "start":
        report({"classes": described(kept())})
    run(restore=verb == "resume")


if __name__ == "__main__":
    main(sys.argv[-1])
