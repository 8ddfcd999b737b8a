"""The shop's language model, which is none: it asks for what is to be done, then says thank you.

Like a real model it never says the same thing twice: each call has a new id, and everything new
wording. Like a real provider it takes no messages in which a call has no answer, and sometimes it
cannot be reached.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Sequence
from typing import Any

from durable.conversation import Message
from plugpull import fault

__all__ = ["APPROVAL", "MODEL", "QUESTION", "REQUEST", "WORLD", "answer"]

WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

#: What the customer asks for, and what they ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
QUESTION = "When does it arrive?"

#: For how many payments it asks at once; 0 for the only one.
_BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))


_CHARGE = ("charge_card", 0)
_BATCHED = [[("charge_card", payment) for payment in range(1, _BATCH + 1)]] if _BATCH else None

#: What it asks for, turn by turn: tools, each with the payment that it is for.
_TURNS = {
    "two": [[("charge_card", 1), ("charge_card", 2)]],
    "sibling": [[_CHARGE, ("notify_shop", 0)]],
    "after-step": [[("reserve_stock", 0)], [_CHARGE]],
    "nested": [[("ask_cashier", 0)]],
    "nested-after-step": [[("ask_cashier", 0)]],
}.get(APPROVAL, _BATCHED or [[_CHARGE]])

#: And what the cashier's asks for.
_CASHIER_TURNS = [*([[("reserve_stock", 0)]] if APPROVAL == "nested-after-step" else []), [_CHARGE]]


def answer(messages: Sequence[Message], *, cashier: bool = False) -> Message:
    """What the model says next; or the cashier's model, which nobody hears but the shop.

    Raises:
        ConnectionError: It cannot be reached.
        ValueError: It does not take these messages.
    """
    _refuse_unpaired(messages)
    newest = messages[-1]
    fault("model:after-tool" if newest["role"] == "tool" else "model:first")
    if newest["text"] == QUESTION:
        return _says("It arrives on Tuesday.")
    turns = _CASHIER_TURNS if cashier else _TURNS
    taken = sum("calls" in said for said in messages)
    if taken == len(turns):
        return _says("That is all I can do for order 42. Thank you!")
    calls = [_call(tool, payment) for tool, payment in turns[taken]]
    return {**_says("I will see to it at once."), "calls": calls}


def _refuse_unpaired(messages: Sequence[Message]) -> None:
    waiting: set[str] = set()
    for said in messages:
        if said["role"] == "tool":
            paired = said["id"] in waiting
            waiting.discard(said["id"])
        else:
            paired = not waiting
            waiting = {call["id"] for call in said.get("calls", [])}
        if not paired:
            break
    if waiting or not paired:
        msg = "400: an assistant message with tool calls must be followed by tool messages"
        raise ValueError(msg)


def _says(text: str) -> Message:
    return {"role": "assistant", "text": f"{text} ({_new()})"}


def _call(tool: str, payment: int) -> dict[str, Any]:
    given: dict[str, Any] = {"memo": f"order 42, {_new()}"}
    if tool == "charge_card":
        amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
        given |= {**amount, "payment": payment}
    return {"id": f"call_{_new()}", "tool": tool, "input": given}


def _new() -> str:
    return uuid.uuid4().hex[:8]
