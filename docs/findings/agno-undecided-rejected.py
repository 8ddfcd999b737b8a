"""A paused run that is continued without a decision: the call counts as rejected.

python agno-undecided-rejected.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
"""

import asyncio
import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.tools import tool

logging.disable(logging.CRITICAL)  # nothing but what this script says
DATABASE = str(Path(tempfile.mkdtemp()) / "agno.sqlite")
CALL = {"id": "call_1", "type": "function", "function": {"name": "charge_card", "arguments": "{}"}}
CHARGED = []


@dataclass
class Fake(Model):
    """Asks for the card to be charged, then says that it was."""

    id: str = "fake"

    async def ainvoke(self, messages, *_, **__):
        if any(message.role == "tool" for message in messages):
            return ModelResponse(role="assistant", content="Done.")
        return ModelResponse(role="assistant", tool_calls=[CALL])

    invoke = invoke_stream = ainvoke_stream = None
    _parse_provider_response = _parse_provider_response_delta = None


@tool(requires_confirmation=True)
def charge_card() -> str:
    """Charge the card."""
    CHARGED.append("charged")
    return "charged"


def agent() -> Agent:
    return Agent(model=Fake(), tools=[charge_card], db=SqliteDb(db_file=DATABASE), telemetry=False)


async def main() -> None:
    paused = await agent().arun("Charge my card.", session_id="shop")
    run = await agent().acontinue_run(run_id=paused.run_id, session_id="shop")
    print("continued without a decision:", run.status.value)
    print([(message.role, message.content) for message in run.messages if message.role == "tool"])
    paused.requirements[0].confirm()
    run = await agent().acontinue_run(
        run_id=paused.run_id, session_id="shop", requirements=paused.requirements
    )
    print("approved after that:", run.status.value, [message.role for message in run.messages])
    print("the card was charged", len(CHARGED), "times")


asyncio.run(main())
