"""What the shop can do. Burr has no class for tools: an action calls the application's functions.

A call is made by name with the arguments that the model has chosen, as the state holds them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from burr.core import ApplicationContext
from model import Message
from plugpull import record_effect
from settings import APPROVAL, KEY, WORLD

#: What stands for a call that a person has forbidden.
REJECTED = "A person has rejected this payment."

Call = Mapping[str, Any]


def charge_card(key: str | None, *, amount: int, memo: str, payment: int) -> str:
    """Charge the customer's card."""
    record_effect(effect(payment), key=key)
    return f"done: charged ${amount} ({memo})"


def charge_in_cents(key: str | None, *, cents: int, memo: str, payment: int) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    record_effect(effect(payment), key=key)
    return f"done: charged {cents} cents ({memo})"


def notify_shop(_key: str | None, *, memo: str, payment: int) -> str:
    """Tell the shop about the order."""
    record_effect("notify_shop")
    return f"done: notified ({memo}, payment {payment})"


def reserve_stock(_key: str | None, *, memo: str, payment: int) -> str:
    """Put the goods aside."""
    record_effect("reserve_stock")
    return f"done: reserved ({memo}, payment {payment})"


def effect(payment: int) -> str:
    """What a payment is called at the service: where there are several, each has its own name."""
    return f"charge_card_{payment}" if payment else "charge_card"


def offered() -> dict[str, Callable[..., str]]:
    """The tools by their names, in the world as it is now."""
    others = {"notify_shop": notify_shop, "reserve_stock": reserve_stock}
    if WORLD == "tool-removed":
        return others
    charging = charge_in_cents if WORLD == "tool-schema-changed" else charge_card
    return {**others, "charge_card": charging}


def make(call: Call, context: ApplicationContext, number: int = 0) -> str:
    """Make a call.

    Args:
        call: What the model wants.
        context: What Burr tells the action that makes the call.
        number: Which one it is in this step.
    """
    step = f"{context.app_id}:{context.sequence_id}:{number}"
    key = {"step": step, "call-id": str(call["id"])}.get(KEY)
    return offered()[call["tool"]](key, **call["arguments"])


def open_calls(messages: Sequence[Message]) -> list[Call]:
    """The calls that have no answer yet."""
    answered = {message.get("answers") for message in messages}
    calls = [one for message in messages for one in message.get("calls", [])]
    return [one for one in calls if one["id"] not in answered]


def asked_for(call: Call) -> str:
    """What a call does, in the word in which a person is asked about it."""
    return effect(call["arguments"]["payment"]) if call["tool"] == "charge_card" else call["tool"]


def gated(call: Call) -> bool:
    """Whether a call needs a person's approval."""
    return bool(APPROVAL) and call["tool"] == "charge_card"


def told(call: Call, said: str) -> Message:
    """A tool's answer as it stands in the conversation."""
    return {"role": "tool", "answers": call["id"], "content": said}
