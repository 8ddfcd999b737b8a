"""Agent(retries=...) makes the whole run again, with the tools that had succeeded.

python agno-agent-retries.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
"""

import asyncio
import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.exceptions import ModelProviderError
from agno.models.base import Model
from agno.models.response import ModelResponse

logging.disable(logging.CRITICAL)  # nothing but what this script says
DATABASE = str(Path(tempfile.mkdtemp()) / "agno.sqlite")
CALL = {"id": "call_1", "type": "function", "function": {"name": "charge_card", "arguments": "{}"}}
CHARGED = []
FAILED = []


@dataclass
class Fake(Model):
    """Asks for the card to be charged, then says that it was."""

    id: str = "fake"

    async def ainvoke(self, messages, *_, **__):
        if messages[-1].role != "tool":
            return ModelResponse(role="assistant", tool_calls=[CALL])
        if not FAILED:
            FAILED.append("once")
            raise ModelProviderError("the model cannot be reached", status_code=503)
        return ModelResponse(role="assistant", content="Done.")

    invoke = invoke_stream = ainvoke_stream = None
    _parse_provider_response = _parse_provider_response_delta = None


def charge_card() -> str:
    """Charge the card."""
    CHARGED.append("charged")
    return "charged"


def agent() -> Agent:
    return Agent(
        model=Fake(),
        tools=[charge_card],
        db=SqliteDb(db_file=DATABASE),
        retries=1,
        delay_between_retries=0,
        telemetry=False,
    )


async def main() -> None:
    run = await agent().arun("Charge my card.", session_id="shop")
    print("the run:", run.status.value, "- the card was charged", len(CHARGED), "times")


asyncio.run(main())
