"""A workflow inside a workflow waits for a human: what does its node know in the next process?"""

import asyncio
import tempfile

from agent_framework import (
    Executor,
    FileCheckpointStorage,
    WorkflowBuilder,
    WorkflowContext,
    WorkflowExecutor,
    handler,
    response_handler,
)


class Desk(Executor):
    """Remembers an order while a human thinks about it."""

    order = None

    @handler
    async def ask(self, order: str, ctx: WorkflowContext) -> None:
        """Ask."""
        self.order = order
        await ctx.request_info({"question": "may I?"}, bool)

    @response_handler
    async def decided(
        self, _request: dict, _response: bool, ctx: WorkflowContext[None, str]
    ) -> None:
        """Hear the answer."""
        await ctx.yield_output(f"the desk knows of {self.order}")

    async def on_checkpoint_save(self) -> dict:
        """What has to be kept."""
        return {"order": self.order}

    async def on_checkpoint_restore(self, state: dict) -> None:
        """What was kept."""
        self.order = state["order"]


class Pass(Executor):
    """Passes on what it gets."""

    @handler
    async def on(self, word: str, ctx: WorkflowContext[str, str]) -> None:
        """Pass on."""
        await ctx.send_message(word)
        await ctx.yield_output(word)


def build(storage, nested):
    """The desk as a node, or as a node of a workflow that is a node."""
    door, desk = Pass(id="door"), Desk(id="desk")
    if nested:
        inner = WorkflowBuilder(name="inner", start_executor=desk).build()
        desk = WorkflowExecutor(inner, id="inner", propagate_request=True)
    builder = WorkflowBuilder(name="outer", start_executor=door, checkpoint_storage=storage)
    builder.add_edge(door, desk)
    if nested:
        builder.add_edge(desk, Pass(id="end"))
    return builder.build()


async def main() -> None:
    """Pause, build everything anew, and answer."""
    for nested in (False, True):
        with tempfile.TemporaryDirectory() as folder:
            storage = FileCheckpointStorage(folder)
            await build(storage, nested).run("order 42")
            paused = await storage.get_latest(workflow_name="outer")
            (request,) = paused.pending_request_info_events
            result = await build(storage, nested).run(
                checkpoint_id=paused.checkpoint_id, responses={request: True}
            )
            print("nested:" if nested else "flat:", result.get_outputs()[-1])


asyncio.run(main())
