"""A step fails, and the snapshot made at its end begins the whole run anew.

python llama-index-workflows-failed-snapshot.py     needs llama-index-workflows 2.0.0 or newer
"""

import asyncio
import json
import logging

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StepState, StepStateChanged, StopEvent

logging.disable(logging.CRITICAL)
ran: list[str] = []
broken = [True]


class Charged(Event):
    """The card was charged."""


class Order(Workflow):
    @step
    async def charge(self, ev: StartEvent) -> Charged:  # noqa: ARG002
        ran.append("charge")
        return Charged()

    @step
    async def thank(self, ev: Charged) -> StopEvent:  # noqa: ARG002
        ran.append("thank")
        if broken:
            raise ConnectionError("503: the model is overloaded")
        return StopEvent(result="thank you")


async def main() -> None:
    order, saved = Order(), ""
    handler = order.run()
    try:
        async for event in handler.stream_events(expose_internal=True):
            ended = isinstance(event, StepStateChanged) and (
                event.step_state is StepState.NOT_RUNNING
            )
            if ended:
                saved = json.dumps(handler.ctx.to_dict())
        await handler
    except ConnectionError:
        print("ran:", ran, "- failed")
    broken.clear()
    ran.clear()
    await order.run(ctx=Context.from_dict(order, json.loads(saved)))
    print("resumed, ran:", ran)


asyncio.run(main())
