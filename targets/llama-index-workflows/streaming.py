"""A client that reads the answer while it is made, and may go away.

https://developers.llamaindex.ai/python/llamaagents/workflows/streaming/

A run does not wait for whoever reads its stream, and a stream can be read once. So pieces of text
go to the client beside the loop that saves the run: a slow client must not keep it from that.
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress

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
        self._pieces: asyncio.Queue[Piece | None] = asyncio.Queue()
        self._sending: asyncio.Task[None] | None = None
        if STREAMED:
            self._sending = asyncio.create_task(self._send())
            loop = asyncio.get_running_loop()
            threading.Thread(target=self._watch, args=(loop,), daemon=True).start()

    def send(self, piece: Piece) -> None:
        """Have a piece of text reach the client."""
        self._pieces.put_nowait(piece)

    async def close(self) -> None:
        """Wait until everything has reached the client.

        Raises:
            ConnectionError: It could not be reached.
        """
        self._pieces.put_nowait(None)
        if self._sending:
            with suppress(asyncio.CancelledError):
                await self._sending

    async def _send(self) -> None:
        try:
            while (piece := await self._pieces.get()) and not self.gone:
                point = "chunk:last-answer" if piece.last else "chunk:first-answer"
                if await asyncio.to_thread(fault, point) == CLOSE:
                    await self._leave()
        except (ConnectionError, asyncio.CancelledError):
            await self._leave()
            raise

    async def _leave(self) -> None:
        """Nobody wants the answer any more: the run is cancelled, as its handler offers."""
        self.gone = True
        await self._handler.cancel_run()

    def _watch(self, loop: asyncio.AbstractEventLoop) -> None:
        """Stand beside the client until it hangs up, or the process ends."""
        word = fault("client")
        if word == CANCEL and self._sending:
            loop.call_soon_threadsafe(self._sending.cancel)
        elif word == CLOSE:
            asyncio.run_coroutine_threadsafe(self._leave(), loop)
