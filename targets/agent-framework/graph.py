"""An order as a graph: a clerk asks the model, a desk runs its calls, and a last node closes it.

A checkpoint is saved after each superstep, with what the nodes have sent each other and the state
that they share. Pages and samples that this follows:

* https://learn.microsoft.com/en-us/agent-framework/workflows/executors
* https://learn.microsoft.com/en-us/agent-framework/workflows/human-in-the-loop
* https://github.com/microsoft/agent-framework/blob/main/python/samples/03-workflows/checkpoint/checkpoint_with_resume.py
* https://github.com/microsoft/agent-framework/blob/main/python/samples/03-workflows/checkpoint/sub_workflow_checkpoint.py
"""

import asyncio
from typing import Any

from agent_framework import (
    Agent,
    AgentResponseUpdate,
    Content,
    Executor,
    FileCheckpointStorage,
    Message,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
    response_handler,
)
from keepsakes import keepsakes
from model import ShopModel, effect_of
from payments import REFUSAL, answer_to, declared, have, run_call
from settings import DISPATCH, KEEPS_CLASSES, NESTED, ORDER, is_gated

NAME = "order"
CLERK, DESK, CLOSE = "clerk", "desk", "close"


class Clerk(Executor):
    """Talks with the customer, through the model."""

    @handler
    async def on_news(
        self,
        news: list[Message],
        ctx: WorkflowContext[Message | list[Message], AgentResponseUpdate],
    ) -> None:
        """Take the customer's words, or answers from the desk, and ask the model."""
        if KEEPS_CLASSES:
            ctx.set_state("keepsakes", keepsakes())
        conversation = [*(ctx.get_state("conversation") or []), *news]
        said = await self._ask(conversation, ctx)
        conversation += said
        ctx.set_state("conversation", conversation)
        contents = [content for message in said for content in message.contents]
        calls = [content for content in contents if content.type == "function_call"]
        if calls:
            await ctx.send_message(Message("assistant", calls), target_id=DESK)
        else:
            await ctx.send_message(conversation, target_id=CLOSE)

    async def _ask(
        self, conversation: list[Message], ctx: WorkflowContext[Any, AgentResponseUpdate]
    ) -> list[Message]:
        agent = Agent(ShopModel(), tools=declared())
        if not ctx.is_streaming():
            return (await agent.run(conversation)).messages
        stream = agent.run(conversation, stream=True)
        async for update in stream:
            await ctx.yield_output(update)
        return (await stream.get_final_response()).messages


class Desk(Executor):
    """Runs the calls of one turn, those at once for which nobody has to be asked."""

    def __init__(self) -> None:
        super().__init__(id=DESK)
        self._calls: list[Content] = []
        self._answers: list[Content] = []

    @handler
    async def on_calls(self, turn: Message, ctx: WorkflowContext[Message | list[Message]]) -> None:
        """Run the calls of a turn, or ask for leave."""
        if not self._answers:
            self._calls = list(turn.contents)
        calls = list(turn.contents)
        if DISPATCH == "one-by-one" and len(calls) > 1:
            # What is left is a message to itself, and so the work of another superstep.
            await ctx.send_message(Message("assistant", calls[1:]), target_id=DESK)
            calls = calls[:1]
        for call in calls:
            if is_gated(effect_of(call)):
                request = {"call": effect_of(call), "id": str(call.call_id)}
                await ctx.request_info(request, bool)
        free = [call for call in calls if not is_gated(effect_of(call))]
        results = await asyncio.gather(*map(run_call, free))
        self._answers += map(answer_to, free, results)
        await self._answer_when_all_are_there(ctx)

    @response_handler
    async def on_decision(
        self,
        original_request: dict[str, str],
        allowed: bool,
        ctx: WorkflowContext[list[Message]],
    ) -> None:
        """Run a call that a human has decided about."""
        (call,) = (one for one in self._calls if one.call_id == original_request["id"])
        result = await run_call(call) if allowed else REFUSAL
        self._answers.append(answer_to(call, result))
        await self._answer_when_all_are_there(ctx)

    async def _answer_when_all_are_there(self, ctx: WorkflowContext[Any]) -> None:
        answers = {answer.call_id: answer for answer in self._answers}
        if set(answers) != {call.call_id for call in self._calls}:
            return
        in_order = [answers[call.call_id] for call in self._calls]
        self._calls, self._answers = [], []
        await ctx.send_message([Message("tool", in_order)], target_id=CLERK)

    async def on_checkpoint_save(self) -> dict[str, Any]:
        """What has to outlive this process."""
        return {"calls": self._calls, "answers": self._answers}

    async def on_checkpoint_restore(self, state: dict[str, Any]) -> None:
        """Take up what another process has left."""
        self._calls, self._answers = state["calls"], state["answers"]


class Close(Executor):
    """Ends the run: tells the shop that the order is done. Safe to repeat, thanks to its key."""

    @handler
    async def on_end(self, conversation: list[Message], ctx: WorkflowContext[Any, str]) -> None:
        """Close the order."""
        await have("finish_order", ORDER)
        ctx.set_state("conversation", conversation)
        ctx.set_state("closed", True)
        await ctx.yield_output(ORDER)


class Reception(Executor):
    """Hands what the customer says to the workflow inside this one."""

    @handler
    async def on_news(self, news: list[Message], ctx: WorkflowContext[list[Message]]) -> None:
        """Pass it on."""
        await ctx.send_message(news)


class HandOver(Executor):
    """Ends the inner workflow, whose outcome is the conversation."""

    @handler
    async def on_end(
        self, conversation: list[Message], ctx: WorkflowContext[Any, list[Message]]
    ) -> None:
        """Hand the conversation to the outer workflow."""
        await ctx.yield_output(conversation)


def build(storage: FileCheckpointStorage) -> Workflow:
    """The workflow; where the human is asked by a nested one, that one is a node of it."""
    if not NESTED:
        return serve(Close(id=CLOSE), checkpoint_storage=storage)
    reception, close = Reception(id="reception"), Close(id=CLOSE)
    inner = WorkflowExecutor(serve(HandOver(id=CLOSE)), id="inner", propagate_request=True)
    return (
        WorkflowBuilder(name=NAME, start_executor=reception, checkpoint_storage=storage)
        .add_edge(reception, inner)
        .add_edge(inner, close)
        .build()
    )


def serve(end: Executor, **options: Any) -> Workflow:
    """Clerk and desk, and a node in which the run ends."""
    clerk, desk = Clerk(id=CLERK), Desk()
    builder = WorkflowBuilder(name=NAME, start_executor=clerk, **options)
    builder.add_edge(clerk, desk).add_edge(desk, clerk).add_edge(clerk, end)
    if DISPATCH == "one-by-one":
        builder.add_edge(desk, desk)
    return builder.build()
