"""Two ways in which a workflow asks a human.

https://developers.llamaindex.ai/python/llamaagents/workflows/human_in_the_loop/

The step that asks makes a reservation first, where the run is to have one: with events that step
is over when the run waits. A step that waits by itself begins anew when the human has answered, as
the page says.
"""

from __future__ import annotations

import asyncio

from events import Answer, Approval, Call, Decision, Question
from plugpull import record_effect
from settings import APPROVAL, ASKED_BY, WORLD
from shop import DeskWithoutTools, Shop
from workflows import Context, Workflow, step

REJECTED = "A human has rejected this payment."


async def prepare(ctx: Context, call: Call) -> None:
    """Put the goods aside, where the run does that first, and note down what is asked about."""
    if APPROVAL == "after-step":
        await asyncio.to_thread(record_effect, "reserve_stock")
    async with ctx.store.edit_state() as state:
        state["waiting"] = {**state.get("waiting", {}), call.id: call.model_dump()}


class AskingShop(Shop):
    """One step asks, and another one hears the answer."""

    @step
    async def ask(self, ctx: Context, ev: Question) -> Approval:
        """Ask."""
        await prepare(ctx, ev.call)
        return Approval(id=ev.call.id, name=ev.call.name)

    @step
    async def decide(self, ctx: Context, ev: Decision) -> Call | Answer | None:
        """Have the tool run, or say no to the model. Nothing is decided twice."""
        async with ctx.store.edit_state() as state:
            waiting = dict(state["waiting"])
            call = waiting.pop(ev.id, None)
            state["waiting"] = waiting
        if call is None:
            return None
        return Call(**call) if ev.approved else Answer(id=ev.id, content=REJECTED)


class WaitingShop(Shop):
    """One step asks, and waits for the answer."""

    @step
    async def ask(self, ctx: Context, ev: Question) -> Call | Answer:
        """Ask, and have the tool run or say no to the model."""
        await prepare(ctx, ev.call)
        decided = await ctx.wait_for_event(
            Decision,
            waiter_event=Approval(id=ev.call.id, name=ev.call.name),
            waiter_id=ev.call.id,
            requirements={"id": ev.call.id},
            timeout=None,
        )
        return ev.call if decided.approved else Answer(id=ev.call.id, content=REJECTED)


def build() -> Workflow:
    """The workflow of this run. It may take as long as it takes, where it has something to do."""
    if WORLD == "tool-removed":
        return DeskWithoutTools(timeout=10)
    return WaitingShop(timeout=None) if ASKED_BY == "waiting" else AskingShop(timeout=None)
