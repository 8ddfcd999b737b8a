"""Two tools of one turn, and the process dies in the second one: the first one runs again.

python strands-batch-results.py     needs strands-agents 1.9.0 or newer
"""

import os
import tempfile

from strands import Agent, tool
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager
from strands.tools.executors import SequentialToolExecutor

FOLDER = tempfile.mkdtemp()
DIES = False


class Shop(Model):
    """Asks for both tools in one turn, then says thanks."""

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, messages, *_, **__):
        yield {"messageStart": {"role": "assistant"}}
        if len(messages) > 1:
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "Thank you!"}}}
            yield {"contentBlockStop": {}}
        for name in ("charge_card", "print_receipt") if len(messages) == 1 else ():
            use = {"name": name, "toolUseId": f"tooluse_{name}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": "{}"}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if len(messages) > 1 else "tool_use"}}


@tool
def charge_card() -> str:
    """Charge the card."""
    print("charge_card", flush=True)
    return "charged"


@tool
def print_receipt() -> str:
    """Print a receipt."""
    print("print_receipt", flush=True)
    if DIES:
        os._exit(1)  # the process dies in the second tool; the first one has returned
    return "printed"


def agent():
    session = FileSessionManager(session_id="order-42", storage_dir=FOLDER)
    return Agent(
        model=Shop(),
        tools=[charge_card, print_receipt],
        tool_executor=SequentialToolExecutor(),
        session_manager=session,
        agent_id="shop",
        callback_handler=None,
    )


if child := os.fork():
    os.waitpid(child, 0)
    print("and in a new process:", flush=True)
    agent()()
else:
    DIES = True
    agent()("Charge my card, and print a receipt.")
