"""A run whose Session fails before there is a state to save is asked again: the question is twice.

python openai-agents-question-twice.py     needs openai-agents 0.21.0 or newer
"""

import asyncio

from agents import Agent, RunConfig, Runner
from agents.testing import ScriptedModel, assistant_message


class Conversation:
    """A Session in a database that stores the first write and never says so."""

    session_id = "order-42"
    session_settings = None

    def __init__(self) -> None:
        self.items, self.fails = [], True

    async def get_items(self, limit=None):
        return self.items[-limit:] if limit else list(self.items)

    async def add_items(self, items):
        self.items += items
        if self.fails:
            self.fails = False
            raise ConnectionError("no answer")


async def main() -> None:
    agent = Agent(name="Shop", model=ScriptedModel([[assistant_message("On Tuesday.")]]))
    config, session = RunConfig(tracing_disabled=True), Conversation()
    question = "When does it arrive?"
    try:
        await Runner.run(agent, question, session=session, run_config=config)
    except ConnectionError:
        await Runner.run(agent, question, session=session, run_config=config)
    print("stored:", [item.get("type") or item.get("role") for item in session.items])


asyncio.run(main())
