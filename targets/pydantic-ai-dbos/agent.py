"""An order taken by an agent of Pydantic AI that DBOS makes durable.

* recovery: https://docs.dbos.dev/python/tutorials/workflow-tutorial#workflow-guarantees
* starting a workflow once, and waiting for it:
  https://docs.dbos.dev/python/tutorials/workflow-tutorial#workflow-ids-and-idempotency
* going on after a failure: https://docs.dbos.dev/python/tutorials/workflow-management
* shutting down: https://docs.dbos.dev/python/reference/dbos-class#destroy
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import newer_sqlite  # noqa: F401 - has to come before DBOS
from dbos import DBOS, SetWorkflowID, WorkflowStatus
from order import say, take_order
from settings import (
    AGAIN,
    APPROVAL,
    ASKER,
    GRACE,
    NEXT_REQUEST,
    NEXT_TURN,
    ORDER,
    REQUEST,
    config,
    decisions,
    report,
)
from stored import read_history

OPEN = {"PENDING", "ENQUEUED"}
PAUSE = 0.05


async def start() -> None:
    """A run from its beginning. The workflow's id makes it one run, however often it is asked."""
    with SetWorkflowID(ORDER):
        await DBOS.start_workflow_async(take_order, REQUEST)
    await go_on()


async def go_on(decided: frozenset[str] = frozenset()) -> None:
    """Wait until the run is over, or waits for somebody."""
    order: Any = await DBOS.retrieve_workflow_async(ORDER)
    check_version(await order.get_status())
    while (await order.get_status()).status in OPEN:
        waiting = APPROVAL and await DBOS.get_event_async(ASKER, "waiting", timeout_seconds=0)
        if waiting and decided.isdisjoint(waiting):
            print("waits for a human:", *waiting)
            return
        await asyncio.sleep(PAUSE)
    print(len(await order.get_result()), "messages")


def check_version(status: WorkflowStatus) -> None:
    """Nobody goes on with a workflow of another application version: say so, and do not wait.

    https://docs.dbos.dev/python/tutorials/upgrading-workflows#versioning
    """
    theirs, ours = status.app_version, DBOS.application_version
    if status.status in OPEN and theirs != ours:
        sys.exit(f"{ORDER} stays as it is: of application version {theirs}, and this is {ours}")


async def resume() -> None:
    """Go on: what was not done is under way already, and what has failed is forked."""
    order: Any = await DBOS.retrieve_workflow_async(ORDER)
    if (await order.get_status()).status == "ERROR":
        steps = await DBOS.list_workflow_steps_async(ORDER)
        with SetWorkflowID(AGAIN):
            fork = await DBOS.fork_workflow_async(ORDER, max(step["function_id"] for step in steps))
        print(len(await fork.get_result()), "messages")
        return
    await go_on()


async def approve() -> None:
    """Hand on what was decided, one thing after the other, and go on."""
    asked: dict[str, str] = await DBOS.get_event_async(ASKER, "asked")
    for effect, word in decisions():
        await DBOS.send_async(ASKER, word, topic=asked[effect])
    await go_on(frozenset(effect for effect, _ in decisions()))


async def next_turn() -> None:
    """Something new from the user."""
    with SetWorkflowID(NEXT_TURN):
        turn: Any = await DBOS.start_workflow_async(say, NEXT_REQUEST)
    print(len(await turn.get_result()), "messages")


VERBS: dict[str, Callable[[], Awaitable[None]]] = {
    "start": start,
    "resume": resume,
    "approve": approve,
    "next-turn": next_turn,
}


async def main(verb: str) -> None:
    """One verb; SIGTERM ends it in good order."""
    doing = asyncio.ensure_future(VERBS[verb]())
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, doing.cancel)
    DBOS.launch()
    try:
        await doing
    except asyncio.CancelledError:
        sys.exit("stopped; the next launch goes on")
    finally:
        # In a thread: the workflows run in this loop, and have to come to their end meanwhile.
        await asyncio.to_thread(DBOS.destroy, workflow_completion_timeout_sec=GRACE)


if __name__ == "__main__":
    if sys.argv[-1] == "inspect":
        report(read_history())
    else:
        DBOS(config=config())
        asyncio.run(main(sys.argv[-1]))
