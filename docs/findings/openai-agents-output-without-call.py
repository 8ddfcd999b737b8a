"""With a guardrail on its output, an approved tool's output is stored without its call.

python openai-agents-output-without-call.py     needs openai-agents 0.21.0 or newer
"""

import asyncio

from agents import (
    Agent,
    GuardrailFunctionOutput,
    RunConfig,
    Runner,
    SQLiteSession,
    StopAtTools,
    function_tool,
    output_guardrail,
)
from agents.testing import ScriptedModel, assistant_message, function_call


@function_tool(needs_approval=True)
def charge_card() -> str:
    """Charge the card."""
    return "charged"


@output_guardrail
def polite(_context, _agent, _said) -> GuardrailFunctionOutput:
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)


async def main() -> None:
    turns = [[function_call("charge_card", {}, call_id="call_1")], [assistant_message("Done.")]]
    agent = Agent(
        name="Shop",
        model=ScriptedModel(turns),
        tools=[charge_card],
        output_guardrails=[polite],
        tool_use_behavior=StopAtTools(stop_at_tool_names=["close_shop"]),
    )
    config, session = RunConfig(tracing_disabled=True), SQLiteSession("order-42")
    paused = await Runner.run(agent, "Charge my card.", session=session, run_config=config)
    state = paused.to_state()
    state.approve(state.get_interruptions()[0])
    await Runner.run(agent, state, session=session, run_config=config)
    print("stored:", [item.get("type") or item.get("role") for item in await session.get_items()])


asyncio.run(main())
