"""A saved run that was already finished is finished again: the tool runs, the Session grows.

python openai-agents-state-used-twice.py     needs openai-agents 0.21.0 or newer
"""

import asyncio

from agents import Agent, RunConfig, Runner, RunState, SQLiteSession, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

CHARGES = []


@function_tool(needs_approval=True)
def charge_card() -> str:
    """Charge the card."""
    CHARGES.append(42)
    return "charged"


async def main() -> None:
    turns = [[function_call("charge_card", {}, call_id="call_1")]]
    turns += [[assistant_message("Done.")], [assistant_message("Done, I say.")]]
    agent = Agent(name="Shop", model=ScriptedModel(turns), tools=[charge_card])
    config, session = RunConfig(tracing_disabled=True), SQLiteSession("order-42")
    paused = await Runner.run(agent, "Charge my card.", session=session, run_config=config)
    saved = paused.to_state().to_json()
    for _ in range(2):  # two clicks, or one job that is delivered twice
        state = await RunState.from_json(agent, saved)
        state.approve(state.get_interruptions()[0])
        await Runner.run(agent, state, session=session, run_config=config)
    print("charged", len(CHARGES), "times")
    print("stored:", [item.get("type") or item.get("role") for item in await session.get_items()])


asyncio.run(main())
