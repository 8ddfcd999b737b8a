"""The same without plugpull, where both orders owe money: one is never charged, the other twice.

``python without_plugpull.py`` starts itself, dies by SIGKILL in the first order's payment, restores
the run, and prints how often each order was charged.
"""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from agent_framework import FileCheckpointStorage, step, workflow

FOLDER = Path(os.environ.get("FOLDER", "."))
LEDGER = FOLDER / "ledger"
DIED = FOLDER / "died"
storage = FileCheckpointStorage(FOLDER / "checkpoints")


@step
async def look_up(order: str) -> str:
    """Take a moment, once."""
    await asyncio.sleep(0.1)
    return order


@step
async def charge(order: str) -> str:
    """Charge an order; the first one's payment is where the process dies."""
    if order == "first" and not DIED.exists():
        DIED.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    with LEDGER.open("a", encoding="utf-8") as ledger:
        ledger.write(f"{order}\n")
    return f"charged {order}"


async def first() -> str:
    """The order whose customer is looked up."""
    await look_up("first")
    return await charge("first")


@workflow
async def checkout(_request: str) -> list[str]:
    """Check both out at once."""
    return list(await asyncio.gather(first(), charge("second")))


async def run(verb: str) -> None:
    """Begin the run, or restore it from its newest checkpoint."""
    flow = checkout.build(checkpoint_storage=storage) if hasattr(checkout, "build") else checkout
    if verb == "start":
        await flow.run("check out")
        return
    saved = await storage.list_checkpoints(workflow_name="checkout")
    newest = max(saved, key=lambda checkpoint: checkpoint.timestamp)
    await flow.run(checkpoint_id=newest.checkpoint_id)


def main() -> None:
    """Start, die, restore, count."""
    with tempfile.TemporaryDirectory() as folder:
        for verb in ("start", "resume"):
            command = [sys.executable, "-W", "ignore", __file__, verb]
            ended = subprocess.run(command, env={**os.environ, "FOLDER": folder}, check=False)
            print(f"{verb} ended with {ended.returncode}", flush=True)
        charged = Counter((Path(folder) / "ledger").read_text(encoding="utf-8").split())
    for_each = (f"{order} order charged {charged[order]} times" for order in ("first", "second"))
    print(", ".join(for_each))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(run(sys.argv[1]))
    else:
        main()
