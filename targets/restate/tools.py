"""Everything that touches the world: the model and the tools, each a durable step.

What a step gives is kept; one that did not end is run again. ``ctx.uuid()`` is the same each time,
so that the payment service can know a repetition by it:
https://docs.restate.dev/develop/python/durable-steps#deterministic-randoms
"""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import model
import restate
from plugpull import record_effect
from settings import KEY, ORDER, WORLD


def options(setup: dict[str, Any]) -> restate.RunOptions[Any]:
    """Tried again without limit, unless the run is told otherwise."""
    if not setup["attempts"]:
        return restate.RunOptions()
    pause = timedelta(milliseconds=50)
    return restate.RunOptions(max_attempts=setup["attempts"], initial_retry_interval=pause)


async def ask_model(messages: list[dict[str, Any]], wishes: list[str]) -> dict[str, Any]:
    """Let the model say what comes next."""
    return await asyncio.to_thread(model.answer, messages, wishes)


async def charge_card(amount: int, memo: str, effect: str, key: str | None) -> str:
    """Charge the customer's card."""
    await asyncio.to_thread(record_effect, effect, key=key)
    return f"charged ${amount} ({memo})"


async def charge_in_cents(cents: int, memo: str, effect: str, key: str | None) -> str:
    """Charge the customer's card: what the tool has become in another world."""
    await asyncio.to_thread(record_effect, effect, key=key)
    return f"charged {cents} cents ({memo})"


async def notify_shop(amount: int, memo: str, effect: str, key: str | None) -> str:
    """Tell the shop that an order has come in; nobody has to be asked."""
    await asyncio.to_thread(record_effect, effect, key=key)
    return f"the shop knows of ${amount} ({memo})"


async def report_effect(effect: str, key: str | None) -> str:
    """A step that is no tool: the stock, the end of the order, the end of a later turn."""
    await asyncio.to_thread(record_effect, effect, key=key)
    return effect


TOOLS = {
    "charge_card": charge_in_cents if WORLD == "tool-schema-changed" else charge_card,
    "notify_shop": notify_shop,
}
if WORLD == "tool-removed":
    del TOOLS["charge_card"]


async def run_tool(ctx: restate.ObjectContext, setup: dict[str, Any], call: dict[str, Any]) -> str:
    """Run one call as a step of its own."""
    key = str(ctx.uuid()) if KEY == "ctx-uuid" else None
    tool = TOOLS.get(call["name"])
    if tool is None:
        raise restate.TerminalError(f"there is no tool {call['name']} any more")

    async def step() -> str:
        return await tool(**call["payment"], key=key)

    return await ctx.run_typed(call["name"], step, options(setup))


async def close_order(ctx: restate.ObjectContext) -> None:
    """End the run: tell the shop that the order is done. Safe to repeat, thanks to its key."""
    await ctx.run_typed("close", report_effect, effect="finish_order", key=ORDER)
