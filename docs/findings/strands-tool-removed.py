"""A saved call of a tool that is gone: the run goes on, and ends well.

python strands-tool-removed.py     needs strands-agents
"""

from strands import Agent
from strands.models import Model


class Sorry(Model):
    """Says that it is sorry."""

    def update_config(self, **_):
        pass

    def get_config(self):
        return {}

    async def structured_output(self, *_, **__):
        yield {}

    async def stream(self, *_, **__):
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": "I could not charge your card."}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


use = {"name": "charge_card", "toolUseId": "tooluse_1", "input": {}}
saved = [
    {"role": "user", "content": [{"text": "Charge my card."}]},
    {"role": "assistant", "content": [{"toolUse": use}]},
]
agent = Agent(model=Sorry(), messages=saved, callback_handler=None)
result = agent()
print(agent.messages[2]["content"][0]["toolResult"])
print(result.stop_reason, str(result).strip())
