"""The order as a flow: the model is asked, what it wants is done, and the order is closed.

A flow's methods do what a tool of an agent would. https://docs.crewai.com/en/concepts/flows
"""

from __future__ import annotations

from typing import Any

from crewai.flow.flow import Flow, listen, start
from kept import Kept, kept
from model import ShopModel, calls_of
from plugpull import record_effect
from pydantic import BaseModel
from settings import AMOUNT, KEEPS_CLASSES, KEY, MODEL, ORDER, REQUEST, SAVED, WORLD
from stores import checkpoint_now

LLM = ShopModel(model=MODEL)


class Order(BaseModel):
    """The state of the flow.

    Attributes:
        id: What it is saved under.
        said: What the customer says in this run.
        messages: The conversation.
        kept: Values of the application's own classes.
    """

    id: str = ""
    said: str = REQUEST
    messages: list[dict[str, Any]] = []
    kept: Kept | None = None


def add(state: Order, role: str, content: str, **more: str) -> None:
    """Put a message at the end of the conversation."""
    state.messages = [*state.messages, {"role": role, "content": content, **more}]


def hear(state: Order) -> None:
    """Ask the model what is to be done."""
    add(state, "assistant", LLM.call(state.messages))


def begin(state: Order) -> None:
    """Begin the conversation, and ask the model."""
    if KEEPS_CLASSES and state.kept is None:
        state.kept = kept()
    state.messages = []
    add(state, "user", REQUEST)
    hear(state)


def open_calls(state: Order) -> list[dict[str, Any]]:
    """The calls of the conversation that have no answer."""
    answered = {one.get("call") for one in state.messages}
    calls = [call for message in state.messages for call in calls_of(message)]
    return [call for call in calls if call["id"] not in answered]


def charge_card(arguments: dict[str, Any], effect: str, key: str | None) -> str:
    """The shop's tool: charge the card."""
    amount = arguments[AMOUNT[0]]
    record_effect(effect, key=key)
    return f"charged {amount}"


def serve(arguments: dict[str, Any], effect: str, key: str | None) -> str:
    """Any other thing that the shop does."""
    # A reservation cannot be told from another one by anything that the shop is sent.
    record_effect(effect, key=None if effect == "reserve_stock" else key)
    return str(arguments["memo"])


TOOLS = {"charge_card": charge_card, "notify_shop": serve, "reserve_stock": serve}
if WORLD == "tool-removed":
    del TOOLS["charge_card"]


def do(state: Order, call: dict[str, Any]) -> None:
    """Do what one call asks for, and write its answer down."""
    key = {"flow-id": state.id, "call-id": call["id"]}.get(KEY)
    told = TOOLS[call["tool"]](call["arguments"], call["effect"], key)
    add(state, "tool", f"done: {told}", call=call["id"])


def keep() -> None:
    """Write a checkpoint where that is not left to CrewAI."""
    if SAVED == "checkpoint-by-hand":
        checkpoint_now()


class OrderFlow(Flow[Order]):
    """Ask, charge, close."""

    @start()
    def ask(self) -> None:
        """Ask the model what is to be done."""
        begin(self.state)

    @listen(ask)
    def charge(self) -> None:
        """Do what the model asks for."""
        keep()
        for call in open_calls(self.state):
            do(self.state, call)

    @listen(charge)
    def close(self) -> None:
        """Thank the customer, and close the order."""
        keep()
        if self.state.messages[-1]["role"] == "tool":
            hear(self.state)
        keep()
        record_effect("finish_order", key=ORDER)
