"""A run whose answer streams to a client, who may go away.

* ``StreamingMode.SSE``: https://google.github.io/adk-docs/runtime/runconfig/#enable-streaming
* ``abort_signal``, from 2.11 on:
  https://github.com/google/adk-python/blob/main/src/google/adk/runners.py

The run is an asynchronous generator: who wants no more of it closes it. What has been appended to
the session by then is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Callable

from google.adk.events.event import Event
from history import parts
from plugpull import fault


class Client:
    """Who the answer is for.

    Attributes:
        gone: It wants no more of the stream.
    """

    def __init__(self) -> None:
        self.gone = asyncio.Event()
        self._answered = False

    async def take(self, event: Event) -> None:
        """Send on what it is to see of an event: the model's text, as it comes.

        Raises:
            ConnectionError: Its connection is closed.
        """
        if event.get_function_responses():
            self._answered = True
        if self.gone.is_set() or not event.partial or not any(part.text for part in parts(event)):
            return
        point = "chunk:last-answer" if self._answered else "chunk:first-answer"
        if await asyncio.to_thread(fault, point) == "close":
            self.gone.set()

    def hangs_up(self, loop: asyncio.AbstractEventLoop, cancel: Callable[[], object]) -> None:
        """Wait until it does, as a web server does beside the answer."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            words: dict[str, Callable[[], object]] = {"close": self.gone.set, "cancel": cancel}
            if (word := fault("client")) in words:
                loop.call_soon_threadsafe(words[word])


async def send(events: AsyncGenerator[Event, None], abort: asyncio.Event | None) -> None:
    """Send the events of a run to a client; when it has gone, close the run or have it aborted."""
    client = Client()
    loop = asyncio.get_running_loop()
    serving = asyncio.create_task(_serve(events, client, abort))
    cancel = serving.cancel if abort is None else abort.set
    threading.Thread(target=client.hangs_up, args=(loop, cancel), daemon=True).start()
    # The request ends with its client; the server goes on.
    with contextlib.suppress(asyncio.CancelledError):
        await serving


async def _serve(
    events: AsyncGenerator[Event, None], client: Client, abort: asyncio.Event | None
) -> None:
    gone = asyncio.create_task(client.gone.wait())
    async with contextlib.aclosing(events):
        while True:
            coming = asyncio.ensure_future(anext(events, None))
            await asyncio.wait({coming, gone}, return_when=asyncio.FIRST_COMPLETED)
            if client.gone.is_set() and abort is not None:
                abort.set()
            elif client.gone.is_set():
                coming.cancel()
                await asyncio.wait({coming})
                break
            if (event := await coming) is None:
                break
            await client.take(event)
    gone.cancel()
