"""The run as a web server streams it: pieces of text for a client that may hang up.

https://docs.langchain.com/oss/python/langgraph/streaming#llm-tokens

The client stands at a fault point of its own while the stream goes on. When it hangs up, a server
either cancels the task that serves it, or stops reading and closes the stream.

The graph is streamed with ``astream`` and the checkpointer for asyncio. The workflow, which is made
of plain functions, is streamed with ``stream``, from threads, as servers do it with a plain
generator; before Python 3.11 a workflow under ``astream`` could not call its tasks.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any

from langchain_core.messages import AIMessageChunk
from plugpull import fault
from saver import opened_async
from settings import API, CONFIG

Event = tuple[tuple[str, ...], str, Any]

#: The model's text, and what each node or task has come to, also of agents within the agent.
STREAMED = {"stream_mode": ["messages", "updates"], "subgraphs": True}


class Client:
    """Who the answer is for.

    Attributes:
        gone: It wants no more of the stream.
    """

    def __init__(self) -> None:
        self.gone = False
        self._answered = False

    async def take(self, event: Event) -> None:
        """Send on what it is to see of the stream: the model's text.

        Raises:
            ConnectionError: Its connection is closed.
        """
        _, mode, what = event
        if mode == "updates":
            self._answered = self._answered or not what.keys().isdisjoint({"tools", "call_tool"})
            return
        message, _ = what
        if isinstance(message, AIMessageChunk) and message.content:
            point = "chunk:last-answer" if self._answered else "chunk:first-answer"
            self.gone = await asyncio.to_thread(fault, point) == "close" or self.gone

    def hangs_up(self, loop: asyncio.AbstractEventLoop, serving: asyncio.Task[None]) -> None:
        """Wait until it does, in a thread that nobody waits for."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            word = fault("client")
            self.gone = self.gone or word == "close"
            if word == "cancel":
                loop.call_soon_threadsafe(serving.cancel)


async def serve(given: Any, build: Any, options: dict[str, Any], client: Client) -> None:
    """Stream one run to the client, in a loop."""
    async with opened_async() as checkpointer:
        stream = build(checkpointer, in_loop=True).astream(given, CONFIG, **STREAMED, **options)
        await hand_over(stream, client)
        if client.gone:
            await stream.aclose()


async def hand_over(stream: AsyncIterator[Event], client: Client) -> None:
    """Read the stream for as long as the client is there."""
    async for event in stream:
        if not client.gone:
            await client.take(event)
        if client.gone:
            break


async def from_threads(stream: Iterator[Event]) -> AsyncIterator[Event]:
    """Read a plain generator beside other work."""
    while (event := await asyncio.to_thread(next, stream, None)) is not None:
        yield event


async def until_gone(client: Client, work: Coroutine[Any, Any, None]) -> None:
    """Serve; a client that goes away ends it, and what is saved stays."""
    serving = asyncio.create_task(work)
    arguments = (asyncio.get_running_loop(), serving)
    threading.Thread(target=client.hangs_up, args=arguments, daemon=True).start()
    with contextlib.suppress(asyncio.CancelledError):
        await serving


def stream(app: Any, build: Any, given: Any, options: dict[str, Any]) -> None:
    """Stream one run to its end, its pause, or to where its client went away."""
    client = Client()
    if API == "graph":
        asyncio.run(until_gone(client, serve(given, build, options, client)))
        return
    # A generator that a thread is in cannot be closed; here every thread has come back.
    with contextlib.closing(app.stream(given, CONFIG, **STREAMED, **options)) as plain:
        asyncio.run(until_gone(client, hand_over(from_threads(plain), client)))
