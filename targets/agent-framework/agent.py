"""An order agent on Microsoft Agent Framework, as a workflow whose checkpoints are files.

Checkpoints are saved as the run goes, and going on is ``run(checkpoint_id=...)`` with the newest
one, in a new process with a workflow that was built anew:

* https://learn.microsoft.com/en-us/agent-framework/workflows/checkpoints
* https://learn.microsoft.com/en-us/agent-framework/workflows/human-in-the-loop
* https://learn.microsoft.com/en-us/agent-framework/workflows/as-agents

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. What is set from outside
is in ``settings.py``; the workflows are in ``functional.py`` and the modules beside it.
"""

from __future__ import annotations

import asyncio
import sys
import warnings
from importlib import import_module
from typing import Any

from agent_framework import Message
from decisions import keep_pause, kept_pause, rounds
from history import report, report_kept
from plugpull import record_effect
from settings import API, KEEPS_CLASSES, ORDER, REQUEST, STREAM
from storage import OrderStorage, open_storage
from streaming import stream_to_client

# The functional workflows say that they are experimental, once for each of their classes.
warnings.filterwarnings("ignore", message=r".*experimental")


def build(storage: OrderStorage) -> Any:
    """The workflow, as every process builds it anew."""
    return import_module(API.replace("-", "_")).build(storage)


async def start(storage: OrderStorage) -> None:
    """Begin the run and take it to its end, or to where it waits for a human."""
    if KEEPS_CLASSES:
        report_kept()
    request = [Message("user", [REQUEST])] if API.startswith("graph") else REQUEST
    await run(build(storage), storage, message=request)


async def resume(storage: OrderStorage) -> None:
    """Go on from the newest checkpoint."""
    flow = build(storage)
    newest = await storage.get_latest(workflow_name=flow.name)
    if newest is None:
        message = f"there is no checkpoint of the workflow {flow.name!r}"
        raise SystemExit(message)
    await run(flow, storage, checkpoint_id=newest.checkpoint_id)


async def approve(storage: OrderStorage) -> None:
    """Hand in what a human decided, and go on."""
    flow = build(storage)
    pause = await kept_pause(storage)
    first, *more = rounds(pause)
    responses = {"responses": first} if first else {}
    await run(flow, storage, checkpoint_id=pause.checkpoint_id, **responses)
    for again in more:
        await run(flow, storage, responses=again)


async def next_turn(storage: OrderStorage) -> None:
    """Restore the conversation from the newest checkpoint, and say something new."""
    flow = build(storage)
    newest = await storage.get_latest(workflow_name=flow.name)
    await flow.as_agent().run(
        [Message("user", ["Thank you!"])],
        checkpoint_id=newest.checkpoint_id if newest else None,
        checkpoint_storage=storage,
    )
    await asyncio.to_thread(record_effect, "next_turn", key=f"{ORDER}-turn-2")


async def inspect(storage: OrderStorage) -> None:
    """Look at what is stored."""
    name = build(storage).name
    checkpoints = await storage.list_checkpoints(workflow_name=name)
    report(checkpoints, await storage.get_latest(workflow_name=name))


async def run(flow: Any, storage: OrderStorage, **arguments: Any) -> None:
    """Run the workflow; where it comes to a pause, that is kept."""
    if STREAM:
        await stream_to_client(flow.run(**arguments, checkpoint_storage=storage, stream=True))
    else:
        await flow.run(**arguments, checkpoint_storage=storage)
    await keep_pause(storage, flow.name)


VERBS = {
    "start": start,
    "resume": resume,
    "approve": approve,
    "next-turn": next_turn,
    "inspect": inspect,
}

if __name__ == "__main__":
    if sys.argv[-1] not in VERBS:
        message = f"unknown verb: {sys.argv[-1]}"
        raise SystemExit(message)
    asyncio.run(VERBS[sys.argv[-1]](open_storage()))
