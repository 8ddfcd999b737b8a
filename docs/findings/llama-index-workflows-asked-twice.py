"""A run that waits for a human is saved and restored: the step that asked runs again.

python llama-index-workflows-asked-twice.py     needs llama-index-core 0.12.18 or newer, before 0.13
"""

import asyncio
import json

from llama_index.core.workflow import (
    Context,
    HumanResponseEvent,
    InputRequiredEvent,
    StartEvent,
    StopEvent,
    Workflow,
    step,
)

ran: list[str] = []


class Approval(InputRequiredEvent):
    """A human is to agree."""


class Decision(HumanResponseEvent):
    """What the human says."""


class Order(Workflow):
    @step
    async def ask(self, ev: StartEvent) -> Approval:  # noqa: ARG002
        ran.append("ask")
        return Approval(prefix="May the card be charged?")

    @step
    async def charge(self, ev: Decision) -> StopEvent:  # noqa: ARG002
        ran.append("charge")
        return StopEvent(result="charged")


async def main() -> None:
    order, saved = Order(), ""
    handler = order.run()
    async for event in handler.stream_events():
        if isinstance(event, Approval):
            saved = json.dumps(handler.ctx.to_dict())
            break
    await handler.cancel_run()
    print("ran:", ran, "- waits for a human")
    ran.clear()
    handler = order.run(ctx=Context.from_dict(order, json.loads(saved)))
    handler.ctx.send_event(Decision(response="yes"))
    await handler
    print("answered, ran:", ran)


asyncio.run(main())
