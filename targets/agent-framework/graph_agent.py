"""An order as a graph in which an agent runs its tools by itself, all of them in one superstep.

The reception writes a ticket on the order, which the model hands to the tool. An agent that is a
node keeps its conversation in a session, and the session is part of the node's checkpoint:

* https://learn.microsoft.com/en-us/agent-framework/workflows/agents-in-workflows
* https://github.com/microsoft/agent-framework/blob/main/python/samples/03-workflows/human-in-the-loop/agents_with_approval_requests.py
"""

import uuid
from typing import Any

from agent_framework import (
    Agent,
    AgentExecutor,
    AgentExecutorRequest,
    AgentExecutorResponse,
    Executor,
    FileCheckpointStorage,
    Message,
    Workflow,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
)
from keepsakes import keepsakes
from payments import have, tools
from retries import client, middleware
from settings import KEEPS_CLASSES, NESTED, ORDER

NAME = "order"
CLERK, CLOSE = "clerk", "close"


class Reception(Executor):
    """Writes a ticket on what the customer says, and gives it to the agent."""

    @handler
    async def on_news(
        self, news: list[Message], ctx: WorkflowContext[AgentExecutorRequest]
    ) -> None:
        """Pass it on."""
        if KEEPS_CLASSES:
            ctx.set_state("keepsakes", keepsakes())
        ticket = f"(tk_{uuid.uuid4().hex})"
        messages = [Message("user", [f"{message.text} {ticket}"]) for message in news]
        await ctx.send_message(AgentExecutorRequest(messages=messages))


class Close(Executor):
    """Ends the run: tells the shop that the order is done. Safe to repeat, thanks to its key."""

    @handler
    async def on_end(self, answer: AgentExecutorResponse, ctx: WorkflowContext[Any, str]) -> None:
        """Close the order."""
        await have("finish_order", ORDER)
        ctx.set_state("closed", True)
        await ctx.yield_output(answer.agent_response.text)


class HandOver(Executor):
    """Ends the inner workflow, whose outcome is the agent's answer."""

    @handler
    async def on_end(
        self, answer: AgentExecutorResponse, ctx: WorkflowContext[Any, AgentExecutorResponse]
    ) -> None:
        """Hand the answer to the outer workflow."""
        await ctx.yield_output(answer)


def build(storage: FileCheckpointStorage) -> Workflow:
    """The workflow; where the human is asked by a nested one, that one is a node of it."""
    reception, close = Reception(id="reception"), Close(id=CLOSE)
    agent = Agent(client(), name=CLERK, tools=tools(for_agents=True), middleware=middleware())
    clerk: Executor = AgentExecutor(agent, id=CLERK)
    if NESTED:
        end = HandOver(id="hand-over")
        inner = WorkflowBuilder(name="inner", start_executor=clerk).add_edge(clerk, end).build()
        clerk = WorkflowExecutor(inner, id="inner", propagate_request=True)
    return (
        WorkflowBuilder(name=NAME, start_executor=reception, checkpoint_storage=storage)
        .add_edge(reception, clerk)
        .add_edge(clerk, close)
        .build()
    )
