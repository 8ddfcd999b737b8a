"""A run that asks a human is paused by one release and gone on with by an older one.

python strands-older-release.py pause      with strands-agents 1.55.0 or newer
python strands-older-release.py approve    with an older one, and the other way round
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from strands import Agent, ToolContext, tool
from strands.models import Model
from strands.session.file_session_manager import FileSessionManager

FOLDER = Path(tempfile.gettempdir()) / "strands-older-release"


class Cashier(Model):
    """Asks for one tool; then says what that came to."""

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
            use = {"name": "charge_card", "toolUseId": "tooluse_1"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": '{"amount": "$42"}'}}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if answers else "tool_use"}}


@tool(context=True)
def charge_card(amount: str, tool_context: ToolContext) -> str:
    """Charge the card, if a human allows it."""
    answer = tool_context.interrupt("approval", reason=amount)
    print("charge_card was told:", answer)
    return f"charged {amount}"


def shop():
    session = FileSessionManager(session_id="order-42", storage_dir=str(FOLDER / "sessions"))
    return Agent(
        model=Cashier(),
        tools=[charge_card],
        session_manager=session,
        agent_id="shop",
        callback_handler=None,
    )


if sys.argv[1:] == ["pause"]:
    shutil.rmtree(FOLDER, ignore_errors=True)
    paused = shop()("Charge my card.")
    (FOLDER / "asked.json").write_text(json.dumps([one.id for one in paused.interrupts]))
    print(paused.stop_reason, "for a human")
else:
    asked = json.loads((FOLDER / "asked.json").read_text())
    responses = [{"interruptResponse": {"interruptId": one, "response": "yes"}} for one in asked]
    try:
        result = shop()(responses)
    except Exception as error:  # noqa: BLE001
        print(f"{type(error).__name__}: {error}")
    else:
        print(result.stop_reason, str(result).strip())
