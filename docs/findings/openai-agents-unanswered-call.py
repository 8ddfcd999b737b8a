"""Killed in an approved tool: the Session keeps the call, and never gets an answer to it.

python openai-agents-unanswered-call.py     needs openai-agents 0.21.0 or newer
"""

import asyncio
import os
import tempfile
from pathlib import Path

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

DATABASE = Path(tempfile.mkdtemp()) / "conversation.sqlite"
CONFIG = RunConfig(tracing_disabled=True)


@function_tool(needs_approval=True)
def charge_card() -> str:
    """Charge the card."""
    os._exit(1)  # the process dies in the tool


async def first_process() -> None:
    session = SQLiteSession("order-42", DATABASE)
    model = ScriptedModel([[function_call("charge_card", {}, call_id="call_1")]])
    agent = Agent(name="Shop", model=model, tools=[charge_card])
    paused = await Runner.run(agent, "Charge my card.", session=session, run_config=CONFIG)
    state = paused.to_state()
    state.approve(state.get_interruptions()[0])
    await Runner.run(agent, state, session=session, run_config=CONFIG)


async def second_process() -> None:
    session = SQLiteSession("order-42", DATABASE)
    model = ScriptedModel([[assistant_message("It arrives on Tuesday.")]])
    agent = Agent(name="Shop", model=model, tools=[charge_card])
    await Runner.run(agent, "When does it arrive?", session=session, run_config=CONFIG)
    seen = [item.get("type") or item.get("role") for item in model.calls[0].input]
    print("the model was given:", seen)
    print("stored:", [item.get("type") or item.get("role") for item in await session.get_items()])


if child := os.fork():
    os.waitpid(child, 0)
    asyncio.run(second_process())
else:
    asyncio.run(first_process())
