"""Two orders at once as a functional workflow: one has to be looked up first, one is free.

Both are paid by the same step. https://github.com/microsoft/agent-framework/issues/8292
"""

from __future__ import annotations

import asyncio
from typing import Any

from agent_framework import RunContext, step, workflow
from functional import built, close, remember
from payments import have
from settings import DISPATCH, ORDER

NAME = "order"
OWED = {"order-42": 42, "order-43": 0}


@step
async def look_up(order_id: str, ctx: RunContext) -> str:
    """Ask another service who the customer is."""
    await asyncio.to_thread(str, order_id)
    remember(ctx, f"look-up-{order_id}")
    return order_id


@step
async def pay(order_id: str, ctx: RunContext) -> str:
    """Charge what an order owes; the key belongs to the order."""
    if OWED[order_id]:
        await have("charge_card", order_id)
    remember(ctx, f"pay-{order_id}")
    return f"paid {order_id}"


async def look_up_and_pay(order_id: str) -> str:
    """Pay an order for which the customer has to be known."""
    return await pay(await look_up(order_id))


@workflow(name=NAME)
async def order(_request: str, ctx: RunContext) -> list[str]:
    """Pay both orders at once."""
    both = [look_up_and_pay("order-42"), pay("order-43")]
    if DISPATCH == "swapped":
        both.reverse()
    paid = list(await asyncio.gather(*both))
    await close(ORDER)
    remember(ctx, "end", closed=True)
    return paid


def build(_storage: object) -> Any:
    """The workflow; each of its runs is told where to save."""
    return built(order)
