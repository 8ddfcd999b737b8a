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

import saved
from asking import build
from events import Approval, Decision, Piece
from keepsakes import describe, keepsakes
from reading import read
from settings import FIRST, KEEPS_CLASSES, NEXT_REQUEST, REQUEST, decisions, report
from streaming import Client
from workflows import Workflow, events
from workflows.events import StepState, StepStateChanged
from workflows.handler import WorkflowHandler

#: Said by a run that waits for somebody, since 2.14.0.
WAITS: type[events.Event] = getattr(events, "WorkflowIdleEvent", Approval)


async def follow(handler: WorkflowHandler, *, told: bool = True) -> None:
    """Follow a run to its end, or until it waits for somebody.

    A run that was ``told`` something waits for nobody before a step has run.

    Raises:
        SystemExit: It stands still, and has asked nobody anything.
    """
    client = Client(handler)
    await client.serve(_follow(handler, client, told=told))


async def _follow(handler: WorkflowHandler, client: Client, *, told: bool) -> None:
    asked: list[Approval] = []
    async for event in handler.stream_events(expose_internal=True):
        if isinstance(event, StepStateChanged):
            told = False
            if event.step_state is StepState.NOT_RUNNING and not client.gone:
                saved.save(handler, event.name)
        elif isinstance(event, Piece):
            await client.send(event)
        elif isinstance(event, Approval):
            asked.append(event)
        elif isinstance(event, WAITS) and not told:
            if not saved.pause(handler, asked):
                sys.exit("the run stands still: there is nothing to do, and nobody was asked")
            await handler.cancel_run()
            return
    if not client.gone:
        print(await handler)


async def resume(workflow: Workflow) -> WorkflowHandler:
    """Go on with the run; begin it, where nothing of it was saved."""
    run = saved.restore(workflow)
    handler = workflow.run(ctx=run) if run else workflow.run(text=REQUEST)
    await follow(handler)
    return handler


async def approve(workflow: Workflow) -> None:
    """Tell the run what was decided, one thing after the other."""
    run, ids = saved.restore_pause(workflow)
    handler = workflow.run(ctx=run)
    decided = decisions()
    for name, word in decided:
        handler.ctx.send_event(Decision(id=ids[name], approved=word == "approve"))
    await follow(handler, told=bool(decided))


async def next_turn(workflow: Workflow) -> None:
    """Say something new in the same conversation, once what was begun is over."""
    run = saved.restore(workflow)
    if run and run.is_running and FIRST == "resume":
        run = (await resume(workflow)).ctx
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
        await approve(workflow)
    elif verb == "next-turn":
        await next_turn(workflow)
    else:
        report(await read(workflow))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
