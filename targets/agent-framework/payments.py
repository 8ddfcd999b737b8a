"""The shop's tools, and how each reaches the service behind it.

A tool's idempotency key is the id of the model's call, or is made from the ticket that an earlier
step of the run wrote on the order. Agent Framework hands the id of a call to middleware:

* https://learn.microsoft.com/en-us/agent-framework/agents/tools/function-tools
* https://learn.microsoft.com/en-us/agent-framework/agents/middleware/
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import ContextVar

from agent_framework import Content, FunctionInvocationContext, FunctionTool, function_middleware
from plugpull import record_effect
from settings import APPROVAL, KEY, WORLD, is_gated

#: The answer to a call that a human did not allow.
REFUSAL = "the call was rejected by a human"

#: The id of the call that is being run.
CALL_ID: ContextVar[str] = ContextVar("CALL_ID")


@function_middleware
async def note_call_id(
    context: FunctionInvocationContext, call_next: Callable[[], Awaitable[None]]
) -> None:
    """Let the tool know which call it is run for."""
    CALL_ID.set(context.metadata["call_id"])
    await call_next()


async def charge_card(amount: int, memo: str, payment: int, ticket: str) -> str:
    """Charge the customer's card."""
    return f"{await pay(payment, ticket)}, ${amount} ({memo})"


async def charge_in_cents(cents: int, memo: str, payment: int, ticket: str) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    return f"{await pay(payment, ticket)}, {cents} cents ({memo})"


async def reserve_stock(memo: str) -> str:
    """Lay the goods aside."""
    return f"{await have('reserve_stock', None)} ({memo})"


async def notify_shop(memo: str) -> str:
    """Tell the shop that an order is coming."""
    key = CALL_ID.get() if KEY == "tool-call-id" else None
    return f"{await have('notify_shop', key)} ({memo})"


async def pay(payment: int, ticket: str) -> str:
    """Call the payment service; where there are several payments, each has its own name there."""
    effect = f"charge_card_{payment}" if payment else "charge_card"
    return await have(effect, {"tool-call-id": CALL_ID.get(), "ticket": ticket}.get(KEY))


async def have(effect: str, key: str | None) -> str:
    """Have an effect, in a thread, as a client library without ``async`` would."""
    await asyncio.to_thread(record_effect, effect, key=key)
    return f"done: {effect}"


def tools(*, for_agents: bool = False) -> list[FunctionTool]:
    """The tools, in the world as it is now.

    Args:
        for_agents: An agent runs them by itself, and asks a human where that is needed.
    """
    charge = charge_in_cents if WORLD == "tool-schema-changed" else charge_card
    functions: dict[str, Callable[..., Awaitable[str]]] = {"charge_card": charge}
    if WORLD == "tool-removed":
        del functions["charge_card"]
    if APPROVAL:
        functions |= {"reserve_stock": reserve_stock, "notify_shop": notify_shop}
    return [
        FunctionTool(
            name=name,
            description=str(function.__doc__),
            func=function,
            approval_mode="always_require" if for_agents and is_gated(name) else "never_require",
        )
        for name, function in functions.items()
    ]


def declared() -> list[FunctionTool]:
    """The tools as a model is told of them, for a program that runs the calls itself."""
    return [
        FunctionTool(name=one.name, description=one.description, input_model=one.parameters())
        for one in tools()
    ]


async def run_call(call: Content) -> str:
    """What a call of the model comes to.

    Raises:
        LookupError: There is no such tool.
    """
    found = {one.name: one for one in tools()}
    if call.name not in found:
        message = f"the model asked for {call.name}, which is not among the tools"
        raise LookupError(message)
    CALL_ID.set(str(call.call_id))
    result = await found[call.name].invoke(arguments=call.parse_arguments() or {})
    return " ".join(str(part.text) for part in result)


def answer_to(call: Content, result: str) -> Content:
    """A result as the model is told of it."""
    return Content.from_function_result(call_id=str(call.call_id), result=result)
