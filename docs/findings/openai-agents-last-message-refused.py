"""The Session write of the last message is lost, and the run can no longer be finished.

python openai-agents-last-message-refused.py     needs openai-agents 0.21.0 or newer
"""

import asyncio

from agents import Agent, RunConfig, Runner, function_tool
from agents.exceptions import UserError
from agents.testing import ScriptedModel, assistant_message, function_call


class Conversation:
    """A Session in a database that loses the first message it is given."""

    session_id = "order-42"
    session_settings = None

    def __init__(self) -> None:
        self.items, self.fails = [], True

    async def get_items(self, limit=None):
        return self.items[-limit:] if limit else list(self.items)

    async def add_items(self, items):
        if self.fails and items[0].get("type") == "message":
            self.fails = False
            raise ConnectionError("no answer")
        self.items += items


@function_tool(needs_approval=True)
def charge_card() -> str:
    """Charge the card."""
    return "charged"


async def main() -> None:
    turns = [[function_call("charge_card", {}, call_id="call_1")]]
    turns += [[assistant_message("Done.")], [assistant_message("Done, I say.")]]
    agent = Agent(name="Shop", model=ScriptedModel(turns), tools=[charge_card])
    config, session = RunConfig(tracing_disabled=True), Conversation()
    paused = await Runner.run(agent, "Charge my card.", session=session, run_config=config)
    state = paused.to_state()
    state.approve(state.get_interruptions()[0])
    try:
        await Runner.run(agent, state, session=session, run_config=config)
    except ConnectionError:
        try:
            await Runner.run(agent, state, session=session, run_config=config)
        except UserError as error:
            print(error)
    print("stored:", [item.get("type") or item.get("role") for item in session.items])


asyncio.run(main())
