"""A flow whose run is streamed to a client, who may go away.

A session that is closed before its stream has ended cancels what is under way, says the page; a
method that is no coroutine runs in a thread, which nothing can cancel.

* https://docs.crewai.com/en/learn/streaming-runtime-contract
* https://docs.crewai.com/en/learn/streaming-flow-execution#cancellation-and-resource-cleanup
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import Any

import model
from plugpull import fault

# More than there are pieces of text in a run.
_ALL = 100


class Client:
    """Who the answer is for. A model is slower than who reads: it waits for each piece to be read.

    Attributes:
        gone: It wants no more of the stream.
    """

    def __init__(self) -> None:
        self.gone = False
        self._first: str | None = None
        self._read = threading.Semaphore(0)
        model.say = self._read.acquire

    async def take(self, frame: Any) -> None:
        """Send on what the model says.

        Raises:
            ConnectionError: The client's connection is closed.
        """
        if self.gone or not frame.content:
            return
        answer = frame.event["response_id"]
        self._first = self._first or answer
        point = "chunk:first-answer" if answer == self._first else "chunk:last-answer"
        if await asyncio.to_thread(fault, point) == "close":
            self.gone = True
        else:
            self._read.release()

    def stop(self) -> None:
        """Nobody reads any more, whether the stream has ended or not."""
        self._read.release(_ALL)

    def hangs_up(self, loop: asyncio.AbstractEventLoop, serving: asyncio.Task[Any]) -> None:
        """Wait until it does, as a web server does beside the answer."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            if fault("client") in {"close", "cancel"}:
                loop.call_soon_threadsafe(serving.cancel)


async def stream(flow: Any, inputs: dict[str, Any]) -> bool:
    """Run and stream; whether the client was there to the end."""
    client = Client()
    serving = asyncio.create_task(serve(client, flow, inputs))
    watcher = (asyncio.get_running_loop(), serving)
    threading.Thread(target=client.hangs_up, args=watcher, daemon=True).start()
    # The request ends with its client; the server goes on.
    with contextlib.suppress(asyncio.CancelledError):
        await serving
    return not client.gone


async def serve(client: Client, flow: Any, inputs: dict[str, Any]) -> None:
    """Send each piece of the answer. Who leaves the session early closes it."""
    try:
        async with flow.astream(inputs=inputs) as session:
            async for frame in session.llm:
                await client.take(frame)
                if client.gone:
                    break
    except (asyncio.CancelledError, ConnectionError):
        client.gone = True
        raise
    finally:
        client.stop()
