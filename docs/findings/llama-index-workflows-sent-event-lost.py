"""A step hands out an event with send_event; the snapshot made at its end does not have it.

python llama-index-workflows-sent-event-lost.py     needs llama-index-workflows 2.14.0 or newer
"""

import asyncio
import json

from workflows import Context, Workflow, step
from workflows.errors import WorkflowTimeoutError
from workflows.events import (
    Event,
    StartEvent,
    StepState,
    StepStateChanged,
    StopEvent,
)


class Charge(Event):
    """A card is to be charged."""


class Order(Workflow):
    @step
    async def plan(self, ctx: Context, ev: StartEvent) -> Charge | None:  # noqa: ARG002
        ctx.send_event(Charge())
        return None

    @step
    async def charge(self, ev: Charge) -> StopEvent:  # noqa: ARG002
        return StopEvent(result="charged")


async def first_process() -> str:
    handler = Order().run()
    async for event in handler.stream_events(expose_internal=True):
        if isinstance(event, StepStateChanged) and event.step_state is StepState.NOT_RUNNING:
            return json.dumps(handler.ctx.to_dict())  # the process dies here
    raise AssertionError


async def second_process(saved: str) -> None:
    order = Order(timeout=2)  # 45 seconds where nothing is said
    try:
        print("resumed:", await order.run(ctx=Context.from_dict(order, json.loads(saved))))
    except WorkflowTimeoutError as error:
        print("resumed:", error)


asyncio.run(second_process(asyncio.run(first_process())))
