"""A run was cut off, and the user writes again: run(ctx=..., text=...) drops the message.

python llama-index-workflows-message-unheard.py     needs llama-index-workflows 2.0.0 or newer
"""

import asyncio
import json

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StepState, StepStateChanged, StopEvent


class Question(Event):
    text: str


class Chat(Workflow):
    @step
    async def hear(self, ev: StartEvent) -> Question:
        print("heard:", ev.text)
        return Question(text=ev.text)

    @step
    async def answer(self, ev: Question) -> StopEvent:
        return StopEvent(result=f"the answer to: {ev.text}")


async def first_process() -> str:
    handler = Chat().run(text="Charge my card.")
    async for event in handler.stream_events(expose_internal=True):
        if isinstance(event, StepStateChanged) and event.step_state is StepState.NOT_RUNNING:
            return json.dumps(handler.ctx.to_dict())  # the process dies here
    raise AssertionError


async def second_process(saved: str) -> None:
    chat = Chat()
    context = Context.from_dict(chat, json.loads(saved))
    print(await chat.run(ctx=context, text="No, do not!"))


asyncio.run(second_process(asyncio.run(first_process())))
