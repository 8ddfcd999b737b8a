"""A streamed run with checkpoint="tool-batch" does not pause for the person it has to ask.

python agno-streamed-pause.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
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

    async def ainvoke_stream(self, messages, *_, **__):
        if messages[-1].role == "tool":
            yield ModelResponse(role="assistant", content="Done.")
        else:
            yield ModelResponse(role="assistant", tool_calls=[CALL])

    def _parse_provider_response_delta(self, response):
        return response

    invoke = invoke_stream = ainvoke = None
    _parse_provider_response = None


@tool(requires_confirmation=True)
def charge_card() -> str:
    """Charge the card."""
    CHARGED.append("charged")
    return "charged"


def agent(checkpoint: str) -> Agent:
    return Agent(
        model=Fake(),
        tools=[charge_card],
        db=SqliteDb(db_file=DATABASE),
        checkpoint=checkpoint,
        telemetry=False,
    )


async def main() -> None:
    for checkpoint in ("runs", "tool-batch"):
        events = agent(checkpoint).arun(
            "Charge my card.", session_id=checkpoint, stream=True, yield_run_output=True
        )
        run = [event async for event in events][-1]
        print(f"{checkpoint}: {run.status.value}, paused: {run.is_paused}, tools: {len(run.tools)}")


asyncio.run(main())
