"""An order on LlamaIndex Workflows, saved at the end of each step.

* saving a run, and going on with it:
  https://developers.llamaindex.ai/python/llamaagents/workflows/durable_workflows/
* pausing for a human:
  https://developers.llamaindex.ai/python/llamaagents/workflows/human_in_the_loop/

Usage: ``python agent.py start | resume | approve | next-turn | inspect``; settings.py has the
variables that say which variant it is.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import saved
from asking import build
from events import Decision, Piece
from keepsakes import describe, keepsakes
from reading import read
from settings import FIRST, KEEPS_CLASSES, NEXT_REQUEST, REQUEST, decisions, report
from streaming import Client
from workflows import Workflow
from workflows.events import StepState, StepStateChanged, WorkflowIdleEvent
from workflows.handler import WorkflowHandler


async def follow(handler: WorkflowHandler, *, told: bool = False) -> None:
    """Follow a run to its end, or until it waits for somebody.

    A run that was ``told`` what a human decided waits for nobody before it has heard that.
    """
    client = Client(handler)
    async for event in handler.stream_events(expose_internal=True):
        if isinstance(event, StepStateChanged):
            # A step that waits for the human within itself begins anew, and only then hears.
            told = told and event.name == "ask"
            if event.step_state is StepState.NOT_RUNNING and not client.gone:
                saved.save(handler, event.name)
        elif isinstance(event, Piece):
            client.send(event)
        elif isinstance(event, WorkflowIdleEvent) and not told:
            await client.close()
            await pause(handler)
            return
    await client.close()
    if not client.gone:
        print(await handler)


async def pause(handler: WorkflowHandler) -> None:
    """Keep a run that waits for a human, and let go of it.

    Raises:
        SystemExit: It waits for nobody.
    """
    waiting = await handler.ctx.store.get("waiting", default={})
    if not waiting:
        sys.exit("the run stands still: it has nothing to do, and waits for nobody")
    saved.pause(handler)
    print("waits for a human:", *[call["name"] for call in waiting.values()])
    await handler.cancel_run()


async def go_on(workflow: Workflow, data: dict[str, Any]) -> None:
    """Go on with a saved run; where it only waits, let it."""
    handler = workflow.run(ctx=saved.restore(workflow, data))
    for decision in await decided(data):
        handler.ctx.send_event(decision)
    waits = bool(await saved.state(data, "waiting", {})) and not decisions()
    # A run that is taken up and has nothing to do says nothing.
    if waits and not await handler.ctx.running_steps():
        await pause(handler)
    else:
        await follow(handler, told=bool(decisions()))


async def decided(data: dict[str, Any]) -> list[Decision]:
    """What a human has decided about the calls that a saved run asks about, in that order.

    Raises:
        SystemExit: It does not ask about one of them.
    """
    waiting = await saved.state(data, "waiting", {})
    ids = {call["name"]: call["id"] for call in waiting.values()}
    for name, _ in decisions():
        if name not in ids:
            sys.exit(f"the run does not ask about {name}")
    return [Decision(id=ids[name], approved=word == "approve") for name, word in decisions()]


async def resume(workflow: Workflow) -> None:
    """Go on with the run; begin it, where nothing of it was saved."""
    snapshots = saved.snapshots()
    if not snapshots:
        await follow(workflow.run(text=REQUEST))
    elif await saved.state(snapshots[-1], "closed", default=False):
        print("nothing to do: the order is closed")
    else:
        await go_on(workflow, snapshots[-1])


async def next_turn(workflow: Workflow) -> None:
    """Say something new in the same conversation, once what was begun is over."""
    if FIRST == "resume":
        await resume(workflow)
    snapshots = saved.snapshots()
    run = saved.restore(workflow, snapshots[-1]) if snapshots else None
    await follow(workflow.run(ctx=run, text=NEXT_REQUEST))


async def main(verb: str) -> None:
    """One verb."""
    workflow = build()
    if verb == "start":
        await follow(workflow.run(text=REQUEST))
        if KEEPS_CLASSES:
            report({"classes": describe(keepsakes())})
    elif verb == "resume":
        await resume(workflow)
    elif verb == "approve":
        await go_on(workflow, saved.paused())
    elif verb == "next-turn":
        await next_turn(workflow)
    else:
        report(await read(workflow))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
