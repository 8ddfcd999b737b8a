"""An order as a functional workflow: asking the model is a step, and each tool call is one.

What a step returned is saved when it is done; a workflow that is restored runs its function again,
and steps that are done give what they gave. Samples that this follows:

* https://github.com/microsoft/agent-framework/blob/main/python/samples/03-workflows/functional/steps_and_checkpointing.py
* https://github.com/microsoft/agent-framework/blob/main/python/samples/03-workflows/functional/hitl_review.py
* https://github.com/microsoft/agent-framework/blob/main/python/samples/03-workflows/functional/parallel_pipeline.py
"""

from __future__ import annotations

import asyncio
from typing import Any

from agent_framework import Agent, Content, Message, RunContext, step, workflow
from keepsakes import keepsakes
from model import ShopModel, effect_of
from payments import REFUSAL, answer_to, declared, have, run_call
from settings import DISPATCH, KEEPS_CLASSES, NESTED, ORDER, is_gated

NAME = "order"


@step
async def ask(conversation: list[dict[str, Any]], ctx: RunContext) -> list[dict[str, Any]]:
    """Ask the model; what it said is saved, and with it the ids of its calls."""
    agent = Agent(ShopModel(), tools=declared())
    answer = await agent.run([Message.from_dict(message) for message in conversation])
    said = [plain(message) for message in answer.messages]
    remember(ctx, f"ask-{len(conversation)}", conversation=[*conversation, *said])
    return said


@step
async def look_up(call: dict[str, Any], ctx: RunContext) -> str:
    """Ask another service who the customer is."""
    await asyncio.to_thread(str, call)
    remember(ctx, f"look-up-{effect_of(Content.from_dict(call))}")
    return str(call["call_id"])


@step
async def take(call: dict[str, Any], ctx: RunContext) -> str:
    """Run one call of the model, if it is allowed."""
    asked = Content.from_dict(call)
    effect = effect_of(asked)
    allowed = not is_gated(effect) or await ctx.request_info(
        {"call": effect}, response_type=bool, request_id=str(asked.call_id)
    )
    result = await run_call(asked) if allowed else REFUSAL
    remember(ctx, effect)
    return result


@step
async def close(order: str, ctx: RunContext) -> str:
    """Tell the shop that the order is done. Safe to repeat, thanks to its key."""
    await have("finish_order", order)
    remember(ctx, "close")
    return order


@workflow(name=NAME)
async def order(request: str, ctx: RunContext) -> str:
    """Serve the customer, and close the order."""
    if KEEPS_CLASSES:
        ctx.set_state("keepsakes", keepsakes())
    conversation = await (serve_in_a_step if NESTED else serve)(request)
    await close(ORDER)
    remember(ctx, "end", conversation=conversation, closed=True)
    return ORDER


@step
async def serve_in_a_step(request: str) -> list[dict[str, Any]]:
    """Serve the customer in a step that is made of steps."""
    return await serve(request)


async def serve(request: str) -> list[dict[str, Any]]:
    """The conversation, when the model has no more wishes."""
    conversation = [plain(Message("user", [request]))]
    while calls := await wishes(conversation):
        results = await run_calls(calls)
        pairs = zip(calls, results, strict=True)
        answers = [answer_to(Content.from_dict(call), result) for call, result in pairs]
        conversation.append(plain(Message("tool", answers)))
    return conversation


async def wishes(conversation: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the model says next, which is added to the conversation, and the calls in it."""
    said = await ask(list(conversation))
    conversation += said
    contents = [content for message in said for content in message["contents"]]
    return [content for content in contents if content["type"] == "function_call"]


async def run_calls(calls: list[dict[str, Any]]) -> list[str]:
    """The results of all calls of one turn; where a human is asked, one question at a time."""
    if any(is_gated(effect_of(Content.from_dict(call))) for call in calls):
        return [await take(call) for call in calls]
    if DISPATCH == "look-up":
        first, *others = calls
        return list(await asyncio.gather(look_up_and_take(first), *map(take, others)))
    return list(await asyncio.gather(*map(take, calls)))


async def look_up_and_take(call: dict[str, Any]) -> str:
    """Run a call for which the customer has to be known."""
    await look_up(call)
    return await take(call)


def plain(message: Message) -> dict[str, Any]:
    """A message as JSON, which is what the arguments of a step can be told apart by."""
    return message.to_dict()


def remember(ctx: RunContext, last: str, **state: Any) -> None:
    """Keep the last thing that was done, and more, in the state that the next checkpoint saves."""
    for name, value in {"last": last, **state}.items():
        ctx.set_state(name, value)


def built(flow: Any) -> Any:
    """The workflow; before 1.16 nothing is built, and what was decorated is the workflow."""
    return flow.build() if hasattr(flow, "build") else flow


def build(_storage: object) -> Any:
    """The workflow; each of its runs is told where to save."""
    return built(order)
