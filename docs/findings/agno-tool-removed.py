"""A run resumes without the tool it was to call: it ends as completed, and nothing was done.

python agno-tool-removed.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
"""

import asyncio
import logging
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agno.agent import Agent
from agno.db.sqlite import SqliteDb
from agno.models.base import Model
from agno.models.response import ModelResponse

logging.disable(logging.CRITICAL)  # nothing but what this script says
DATABASE = str(Path(tempfile.mkdtemp()) / "agno.sqlite")


@dataclass
class Fake(Model):
    """Asks for the card to be charged, then says that it was."""

    id: str = "fake"

    async def ainvoke(self, messages, *_, tools=None, **__):
        offered = [offer["function"]["name"] for offer in tools or []]
        name = "charge_card" if messages[-1].role == "tool" else "look_up"
        if name not in offered:
            return ModelResponse(role="assistant", content="I cannot charge your card.")
        call = {"id": f"call_{name}", "type": "function"}
        asked = {**call, "function": {"name": name, "arguments": "{}"}}
        return ModelResponse(role="assistant", tool_calls=[asked])

    invoke = invoke_stream = ainvoke_stream = None
    _parse_provider_response = _parse_provider_response_delta = None


def look_up() -> str:
    """Look up the order."""
    return "found"


def charge_card() -> str:
    """Charge the card."""
    os._exit(1)  # the process dies before the payment service has heard of it


def agent(tools: list) -> Agent:
    db = SqliteDb(db_file=DATABASE)
    return Agent(model=Fake(), tools=tools, db=db, checkpoint="tool-batch", telemetry=False)


async def first_process() -> None:
    await agent([look_up, charge_card]).arun(
        "Charge my card.", session_id="shop", run_id="order-42"
    )


async def second_process() -> None:
    run = await agent([look_up]).acontinue_run(run_id="order-42", session_id="shop")
    print("the run:", run.status.value, "-", run.content)


if child := os.fork():
    os.waitpid(child, 0)
    asyncio.run(second_process())
else:
    asyncio.run(first_process())
