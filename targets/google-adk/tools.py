"""The agent's tools. One charges a card, and may need a person's approval before it does.

* a tool's context, which knows the id of the call:
  https://google.github.io/adk-docs/tools-custom/#tool-context
* tools that need a confirmation: https://google.github.io/adk-docs/tools-custom/confirmation/
* long-running tools: https://google.github.io/adk-docs/tools-custom/function-tools/#long-run-tool

They are asynchronous, so that calls of one turn run side by side:
https://google.github.io/adk-docs/tools-custom/performance/
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from google.adk.tools import FunctionTool, LongRunningFunctionTool, ToolContext
from kept import kept
from plugpull import record_effect
from settings import APPROVAL, KEEPS_CLASSES, KEY, LONG_RUNNING, WORLD


async def charge_card(
    amount: int, memo: str, payment: int, tool_context: ToolContext
) -> dict[str, str]:
    """Charge the customer's card."""
    await charge(payment, tool_context)
    return {"status": f"charged ${amount} ({memo})"}


def in_cents() -> Callable[..., Any]:
    """What ``charge_card`` has become in another world."""

    async def charge_card(
        cents: int, memo: str, payment: int, tool_context: ToolContext
    ) -> dict[str, str]:
        """Charge the customer's card."""
        await charge(payment, tool_context)
        return {"status": f"charged {cents} cents ({memo})"}

    return charge_card


async def notify_shop(about: str) -> dict[str, str]:
    """Tell the shop about the order."""
    await asyncio.to_thread(record_effect, "notify_shop")
    return {"status": f"notified ({about})"}


async def reserve_stock(about: str) -> dict[str, str]:
    """Put the goods aside."""
    await asyncio.to_thread(record_effect, "reserve_stock")
    return {"status": f"reserved ({about})"}


async def ask_for_approval(about: str, payment: int) -> dict[str, str]:
    """Ask a person whether a payment may be made; they answer later."""
    return {"status": "pending", "ticket": f"payment {payment}: {about}"}


async def charge(payment: int, context: ToolContext) -> None:
    """Call the payment service.

    Raises:
        ConnectionError: It did not answer.
    """
    if KEEPS_CLASSES:
        context.state["kept"] = kept()
    key = context.function_call_id if KEY == "function-call-id" else None
    await asyncio.to_thread(record_effect, effect(payment), key=key)


def effect(payment: int) -> str:
    """What a payment is called at the service: where there are several, each has its own name."""
    return f"charge_card_{payment}" if payment else "charge_card"


def charging() -> list[FunctionTool]:
    """The tool that charges a card, in the world as it is now, and the one that asks before."""
    if WORLD == "tool-removed":
        return []
    charges = in_cents() if WORLD == "tool-schema-changed" else charge_card
    if not APPROVAL:
        return [FunctionTool(charges)]
    if LONG_RUNNING:
        return [LongRunningFunctionTool(ask_for_approval), FunctionTool(charges)]
    return [FunctionTool(charges, require_confirmation=True)]


def others() -> list[FunctionTool]:
    """What else the agent can do, where it is asked for."""
    if APPROVAL == "sibling":
        return [FunctionTool(notify_shop)]
    return [FunctionTool(reserve_stock)] if "after-step" in APPROVAL else []
