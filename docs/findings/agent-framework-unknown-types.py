"""A value of the application's own class in a workflow's state: which checkpoints can be read?

https://github.com/microsoft/agent-framework/issues/8181.
"""

import asyncio
import os
import tempfile
from dataclasses import dataclass

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    handler,
)


@dataclass
class Parcel:
    """Not one of the types that a storage knows by itself."""

    weight: int


class Pack(Executor):
    """Keeps a parcel in the state, and sends its weight on."""

    @handler
    async def pack(self, weight: int, ctx: WorkflowContext[int]) -> None:
        """Pack."""
        ctx.set_state("parcel", Parcel(weight))
        await ctx.send_message(weight)


class Send(Executor):
    """The end."""

    @handler
    async def send(self, weight: int, ctx: WorkflowContext[None, str]) -> None:
        """Send."""
        await ctx.yield_output(f"sent {weight} kg")


async def main() -> None:
    """Run a workflow, and look at its checkpoints as another process would."""
    with tempfile.TemporaryDirectory() as folder:
        pack, send = Pack(id="pack"), Send(id="send")
        builder = WorkflowBuilder(
            name="parcels", start_executor=pack, checkpoint_storage=FileCheckpointStorage(folder)
        )
        result = await builder.add_edge(pack, send).build().run(3)
        print("the run came to", result.get_outputs(), "in state", result.get_final_state().value)
        print("checkpoint files:", len(os.listdir(folder)))  # noqa: PTH208 - it is quick
        readable = await FileCheckpointStorage(folder).list_checkpoints(workflow_name="parcels")
        print("checkpoints that can be read:", len(readable))


asyncio.run(main())
