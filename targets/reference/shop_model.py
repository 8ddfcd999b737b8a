"""The shop's language model, which is none: it asks for what is to be paid, then says thank you.

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

__all__ = ["MODEL", "QUESTION", "REQUEST", "WORLD", "answer"]

WORLD = os.environ.get("PLUGPULL_WORLD", "")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

#: What the customer asks for, and what they ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
QUESTION = "When does it arrive?"

#: For how many payments it asks at once; 0 for the only one.
_BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))


def answer(messages: Sequence[Message]) -> Message:
    """What the model says next.

    Raises:
        ConnectionError: It cannot be reached.
        ValueError: It does not take these messages.
    """
    _refuse_unpaired(messages)
    newest = messages[-1]
    fault("model:after-tool" if newest["role"] == "tool" else "model:first")
    if newest["role"] == "tool":
        return _says("Your card was charged. Thank you!")
    if newest["text"] == QUESTION:
        return _says("It arrives on Tuesday.")
    payments = range(1, _BATCH + 1) if _BATCH else range(1)
    return {
        **_says("I will see to it at once."),
        "calls": [_call(payment) for payment in payments],
    }


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


def _call(payment: int) -> dict[str, Any]:
    amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    return {
        "id": f"call_{_new()}",
        "tool": "charge_card",
        "input": {**amount, "payment": payment, "memo": f"order 42, {_new()}"},
    }


def _new() -> str:
    return uuid.uuid4().hex[:8]
