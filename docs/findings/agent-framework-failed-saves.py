"""A checkpoint storage that goes away in the middle of a run: what does the run do about it?"""

import asyncio
import tempfile

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    WorkflowBuilder,
    WorkflowCheckpoint,
    WorkflowContext,
    handler,
)


class Gone(FileCheckpointStorage):
    """Takes one checkpoint, and then its disk is gone."""

    saved = 0

    async def save(self, checkpoint: WorkflowCheckpoint) -> str:
        """Save a checkpoint.

        Raises:
            ConnectionError: The disk is gone.
        """
        if self.saved:
            raise ConnectionError
        self.saved += 1
        return await super().save(checkpoint)


class Charge(Executor):
    """Charges a card, and passes the order on."""

    @handler
    async def charge(self, order: str, ctx: WorkflowContext[str]) -> None:
        """Charge."""
        print("  charged", order)
        await ctx.send_message(order)


class Close(Executor):
    """The end."""

    @handler
    async def close(self, order: str, ctx: WorkflowContext[None, str]) -> None:
        """Close the order."""
        await ctx.yield_output(f"closed {order}")


async def main() -> None:
    """Run to the end, and then restore the newest checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        for storage in (Gone(folder), FileCheckpointStorage(folder)):
            charge, close = Charge(id="charge"), Close(id="close")
            builder = WorkflowBuilder(
                name="orders", start_executor=charge, checkpoint_storage=storage
            )
            flow = builder.add_edge(charge, close).build()
            newest = await storage.get_latest(workflow_name="orders")
            if newest is None:
                result = await flow.run("order 42")
            else:
                print("the newest checkpoint was made after superstep", newest.iteration_count)
                result = await flow.run(checkpoint_id=newest.checkpoint_id)
            print("the run came to", result.get_outputs(), result.get_final_state().value)


asyncio.run(main())
