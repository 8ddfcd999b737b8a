"""A run that is cancelled in its tool: the tool has done it, and what is stored has no answer.

python agno-cancelled-run.py     needs agno 2.6.19 or newer, sqlalchemy[asyncio] and aiosqlite
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
from agno.run import RunContext

logging.disable(logging.CRITICAL)  # nothing but what this script says
DATABASE = str(Path(tempfile.mkdtemp()) / "agno.sqlite")
CHARGED = []


@dataclass
class Fake(Model):
    """Asks for the card to be charged, then says that it was."""

    id: str = "fake"

    async def ainvoke_stream(self, messages, *_, **__):
        yield ModelResponse(role="assistant", content="One moment.")
        if CHARGED:
            return
        name = "charge_card" if messages[-1].role == "tool" else "look_up"
        call = {"id": f"call_{name}", "type": "function"}
        asked = {**call, "function": {"name": name, "arguments": "{}"}}
        yield ModelResponse(role="assistant", tool_calls=[asked])

    def _parse_provider_response_delta(self, response):
        return response

    invoke = invoke_stream = ainvoke = None
    _parse_provider_response = None


def look_up() -> str:
    """Look up the order."""
    return "found"


def charge_card(run_context: RunContext) -> str:
    """Charge the card; meanwhile the client has the run cancelled."""
    CHARGED.append("charged")
    Agent.cancel_run(run_context.run_id)
    return "charged"


def agent(checkpoint: str) -> Agent:
    return Agent(
        model=Fake(),
        tools=[look_up, charge_card],
        db=SqliteDb(db_file=DATABASE),
        checkpoint=checkpoint,
        telemetry=False,
    )


async def main() -> None:
    for checkpoint in ("runs", "tool-batch"):
        shop = agent(checkpoint)
        events = shop.arun(
            "Charge my card.",
            session_id=checkpoint,
            run_id=checkpoint,
            stream=True,
            stream_events=True,
        )
        async for _ in events:
            pass
        session = await agent(checkpoint).aget_session(session_id=checkpoint)
        said = [
            (message.role, len(message.tool_calls or []))
            for message in session.get_messages(skip_statuses=[])
        ]
        print(f"{checkpoint}: charged {len(CHARGED)} times")
        print("  stored, with the number of calls:", said)
        print("  shown to the model:", session.get_messages())
        CHARGED.clear()


asyncio.run(main())
