"""A run whose answer is streamed to a client, who may go away.

A stream is ended by leaving its loop; from 1.20 on it is a context manager, which then closes it.
https://learn.microsoft.com/en-us/agent-framework/workflows/events
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack
from typing import Any

from agent_framework import AgentResponseUpdate
from plugpull import fault


async def stream_to_client(stream: Any) -> None:
    """Send the text of a run to its client as it comes, until the run or the client ends it."""
    gone = asyncio.Event()
    task = asyncio.ensure_future(send_text(stream, gone))
    watch_client(asyncio.get_running_loop(), task, gone)
    try:
        await task
    except asyncio.CancelledError:
        print("the client has gone away")


async def send_text(stream: Any, gone: asyncio.Event) -> None:
    """Write each piece of text to the client's socket.

    Raises:
        ConnectionError: The client's connection is lost.
    """
    point = "chunk:first-answer"
    async with AsyncExitStack() as stack:
        if hasattr(stream, "close"):
            await stack.enter_async_context(stream)
        async for event in stream:
            if gone.is_set():
                break
            if not isinstance(event.data, AgentResponseUpdate):
                continue
            if event.data.text and await asyncio.to_thread(fault, point) == "close":
                break
            if any(one.type.startswith("function_") for one in event.data.contents):
                point = "chunk:last-answer"


def watch_client(
    loop: asyncio.AbstractEventLoop, task: asyncio.Task[None], gone: asyncio.Event
) -> None:
    """Wait in a thread for the client to hang up, as a web server does."""

    def wait() -> None:
        word = fault("client")
        if word == "cancel":
            loop.call_soon_threadsafe(task.cancel)
        elif word == "close":
            loop.call_soon_threadsafe(gone.set)

    threading.Thread(target=wait, daemon=True).start()
