"""The client goes while a tool runs: the tool does its work, and the Session knows nothing of it.

python openai-agents-cancelled-in-tool.py     needs openai-agents 0.21.0 or newer
"""

import asyncio
import threading

from agents import Agent, RunConfig, Runner, SQLiteSession, function_tool
from agents.testing import ScriptedModel, function_call

RUNNING, GONE, CHARGED = threading.Event(), threading.Event(), threading.Event()


@function_tool
def charge_card() -> str:
    """Charge the card."""
    RUNNING.set()
    GONE.wait()
    CHARGED.set()
    return "charged"


async def main() -> None:
    model = ScriptedModel([[function_call("charge_card", {}, call_id="call_1")]])
    agent = Agent(name="Shop", model=model, tools=[charge_card])
    session = SQLiteSession("order-42")
    result = Runner.run_streamed(
        agent, "Charge my card.", session=session, run_config=RunConfig(tracing_disabled=True)
    )

    async def serve() -> None:
        async for _ in result.stream_events():
            pass

    serving = asyncio.create_task(serve())
    await asyncio.to_thread(RUNNING.wait)
    serving.cancel()  # what a web server does when its client hangs up
    await asyncio.wait([serving])
    GONE.set()
    print("charged:", await asyncio.to_thread(CHARGED.wait, 10))
    print("stored:", [item.get("type") or item.get("role") for item in await session.get_items()])


asyncio.run(main())
