"""An order as a functional workflow that runs a whole agent, with its tools, in one step.

An earlier step writes a ticket on the order, which the model hands to the tool. Sample:
https://github.com/microsoft/agent-framework/blob/main/python/samples/03-workflows/functional/agent_integration.py
"""

from __future__ import annotations

import uuid
from typing import Any

from agent_framework import Agent, Message, RunContext, step, workflow
from functional import built, close, remember
from keepsakes import keepsakes
from payments import tools
from retries import client, middleware
from settings import KEEPS_CLASSES, ORDER

NAME = "order"


@step
async def write_ticket(request: str, ctx: RunContext) -> str:
    """Write a ticket on the order."""
    remember(ctx, "write-ticket")
    return f"{request} (tk_{uuid.uuid4().hex})"


@step
async def serve(request: str, ctx: RunContext) -> str:
    """Let the agent serve the customer; what has been said is saved with the step."""
    agent = Agent(client(), tools=tools(for_agents=True), middleware=middleware())
    question = Message("user", [request])
    answer = await agent.run([question])
    conversation = [message.to_dict() for message in (question, *answer.messages)]
    remember(ctx, "serve", conversation=conversation)
    return answer.text


@workflow(name=NAME)
async def order(request: str, ctx: RunContext) -> str:
    """Serve the customer, and close the order."""
    if KEEPS_CLASSES:
        ctx.set_state("keepsakes", keepsakes())
    await serve(await write_ticket(request))
    await close(ORDER)
    remember(ctx, "end", closed=True)
    return ORDER


def build(_storage: object) -> Any:
    """The workflow; each of its runs is told where to save."""
    return built(order)
