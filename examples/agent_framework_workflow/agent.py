"""Two orders checked out at once, as a functional workflow of Microsoft Agent Framework.

Both orders go through the same step ``charge``. The first one owes money and looks up its customer
before; the second one is free and is charged at once. What ``charge`` returned is saved per call,
and on a restore the calls are told apart by the order in which they come. The lookup is saved by
then and takes no time any more, so the calls come in another order than before: the first order is
handed what was saved for the second one, and is never charged.

Reported as https://github.com/microsoft/agent-framework/issues/8292. With ``swapped`` the orders
are gathered the other way round, the calls keep their order, and all is well.

    plugpull --agent "python examples/agent_framework_workflow/agent.py as-reported"
    plugpull --agent "python examples/agent_framework_workflow/agent.py swapped"
"""

import asyncio
import os
import sys
from pathlib import Path

from agent_framework import FileCheckpointStorage, step, workflow
from plugpull import record_effect

OWED = {"first": 42, "second": 0}
storage = FileCheckpointStorage(Path(os.environ["PLUGPULL_WORKDIR"]) / "checkpoints")


@step
async def look_up(order: str) -> str:
    """Ask another service who the customer is: it takes a moment, once."""
    await asyncio.sleep(0.1)
    return order


@step
async def charge(order: str) -> str:
    """Charge what the order owes; the key belongs to the order."""
    if OWED[order]:
        await asyncio.to_thread(record_effect, "charge_card", key=f"order-{order}")
    return f"charged {order}"


async def first() -> str:
    """The order that owes money."""
    await look_up("first")
    return await charge("first")


async def second() -> str:
    """The free order."""
    return await charge("second")


@workflow
async def checkout(_request: str) -> list[str]:
    """Check both out at once."""
    if sys.argv[1] == "swapped":
        return list(await asyncio.gather(second(), first()))
    return list(await asyncio.gather(first(), second()))


async def main() -> None:
    """Begin the run, or restore it from its newest checkpoint."""
    run = checkout.build(checkpoint_storage=storage) if hasattr(checkout, "build") else checkout
    if sys.argv[-1] == "start":
        await run.run("check out")
        return
    saved = await storage.list_checkpoints(workflow_name="checkout")
    newest = max(saved, key=lambda checkpoint: checkpoint.timestamp)
    await run.run(checkpoint_id=newest.checkpoint_id)


asyncio.run(main())
