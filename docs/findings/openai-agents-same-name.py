"""An approval in an agent that is a tool comes to nothing where both agents have one name.

python openai-agents-same-name.py     needs openai-agents 0.21.0 or newer
"""

import asyncio
import json
import os
import tempfile
from pathlib import Path

from agents import Agent, RunConfig, Runner, RunState, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call

SAVED = Path(tempfile.mkdtemp()) / "state.json"
CONFIG = RunConfig(tracing_disabled=True)


@function_tool(needs_approval=True)
def charge_card() -> str:
    """Charge the card."""
    print("charged")
    return "charged"


def build(name: str, *turns) -> Agent:
    inner = [[function_call("charge_card", {}, call_id="call_2")], [assistant_message("Charged.")]]
    cashier = Agent(name=name, model=ScriptedModel(inner[len(turns) - 2 :]), tools=[charge_card])
    tool = cashier.as_tool(tool_name="ask_cashier", tool_description="Have the card charged.")
    return Agent(name="Shop", model=ScriptedModel(list(turns)), tools=[tool])


async def first_process(name: str) -> None:
    asked = [function_call("ask_cashier", {"input": "42"}, call_id="call_1")]
    agent = build(name, asked, [assistant_message("Done.")])
    paused = await Runner.run(agent, "Charge my card.", run_config=CONFIG)
    SAVED.write_text(json.dumps(paused.to_state().to_json()))


async def second_process(name: str) -> None:
    agent = build(name, [assistant_message("Done.")], [], [])
    state = await RunState.from_json(agent, json.loads(SAVED.read_text()))
    state.approve(state.get_interruptions()[0])
    result = await Runner.run(agent, state, run_config=CONFIG)
    print(f"the cashier is called {name}: {len(result.interruptions)} calls wait for approval")


for cashier in ("Cashier", "Shop"):
    if child := os.fork():
        os.waitpid(child, 0)
        asyncio.run(second_process(cashier))
    else:
        asyncio.run(first_process(cashier))
        os._exit(0)
