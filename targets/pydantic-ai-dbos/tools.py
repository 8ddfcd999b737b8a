"""The agent's tools. What they do in the world is a step of DBOS's, or is not.

* a tool is not made a step by itself; one that does something in the world is to be decorated:
  https://pydantic.dev/docs/ai/capabilities/durable_execution/dbos/#agent-and-toolset-requirements
* tools that need approval:
  https://pydantic.dev/docs/ai/tools-toolsets/deferred-tools/#human-in-the-loop-tool-approval
"""

from __future__ import annotations

import asyncio
from typing import Any

from dbos import DBOS
from plugpull import record_effect
from pydantic_ai import RunContext, Tool
from settings import APPROVAL, KEY, ORDER, RETRY, TOOLS_ARE, WORLD


async def call_service(effect: str, key: str | None) -> None:
    """Call a service outside."""
    await asyncio.to_thread(record_effect, effect, key=key)


@DBOS.step()
async def report(effect: str, key: str) -> None:
    """A step of the workflow itself: the end of the order, or of a later turn."""
    await call_service(effect, key)


if TOOLS_ARE == "step":
    call_service = DBOS.step(retries_allowed=RETRY == "tool", interval_seconds=0.05)(call_service)


async def charge_card(ctx: RunContext[Any], amount: int, memo: str, payment: int) -> str:
    """Charge the customer's card."""
    await call_service(effect(payment), key(ctx))
    return f"charged ${amount} ({memo})"


async def charge_in_cents(ctx: RunContext[Any], cents: int, memo: str, payment: int) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    await call_service(effect(payment), key(ctx))
    return f"charged {cents} cents ({memo})"


async def notify_shop(about: str) -> str:
    """Tell the shop about the order."""
    await call_service("notify_shop", None)
    return f"notified ({about})"


async def reserve_stock(about: str) -> str:
    """Put the goods aside."""
    await call_service("reserve_stock", None)
    return f"reserved ({about})"


def key(ctx: RunContext[Any]) -> str | None:
    """The tool call's id: it comes from the model's answer, which is a step's result."""
    return ctx.tool_call_id if KEY == "tool-call-id" else None


def effect(payment: int) -> str:
    """What a payment is called at the service: where there are several, each has its own name."""
    return f"charge_card_{payment}" if payment else "charge_card"


def tools() -> list[Tool[Any]]:
    """What the agent can do, in the world as it is now."""
    charges: Any = charge_in_cents if WORLD == "tool-schema-changed" else charge_card
    charging = [Tool(charges, name="charge_card", requires_approval=bool(APPROVAL))]
    if WORLD == "tool-removed":
        charging = []
    others = [Tool(notify_shop)] if APPROVAL == "sibling" else []
    return [*charging, *others, *([Tool(reserve_stock)] if "after-step" in APPROVAL else [])]


async def close_order() -> None:
    """End the run: tell the shop that the order is done. Safe to repeat, thanks to its key."""
    await report("finish_order", ORDER)
