"""What the shop can do, and what a person has decided about it.

Each tool is given its step's key, which stays the same however often the step is run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any

from durable.approval import asking
from durable.conversation import calling
from durable.tools import OtherTool
from plugpull import record_effect
from shop_model import APPROVAL, WORLD

__all__ = ["GATED", "callable_tools", "decided"]

#: What a person has to say yes to.
GATED = frozenset({"charge_card"} if APPROVAL else ())

_UNSAFE = os.environ.get("AGENT_UNSAFE_EFFECTS") == "1"


def charge_card(key: str, amount: int, payment: int, memo: str) -> str:
    """Charge the card. The service is sent the step's key, and does once what has the same key."""
    record_effect(_effect(payment), key=None if _UNSAFE else key)
    return f"charged {amount} for payment {payment} ({memo})"


def charge_in_cents(key: str, cents: int, payment: int, memo: str) -> str:
    """What ``charge_card`` has become in another world."""
    return charge_card(key, cents // 100, payment, memo)


def notify_shop(key: str, memo: str) -> str:
    """Tell the shop about the order."""
    record_effect("notify_shop", key=key)
    return f"notified ({memo})"


def reserve_stock(_key: str, memo: str) -> str:
    """Put the goods aside. This service knows no keys, so a repetition would show."""
    record_effect("reserve_stock")
    return f"reserved ({memo})"


def callable_tools(cashier: Callable[[str, str], str]) -> Mapping[str, OtherTool]:
    """The tools that the model may call, in the world as it is now.

    Args:
        cashier: Has the cashier do something; takes a key and what it is about.
    """

    def ask_cashier(key: str, memo: str) -> str:
        return cashier(key, memo)

    tools: dict[str, Callable[..., str]] = {
        "notify_shop": notify_shop,
        "reserve_stock": reserve_stock,
        "ask_cashier": ask_cashier,
    }
    if WORLD != "tool-removed":
        changed = WORLD == "tool-schema-changed"
        tools["charge_card"] = charge_in_cents if changed else charge_card
    return {name: calling(tool) for name, tool in tools.items()}


def decided() -> Mapping[str, OtherTool]:
    """The tool that asks a person, who has decided before this process began, or not at all."""
    said = {
        one["call"]: one["decision"] == "approve"
        for one in json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    }

    def decide(_tool: str, given: dict[str, Any]) -> bool | None:
        return said.get(_effect(given["payment"]))

    return asking(decide)


def _effect(payment: int) -> str:
    """What a payment is called at the service: where there are several, each has its own name."""
    return f"charge_card_{payment}" if payment else "charge_card"
