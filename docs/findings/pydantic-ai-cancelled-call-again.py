"""A call that was cancelled in its tool is made again, though the tool has done its work.

python pydantic-ai-cancelled-call-again.py     needs pydantic-ai-slim 2.26.0 or later
"""

import asyncio
import threading

from pydantic_ai import Agent, CancellationToken, RunCancelled
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

in_tool, stopped, done = threading.Event(), threading.Event(), threading.Event()
charged = []


def model(messages, _info):
    told = [str(getattr(part, "content", "")) for message in messages for part in message.parts]
    if "charged" in told:
        return ModelResponse(parts=[TextPart("Your card was charged.")])
    return ModelResponse(parts=[ToolCallPart("charge_card", {})])


agent = Agent(FunctionModel(model))


def charge():
    in_tool.set()
    stopped.wait()
    charged.append("once")
    done.set()


@agent.tool_plain
async def charge_card() -> str:
    await asyncio.to_thread(charge)
    return "charged"


async def main():
    token = CancellationToken()
    run = asyncio.create_task(agent.run("Charge my card.", cancellation_token=token))
    await asyncio.to_thread(in_tool.wait)
    token.cancel()
    try:
        await run
    except RunCancelled as cancelled:
        history = cancelled.all_messages()
    stopped.set()
    await asyncio.to_thread(done.wait)

    result = await agent.run(message_history=history)
    print("told:", next(p.content for m in result.all_messages()[2:] for p in m.parts))
    print(f"{result.output} {len(charged)} times")


asyncio.run(main())
