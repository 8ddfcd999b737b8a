"""The agent as a handler: it asks the model, runs what that asks for, and asks again.

* durable agents: https://docs.restate.dev/ai/patterns/durable-agents
* objects that keep a conversation, one message at a time:
  https://docs.restate.dev/foundations/services#virtual-object
* a human who decides: https://docs.restate.dev/develop/python/external-events#awakeables
* an agent that another one calls: https://docs.restate.dev/develop/python/service-communication
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import restate
from settings import ORDER, REQUEST
from tools import ask_model, close_order, options, report_effect, run_tool

REJECTED = "A human has rejected this payment."

# While nobody serves it, a handler is asked for again at least twice a second.
AGAIN = restate.InvocationRetryPolicy(
    initial_interval=timedelta(milliseconds=50),
    max_interval=timedelta(milliseconds=500),
    max_attempts=100_000,
)

order = restate.VirtualObject("Order", invocation_retry_policy=AGAIN)
desk = restate.VirtualObject("Desk", invocation_retry_policy=AGAIN)


def wishes(setup: dict[str, Any]) -> list[str]:
    """The tools that the model will ask for."""
    if setup["batch"]:
        return [f"charge_card_{number}" for number in range(1, setup["batch"] + 1)]
    shapes = {"two": ["charge_card_1", "charge_card_2"], "sibling": ["charge_card", "notify_shop"]}
    return shapes.get(setup["approval"], ["charge_card"])


async def turn(
    ctx: restate.ObjectContext, setup: dict[str, Any], messages: list[dict[str, Any]]
) -> None:
    """Ask and act, until the model asks for nothing more; the conversation is kept."""
    while True:
        said = await ctx.run_typed(
            "model", ask_model, options(setup), messages=messages, wishes=wishes(setup)
        )
        answers = await act(ctx, setup, said["calls"])
        messages += [said, *answers]
        ctx.set("messages", messages)
        if not said["calls"]:
            return


async def act(
    ctx: restate.ObjectContext, setup: dict[str, Any], calls: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Run the calls of one turn, those last that a human has to agree to."""
    gated = [one for one in calls if setup["approval"] and one["name"] == "charge_card"]
    found: dict[str, str] = {}
    for call in calls:
        if call not in gated:
            found[call["id"]] = await run_tool(ctx, setup, call)
    if gated and setup["approval"].endswith("after-step"):
        await ctx.run_typed("reserve", report_effect, effect="reserve_stock", key=None)
    asked = {one["id"]: ctx.awakeable(type_hint=str) for one in gated}
    waiting = {one["payment"]["effect"]: asked[one["id"]][0] for one in gated}
    for call in gated:
        ctx.set("waiting", dict(waiting))
        word = await asked[call["id"]][1]
        del waiting[call["payment"]["effect"]]
        ctx.set("waiting", {})
        found[call["id"]] = await run_tool(ctx, setup, call) if word == "approve" else REJECTED
    return [{"role": "tool", "id": one["id"], "content": found[one["id"]]} for one in calls]


@order.handler()
async def run(ctx: restate.ObjectContext, setup: dict[str, Any]) -> str:
    """Take the order to its end."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": REQUEST}]
    ctx.set("messages", messages)
    if setup["approval"].startswith("nested"):
        told = {"setup": setup, "messages": messages}
        messages = await ctx.object_call(work, key=ctx.key(), arg=told)
        ctx.set("messages", messages)
    else:
        await turn(ctx, setup, messages)
    await close_order(ctx)
    ctx.set("closed", True)
    return str(messages[-1]["content"])


@order.handler()
async def say(ctx: restate.ObjectContext, told: dict[str, Any]) -> str:
    """Answer something new from the user, when the order itself has come to its end."""
    messages = await ctx.get("messages", type_hint=list) or []
    messages.append({"role": "user", "content": told["text"]})
    await turn(ctx, told["setup"], messages)
    await ctx.run_typed("turn", report_effect, effect="next_turn", key=f"{ORDER}-turn-2")
    return str(messages[-1]["content"])


@desk.handler()
async def work(ctx: restate.ObjectContext, told: dict[str, Any]) -> list[dict[str, Any]]:
    """The agent within: the whole loop; gives the conversation."""
    messages = list(told["messages"])
    await turn(ctx, told["setup"], messages)
    return messages


app = restate.app([order, desk])
