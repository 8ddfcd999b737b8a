"""A message added to a paused run is stored twice when the answer of its Session write is lost.

python openai-agents-staged-input-twice.py     needs openai-agents 0.21.0 or newer
"""

import asyncio

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

REMARK = "And a receipt, please."


class Conversation:
    """A Session in a database that stores one write and never says so."""

    session_id = "order-42"
    session_settings = None

    def __init__(self) -> None:
        self.items, self.fails = [], True

    async def get_items(self, limit=None):
        return self.items[-limit:] if limit else list(self.items)

    async def add_items(self, items):
        self.items += items
        if self.fails and REMARK in str(items):
            self.fails = False
            raise ConnectionError("no answer")


@function_tool(needs_approval=True)
def charge_card() -> str:
    """Charge the card."""
    return "charged"


async def main() -> None:
    turns = [[function_call("charge_card", {}, call_id="call_1")], [assistant_message("Done.")]]
    agent = Agent(name="Shop", model=ScriptedModel(turns), tools=[charge_card])
    config, session = RunConfig(tracing_disabled=True), Conversation()
    paused = await Runner.run(agent, "Charge my card.", session=session, run_config=config)
    state = paused.to_state()
    state.add_input(REMARK)
    state.approve(state.get_interruptions()[0])
    try:
        await Runner.run(agent, state, session=session, run_config=config)
    except ConnectionError:
        await Runner.run(agent, state, session=session, run_config=config)
    print("the remark is stored", sum(REMARK in str(item) for item in session.items), "times")


asyncio.run(main())
