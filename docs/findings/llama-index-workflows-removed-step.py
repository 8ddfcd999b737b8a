"""A saved run has an event for a step that is gone: it is dropped, and the run never ends.

python llama-index-workflows-removed-step.py     needs llama-index-workflows 2.14.0 or newer
"""

import asyncio
import json

from workflows import Context, Workflow, step
from workflows.errors import WorkflowTimeoutError
from workflows.events import Event, StartEvent, StepState, StepStateChanged, StopEvent


class Charge(Event):
    """A card is to be charged."""


class Order(Workflow):
    @step
    async def plan(self, ev: StartEvent) -> Charge:  # noqa: ARG002
        return Charge()

    @step
    async def charge(self, ev: Charge) -> StopEvent:  # noqa: ARG002
        return StopEvent(result="charged")


class OrderWithoutCards(Workflow):
    @step
    async def plan(self, ev: StartEvent) -> StopEvent:  # noqa: ARG002
        return StopEvent(result="pay when it arrives")


async def first_process() -> str:
    handler = Order().run()
    async for event in handler.stream_events(expose_internal=True):
        if isinstance(event, StepStateChanged) and event.step_state is StepState.NOT_RUNNING:
            return json.dumps(handler.ctx.to_dict())  # the process dies here
    raise AssertionError


async def second_process(saved: str) -> None:
    order = OrderWithoutCards(timeout=1)  # 45 seconds where nothing is said
    handler = order.run(ctx=Context.from_dict(order, json.loads(saved)))
    print("resumed, steps with something to do:", await handler.ctx.running_steps())
    try:
        print(await handler)
    except WorkflowTimeoutError as error:
        print(f"{type(error).__name__}: {error}")


asyncio.run(second_process(asyncio.run(first_process())))
