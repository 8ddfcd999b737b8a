"""A stored call of a tool that is gone: the run goes on, and ends well.

python pydantic-ai-tool-removed.py     needs pydantic-ai-slim
"""

from pydantic_ai import Agent
from pydantic_ai.messages import ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import FunctionModel


def model(_messages, _info):
    return ModelResponse(parts=[TextPart("I could not charge your card.")])


history = [
    ModelRequest(parts=[UserPromptPart("Charge my card.")]),
    ModelResponse(parts=[ToolCallPart("charge_card", {}, tool_call_id="call_1")]),
]
result = Agent(FunctionModel(model)).run_sync(message_history=history)
for message in result.all_messages()[2:]:
    for part in message.parts:
        print(f"{part.part_kind}: {part.content}")
