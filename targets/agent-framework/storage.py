"""Where checkpoints are kept: Agent Framework's own files, behind the interface it documents.

https://learn.microsoft.com/en-us/agent-framework/workflows/checkpoints
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from agent_framework import FileCheckpointStorage, WorkflowCheckpoint
from keepsakes import TYPES
from plugpull import store_write
from settings import REGISTERED, workdir


class OrderStorage(FileCheckpointStorage):
    """Checkpoint files in which each write can be watched."""

    async def save(self, checkpoint: WorkflowCheckpoint) -> str:
        """Save a checkpoint."""
        async with write(f"save:{content_of(checkpoint)}"):
            return await super().save(checkpoint)


def open_storage() -> OrderStorage:
    """The storage of this run, which knows the shop's own classes if they were registered."""
    types = {"allowed_checkpoint_types": TYPES} if REGISTERED else {}
    return OrderStorage(workdir() / "checkpoints", **types)


def content_of(checkpoint: WorkflowCheckpoint) -> str:
    """What a checkpoint holds: the last thing that was done, or the superstep it was made after."""
    last = checkpoint.state.get("last", f"superstep-{checkpoint.iteration_count}")
    return f"{last}-waiting" if checkpoint.pending_request_info_events else str(last)


@asynccontextmanager
async def write(name: str) -> AsyncIterator[None]:
    """Let a write be watched, from a thread: it may be held for as long as somebody likes."""
    watched: Any = store_write(name)
    await asyncio.to_thread(watched.__enter__)
    yield
    await asyncio.to_thread(watched.__exit__, None, None, None)
