"""Two orders paid by one step: one is never charged after a restore, and the other one twice.

https://github.com/microsoft/agent-framework/issues/8292. The script starts itself, dies by SIGKILL
in the first order's payment, restores the run, and prints what was charged.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from agent_framework import FileCheckpointStorage, step, workflow

FOLDER = Path(os.environ.get("FOLDER", "."))


@step
async def look_up(order: str) -> str:
    """Take a moment, but only the first time: after that the result is saved."""
    await asyncio.sleep(0.1)
    return order


@step
async def charge(order: str) -> str:
    """Charge an order; the first one's payment is where the process dies."""
    if order == "first" and sys.argv[-1] == "start":
        os.kill(os.getpid(), signal.SIGKILL)
    with (FOLDER / "charged").open("a", encoding="utf-8") as charged:
        charged.write(f"{order} ")
    return f"charged {order}"


async def first() -> str:
    """Charge the order whose customer is looked up."""
    return await charge(await look_up("first"))


@workflow
async def checkout(_request: str) -> list[str]:
    """Charge both at once."""
    return list(await asyncio.gather(first(), charge("second")))


async def run(verb: str) -> None:
    """Begin the run, or restore it from its newest checkpoint."""
    storage = FileCheckpointStorage(FOLDER / "checkpoints")
    flow = checkout.build() if hasattr(checkout, "build") else checkout
    if verb == "start":
        await flow.run("check out", checkpoint_storage=storage)
        return
    newest = await storage.get_latest(workflow_name="checkout")
    assert newest is not None
    result = await flow.run(checkpoint_id=newest.checkpoint_id, checkpoint_storage=storage)
    print("the workflow returned", result.get_outputs()[0])


if len(sys.argv) > 1:
    asyncio.run(run(sys.argv[-1]))
else:
    with tempfile.TemporaryDirectory() as folder:
        for verb in ("start", "resume"):
            command = [sys.executable, "-W", "ignore", __file__, verb]
            ended = subprocess.run(command, env={**os.environ, "FOLDER": folder}, check=False)
            print(f"{verb} ended with {ended.returncode}", flush=True)
        print("charged:", (Path(folder) / "charged").read_text(encoding="utf-8"))
