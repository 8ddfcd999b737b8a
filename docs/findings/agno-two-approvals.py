"""One paused run, approved twice at the same time: the tool runs twice, and nobody hears of it.

python agno-two-approvals.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
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
BOTH = asyncio.Event()


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
async def charge_card() -> str:
    """Charge the card."""
    CHARGED.append("charged")
    if len(CHARGED) == 2:
        BOTH.set()
    await asyncio.wait_for(BOTH.wait(), 5)  # a slow payment service
    return "charged"


def agent() -> Agent:
    return Agent(model=Fake(), tools=[charge_card], db=SqliteDb(db_file=DATABASE), telemetry=False)


async def approve(paused):
    stored = await agent().aget_run_output(run_id=paused.run_id, session_id="shop")
    stored.requirements[0].confirm()
    return await agent().acontinue_run(
        run_id=paused.run_id, session_id="shop", requirements=stored.requirements
    )


async def main() -> None:
    paused = await agent().arun("Charge my card.", session_id="shop")
    both = await asyncio.gather(approve(paused), approve(paused))
    print("the two approvals:", [run.status.value for run in both])
    print("the card was charged", len(CHARGED), "times")


asyncio.run(main())
