"""A run is paused by one release and gone on with by an older one, with and without going back.

python agno-older-release.py pause       with agno 3.0.0 or newer
python agno-older-release.py approve     with an older one
python agno-older-release.py revert      with the newer one: its way back to the older tables

It needs sqlalchemy[asyncio] and aiosqlite.
"""

import asyncio
import logging
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agno.agent import Agent
from agno.db.migrations.manager import MigrationManager
from agno.db.sqlite import SqliteDb
from agno.models.base import Model
from agno.models.response import ModelResponse
from agno.tools import tool

logging.disable(logging.CRITICAL)  # nothing but what this script says
FILE = Path(tempfile.gettempdir()) / "agno-older-release.sqlite"
CALL = {"id": "call_1", "type": "function", "function": {"name": "charge_card", "arguments": "{}"}}
OURS = {"run_id": "run-1", "session_id": "order-42"}


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
    return "charged"


def agent() -> Agent:
    return Agent(model=Fake(), tools=[charge_card], db=SqliteDb(db_file=str(FILE)), telemetry=False)


async def approve() -> None:
    session = await agent().aget_session(session_id="order-42")
    print("runs that are found:", len((session and session.runs) or []))
    if session and session.runs:
        requirements = session.runs[0].requirements
        for requirement in requirements:
            requirement.confirm()
        run = await agent().acontinue_run(**OURS, requirements=requirements)
        print(run.status.value, run.content)
    else:
        run = await agent().arun("Charge my card.", **OURS)
        print("begun anew:", run.status.value)
        session = await agent().aget_session(session_id="order-42")
        print("and saved:", bool(session))


async def main(word: str) -> None:
    if word == "pause":
        for file in FILE.parent.glob(f"{FILE.name}*"):
            file.unlink()
        print((await agent().arun("Charge my card.", **OURS)).status.value)
    elif word == "revert":
        await MigrationManager(SqliteDb(db_file=str(FILE))).down("2.5.6")
        print("reverted")
    else:
        await approve()


asyncio.run(main(sys.argv[-1]))
