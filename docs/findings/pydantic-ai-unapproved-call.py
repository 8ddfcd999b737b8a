"""A history that ends in a call that nobody has approved runs it (pydantic-ai#3350).

python pydantic-ai-unapproved-call.py     needs pydantic-ai-slim
"""

from pydantic_ai import Agent, DeferredToolRequests, ModelMessagesTypeAdapter
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


def model(messages, _info):
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("charge_card", {}, tool_call_id="call_1")])
    return ModelResponse(parts=[TextPart("Your card was charged.")])


agent = Agent(FunctionModel(model), output_type=[str, DeferredToolRequests])


@agent.tool_plain(requires_approval=True)
def charge_card():
    print("  charged the card")
    return "charged"


paused = agent.run_sync("Charge my card.")
print("asks:", [call.tool_name for call in paused.output.approvals])
stored = ModelMessagesTypeAdapter.dump_json(paused.all_messages())

history = ModelMessagesTypeAdapter.validate_json(stored)
print("nobody has decided; the run goes on")
print("output:", type(agent.run_sync(message_history=history).output).__name__)
