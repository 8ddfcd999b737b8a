"""The process died in a tool: does the session take the user's next message?

python strands-dangling-call.py     needs strands-agents 1.7.0 or newer
"""

import os
import tempfile

from strands import Agent, tool
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager

FOLDER = tempfile.mkdtemp()


class Scripted(Model):
    """Asks for the tool first, and says thanks to every message that comes after."""

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, messages, *_, **__):
        given = [kind for message in messages for block in message["content"] for kind in block]
        print("the model is given:", given, flush=True)
        yield {"messageStart": {"role": "assistant"}}
        if len(messages) == 1:
            use = {"name": "charge_card", "toolUseId": "tooluse_1"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": "{}"}}}}
        else:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "It arrives on Tuesday."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if len(messages) == 1 else "end_turn"}}


@tool
def charge_card() -> str:
    """Charge the card."""
    os._exit(1)  # the process dies in the tool


def agent():
    session = FileSessionManager(session_id="order-42", storage_dir=FOLDER)
    return Agent(
        model=Scripted(),
        tools=[charge_card],
        session_manager=session,
        agent_id="shop",
        callback_handler=None,
    )


if child := os.fork():
    os.waitpid(child, 0)
    agent()("When does it arrive?")
else:
    agent()("Charge my card.")
