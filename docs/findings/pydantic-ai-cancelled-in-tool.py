"""A run cancelled in its only tool leaves a history that takes no new prompt (pydantic-ai#7977).

python pydantic-ai-cancelled-in-tool.py     needs pydantic-ai-slim
"""

import asyncio

from pydantic_ai import Agent, ModelMessagesTypeAdapter, capture_run_messages
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel


def model(messages, _info):
    if len(messages) == 1:
        return ModelResponse(parts=[ToolCallPart("charge_card", {}, tool_call_id="call_1")])
    return ModelResponse(parts=[TextPart("It arrives on Tuesday.")])


agent = Agent(FunctionModel(model))


async def main():
    in_tool = asyncio.Event()

    @agent.tool_plain
    async def charge_card():
        in_tool.set()
        await asyncio.Event().wait()

    with capture_run_messages() as messages:
        run = asyncio.create_task(agent.run("Charge my card."))
        await in_tool.wait()
        run.cancel()
        await asyncio.wait([run])
    stored = ModelMessagesTypeAdapter.dump_json(messages)

    history = ModelMessagesTypeAdapter.validate_json(stored)
    print("stored:", [part.part_kind for message in history for part in message.parts])
    try:
        print("answer:", (await agent.run("When does it arrive?", message_history=history)).output)
    except UserError as error:
        print(f"{type(error).__name__}: {error}")


asyncio.run(main())
