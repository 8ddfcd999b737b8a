"""A client that reads the answer while it is made, and may go away.

https://developers.llamaindex.ai/python/llamaagents/workflows/streaming/
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

from events import Piece
from plugpull import fault
from plugpull.faults import CANCEL, CLOSE
from settings import STREAMED
from workflows.handler import WorkflowHandler


class Client:
    """Whoever reads the stream. ``gone`` once nothing more is to reach it."""

    def __init__(self, handler: WorkflowHandler) -> None:
        self.gone = False
        self._handler = handler

    async def send(self, piece: Piece) -> None:
        """Let a piece of text reach the client.

        Raises:
            ConnectionError: It could not be reached.
        """
        if not STREAMED or self.gone:
            return
        point = "chunk:last-answer" if piece.last else "chunk:first-answer"
        if await asyncio.to_thread(fault, point) == CLOSE:
            await self.leave()

    async def leave(self) -> None:
        """The client wants no more: the run is cancelled, as the handler offers."""
        self.gone = True
        await self._handler.cancel_run()

    async def serve(self, work: Coroutine[Any, Any, None]) -> None:
        """Do the work for the client, as long as it is there."""
        task = asyncio.ensure_future(work)
        if STREAMED:
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._watch, args=(loop, task), daemon=True).start()
        try:
            await task
        except asyncio.CancelledError:
            await self._handler.cancel_run()

    def _watch(self, loop: asyncio.AbstractEventLoop, task: asyncio.Task[None]) -> None:
        """Stand beside the client until it hangs up, or the process ends."""
        word = fault("client")
        if word == CLOSE:
            asyncio.run_coroutine_threadsafe(self.leave(), loop)
        elif word == CANCEL:
            self.gone = True
            loop.call_soon_threadsafe(task.cancel)
