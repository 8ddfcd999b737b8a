"""An agent that is a tool asks a human; the answer comes to a new process.

python strands-nested-approval.py     needs strands-agents 1.34.0 or newer
"""

import json
import os
import tempfile
from pathlib import Path

from strands import Agent, ToolContext, tool
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager

FOLDER = Path(tempfile.mkdtemp())


class Calls(Model):
    """Asks for one tool; then says what that came to."""

    def __init__(self, name):
        self.name = name

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, messages, *_, **__):
        answers = [c["toolResult"] for m in messages for c in m["content"] if "toolResult" in c]
        yield {"messageStart": {"role": "assistant"}}
        if answers:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": answers[-1]["content"][0]["text"]}}}
        else:
            use = {"name": self.name, "toolUseId": "tooluse_1"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"input": "$42"}'}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if answers else "tool_use"}}


@tool(context=True)
def charge_card(input: str, tool_context: ToolContext) -> str:  # noqa: A002
    """Charge the card, if a human allows it."""
    answer = tool_context.interrupt("approval", reason=input)
    print("charge_card was told:", answer)
    return f"charged {input}"


def shop():
    cashier = Agent(model=Calls("charge_card"), tools=[charge_card], callback_handler=None)
    session = FileSessionManager(session_id="order-42", storage_dir=str(FOLDER / "sessions"))
    return Agent(
        model=Calls("cashier"),
        tools=[cashier.as_tool(name="cashier")],
        session_manager=session,
        agent_id="shop",
        callback_handler=None,
    )


if child := os.fork():
    os.waitpid(child, 0)
    asked = json.loads((FOLDER / "asked.json").read_text())
    responses = [{"interruptResponse": {"interruptId": one, "response": "yes"}} for one in asked]
    result = shop()(responses)
    print(result.stop_reason, str(result).strip())
else:
    paused = shop()("Charge my card.")
    (FOLDER / "asked.json").write_text(json.dumps([one.id for one in paused.interrupts]))
