"""The order as a workflow: a step asks the model, others run its tools, and it is asked again.

* steps and events: https://developers.llamaindex.ai/python/llamaagents/workflows/
* several events at once, and how they are collected:
  https://developers.llamaindex.ai/python/llamaagents/workflows/concurrent_execution/
* the state that all steps share:
  https://developers.llamaindex.ai/python/llamaagents/workflows/managing_state/
* retries: https://developers.llamaindex.ai/python/llamaagents/workflows/retry_steps/
"""

from __future__ import annotations

import asyncio
import uuid
from typing import Any

import model
from events import Answer, Ask, Call, Message, Piece, Question, Said
from keepsakes import keepsakes
from plugpull import record_effect
from settings import KEEPS_CLASSES, KEY, ORDER, RETRY, is_gated
from workflows import Context, Workflow, retry_policy, step
from workflows.events import StopEvent


def retried(what: str) -> Any:
    """The retry policy of a step, where the variant wants one: two more attempts, at once."""
    if what != RETRY:
        return None
    return retry_policy.retry_policy(
        wait=retry_policy.wait_fixed(0), stop=retry_policy.stop_after_attempt(3)
    )


class Desk(Workflow):
    """Hears what the user says, and closes what was begun."""

    @step
    async def begin(self, ctx: Context, ev: Message) -> Ask:
        """Write down what the user says, and make the key of what will be done about it."""
        messages = await ctx.store.get("messages", default=[])
        await ctx.store.set("messages", [*messages, {"role": "user", "content": ev.text}])
        await ctx.store.set("key", uuid.uuid4().hex)
        if KEEPS_CLASSES:
            for name, value in keepsakes().items():
                await ctx.store.set(f"kept_{name}", value)
        return Ask()

    async def ask_model(self, ctx: Context, messages: list[model.Message]) -> model.Message:
        """The model's whole message; its pieces go to whoever reads the stream."""
        last = messages[-1]["role"] == "tool"
        said: model.Message = {}
        async for part in model.ask(messages):
            if isinstance(part, str):
                ctx.write_event_to_stream(Piece(text=part, last=last))
            else:
                said = part
        return said

    @step
    async def finish(self, ctx: Context, ev: Said) -> StopEvent:
        """Close the order; or, where the user has written again, the turn."""
        messages = await ctx.store.get("messages")
        if sum(one["role"] == "user" for one in messages) == 1:
            await asyncio.to_thread(record_effect, "finish_order", key=ORDER)
        else:
            await asyncio.to_thread(record_effect, "next_turn", key=f"{ORDER}-turn-2")
        await ctx.store.set("closed", value=True)
        return StopEvent(result=ev.text)


class Shop(Desk):
    """Takes an order: the model is asked, its calls are run, and it is asked again."""

    @step(retry_policy=retried("model"))
    async def think(self, ctx: Context, ev: Ask) -> Call | Question | Said | None:  # noqa: ARG002
        """Ask the model, and hand out the calls that it makes."""
        messages = await ctx.store.get("messages")
        said = await self.ask_model(ctx, messages)
        await ctx.store.set("messages", [*messages, said])
        await ctx.store.set("calls", len(said["calls"]))
        key = await ctx.store.get("key")
        calls = [Call(**asked, key=f"{key}:{asked['name']}") for asked in said["calls"]]
        handed: list[Call | Question] = [
            Question(call=call) if is_gated(call.name) else call for call in calls
        ]
        if len(handed) == 1:
            return handed[0]
        for event in handed:
            ctx.send_event(event)
        return None if handed else Said(text=said["content"])

    @step(retry_policy=retried("tool"))
    async def act(self, ev: Call) -> Answer:
        """Run a tool: it calls the service, with the key of its event or with none."""
        await asyncio.to_thread(record_effect, ev.name, key=ev.key if KEY == "event" else None)
        return Answer(id=ev.id, content=f"{ev.name}: done, {ev.memo}")

    @step
    async def collect(self, ctx: Context, ev: Answer) -> Ask | None:
        """Wait for all answers of a turn, and write them down."""
        calls = await ctx.store.get("calls")
        answers = ctx.collect_events(ev, [Answer] * calls)
        if answers is None:
            return None
        messages = await ctx.store.get("messages")
        said = [{"role": "tool", "id": one.id, "content": one.content} for one in answers]
        await ctx.store.set("messages", [*messages, *said])
        return Ask()


class DeskWithoutTools(Desk):
    """What the shop becomes when it takes no cards any more: a step and its event are gone."""

    @step
    async def think(self, ctx: Context, ev: Ask) -> Said:  # noqa: ARG002
        """Ask the model, which can only talk."""
        messages = await ctx.store.get("messages")
        said = await self.ask_model(ctx, messages)
        await ctx.store.set("messages", [*messages, said])
        return Said(text=said["content"])
