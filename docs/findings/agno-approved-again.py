"""An approval that was already used is handed in again: the tool or the conversation is doubled.

python agno-approved-again.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
"""

import asyncio
import json
import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.run.agent import RunOutput
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


def as_kept(kept: str) -> RunOutput:
    """The paused run as a web page hands it in, with the person's yes."""
    run = RunOutput.from_dict(json.loads(kept))
    for requirement in run.requirements:
        requirement.confirm()
    run.tools = [requirement.tool_execution for requirement in run.requirements]
    return run


async def main() -> None:
    for way in ("by the run's id", "with the run itself"):
        CHARGED.clear()
        paused = await agent().arun("Charge my card.", session_id=way)
        kept = paused.to_json()
        for _ in range(2):
            run = as_kept(kept)
            by_id = {"run_id": run.run_id, "session_id": way, "requirements": run.requirements}
            given = by_id if way == "by the run's id" else {"run_response": run}
            await agent().acontinue_run(**given)
        session = await agent().aget_session(session_id=way)
        history = [message.role for message in session.get_messages()]
        print(f"approved twice {way}: charged {len(CHARGED)} times; stored: {history}")


asyncio.run(main())
