"""The process died in a tool: agent() makes the call again, agent("continue") makes a new one.

python strands-told-to-continue.py     needs strands-agents 1.15.0 or newer
"""

import os
import tempfile
import uuid

from strands import Agent, ToolContext, tool
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager


class Shop(Model):
    """Asks for the tool until that has an answer which is no error; each call has a new id."""

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, messages, *_, **__):
        answers = [c["toolResult"] for m in messages for c in m["content"] if "toolResult" in c]
        done = any(one["status"] == "success" for one in answers)
        yield {"messageStart": {"role": "assistant"}}
        if done:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "Thank you!"}}}
        else:
            use = {"name": "charge_card", "toolUseId": f"tooluse_{uuid.uuid4().hex[:6]}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": "{}"}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if done else "tool_use"}}


@tool(context=True)
def charge_card(tool_context: ToolContext) -> str:
    """Charge the card, with the call's id as idempotency key."""
    os.write(1, f"  charged, key {tool_context.tool_use['toolUseId']}\n".encode())
    if FIRST:
        os._exit(1)  # the process dies in the tool, after the effect
    return "charged"


def agent(folder):
    session = FileSessionManager(session_id="order-42", storage_dir=folder)
    return Agent(
        model=Shop(),
        tools=[charge_card],
        session_manager=session,
        agent_id="shop",
        callback_handler=None,
    )


for prompt in ([], ["Please continue."]):
    FIRST, folder = True, tempfile.mkdtemp()
    print(f"agent({', '.join(map(repr, prompt))})", flush=True)
    if child := os.fork():
        os.waitpid(child, 0)
        FIRST = False
        agent(folder)(*prompt)
    else:
        agent(folder)("Charge my card.")
