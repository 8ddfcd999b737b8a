"""A workflow is saved while a step runs, and gone on with by an older release.

python llama-index-workflows-older-release.py save      with 2.22.0 or newer
python llama-index-workflows-older-release.py go-on     with 2.21.0 or older, or any other
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from workflows import Context, Workflow, step
from workflows.errors import ContextSerdeError, WorkflowTimeoutError
from workflows.events import Event, StartEvent, StepState, StepStateChanged, StopEvent

FILE = Path(tempfile.gettempdir()) / "llama-index-workflows-older-release.json"


class Charge(Event):
    """A card is to be charged."""


class Order(Workflow):
    @step
    async def plan(self, ev: StartEvent) -> Charge:  # noqa: ARG002
        return Charge()

    @step
    async def charge(self, ev: Charge) -> StopEvent:  # noqa: ARG002
        return StopEvent(result="charged")


async def save() -> None:
    handler = Order().run()
    async for event in handler.stream_events(expose_internal=True):
        if not isinstance(event, StepStateChanged) or event.name != "charge":
            continue
        if event.step_state is StepState.RUNNING:
            saved = handler.ctx.to_dict()  # and here the process dies
            FILE.write_text(json.dumps(saved))
            under_way = len(saved["workers"]["charge"]["in_progress"])
            print(f"saved: format {saved['version']}, {under_way} charge under way")
            return


async def go_on() -> None:
    order = Order(timeout=2)  # 45 seconds where nothing is said
    try:
        context = Context.from_dict(order, json.loads(FILE.read_text()))
        print("resumed:", await order.run(ctx=context))
    except (ContextSerdeError, WorkflowTimeoutError) as error:
        print(f"{type(error).__name__}: {error}")


asyncio.run(save() if sys.argv[1:] == ["save"] else go_on())
