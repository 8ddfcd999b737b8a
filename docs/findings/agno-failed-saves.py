"""A save that fails: the run is returned as completed, and nothing of it is stored.

python agno-failed-saves.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
"""

import asyncio
import logging
import tempfile
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.base import Model
from agno.models.response import ModelResponse

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


def charge_card() -> str:
    """Charge the card."""
    CHARGED.append("charged")
    return "charged"


def agent() -> Agent:
    return Agent(model=Fake(), tools=[charge_card], db=SqliteDb(db_file=DATABASE), telemetry=False)


async def main() -> None:
    state = {"limit": Decimal(42)}  # JSON has no such value; a database that is down does the same
    run = await agent().arun("Charge my card.", session_id="shop", session_state=state)
    print("the run:", run.status.value, "- the card was charged", len(CHARGED), "times")
    print("stored:", await agent().aget_session(session_id="shop"))


asyncio.run(main())
