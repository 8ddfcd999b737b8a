"""An order on Temporal: a worker that runs the agent, and a client that starts it or asks about it.

* running a worker: https://docs.temporal.io/develop/python/workers
* starting a workflow, and going on with one by its id:
  https://docs.temporal.io/develop/python/client/temporal-client
* what a new worker does about what a dead one left behind:
  https://docs.temporal.io/encyclopedia/detecting-activity-failures
* shutting a worker down: https://docs.temporal.io/encyclopedia/workers/worker-shutdown
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

from activities import activities
from order import Desk, Order
from settings import ASKED_BY, GRACE, NEXT_REQUEST, address, decisions, report, run_name, setup
from stored import read_history, world
from temporalio.client import Client, WorkflowHandle
from temporalio.worker import Worker


def worker(client: Client) -> Worker:
    """A worker for this run alone: its task queue has the run's name."""
    return Worker(
        client,
        task_queue=run_name(),
        workflows=[Order, Desk],
        activities=activities(),
        graceful_shutdown_timeout=timedelta(seconds=GRACE),
        # Reported as often as it is said, and what was meant for a dead worker is soon somebody's.
        max_heartbeat_throttle_interval=timedelta(seconds=0.4),
        sticky_queue_schedule_to_start_timeout=timedelta(seconds=0.2),
    )


async def asker(client: Client, order: WorkflowHandle[Any, Any]) -> WorkflowHandle[Any, Any]:
    """The workflow that asks the human: the order itself, or the agent within."""
    if not setup().approval.startswith("nested"):
        return order
    return client.get_workflow_handle(await order.execute_update(Order.desk))


async def go_on(client: Client, order: WorkflowHandle[Any, Any]) -> None:
    """Work until the run is over, or waits for somebody."""
    if setup().chat:
        await order.execute_update(Order.end_of_turn, 1)
        return
    if setup().approval:
        who = await asker(client, order)
        waiting = await who.execute_update("paused", result_type=list[str])
        if waiting:
            print("waits for a human:", *waiting)
            return
    print(await order.result())


async def approve(client: Client, order: WorkflowHandle[Any, Any]) -> None:
    """Tell the run what was decided, one thing after the other, and go on."""
    who = await asker(client, order)
    for decided in decisions():
        if ASKED_BY == "update":
            await who.execute_update("decided_by_update", args=decided)
        else:
            await who.signal("decided_by_signal", args=decided)
    await go_on(client, order)


async def work(client: Client, doing: Coroutine[Any, Any, None]) -> None:
    """Do something while a worker runs; SIGTERM shuts the worker down in good order."""
    task = asyncio.ensure_future(doing)
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    async with worker(client):
        stop = asyncio.ensure_future(stopped.wait())
        await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
    if not task.done():
        task.cancel()
        sys.exit("stopped; the run goes on wherever the next worker is")
    await task


async def main(verb: str) -> None:
    """One verb."""
    client = await Client.connect(address())
    if verb == "start":
        order = await client.start_workflow(
            Order.run, setup(), id=run_name(), task_queue=run_name()
        )
        await work(client, go_on(client, order))
        return
    order = client.get_workflow_handle(run_name())
    if verb == "inspect":
        report({**await read_history(client, run_name()), "world": world()})
    elif verb == "approve":
        await work(client, approve(client, order))
    elif verb == "next-turn":
        await work(client, order.execute_update(Order.say, NEXT_REQUEST))
    else:
        await work(client, go_on(client, order))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[-1]))
    sys.stdout.flush()
    # The SDK's own threads now and then crash the interpreter while it takes itself apart (1.35.0
    # on Python 3.13, by SIGSEGV). The run is over by then, and nothing of it is lost.
    os._exit(0)
