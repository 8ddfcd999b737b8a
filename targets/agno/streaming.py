"""A run whose answer streams to a client, who may go away.

* streaming a run: https://docs.agno.com/agents/running-agents
* how a run is stopped: https://docs.agno.com/run-cancellation/agent-cancel-run
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

from plugpull import fault
from settings import RUN


class Client:
    """Who the answer is for.

    Attributes:
        gone: It wants no more of the stream.
    """

    def __init__(self, stop: Callable[[str], Any]) -> None:
        self.gone = False
        self._stop = stop
        self._answered = False

    async def take(self, event: Any) -> None:
        """Send on what it is to see of an event: the model's text.

        Raises:
            ConnectionError: Its connection is closed.
        """
        kind = getattr(event, "event", "")
        if kind.endswith("ToolCallCompleted") and event.tool.tool_name == "charge_card":
            self._answered = True
        if self.gone or not kind.endswith("RunContent") or not event.content:
            return
        point = "chunk:last-answer" if self._answered else "chunk:first-answer"
        if await asyncio.to_thread(fault, point) == "close":
            self.leave()

    def leave(self) -> None:
        """It has gone: the run is told to stop where it can."""
        self.gone = True
        self._stop(RUN)

    def hangs_up(self, loop: asyncio.AbstractEventLoop, serving: asyncio.Task[Any]) -> None:
        """Wait until it does, as a web server does beside the answer."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            words = {"close": self.leave, "cancel": serving.cancel}
            if (word := fault("client")) in words:
                loop.call_soon_threadsafe(words[word])


async def stream(shop: Any, events: AsyncIterator[Any]) -> Any:
    """Stream a run to its end or its pause; ``None`` for one that was stopped."""
    client = Client(shop.cancel_run)

    async def serve() -> Any:
        result = None
        async for event in events:
            if hasattr(event, "messages"):
                result = event
            else:
                await client.take(event)
        return result

    serving = asyncio.create_task(serve())
    watcher = (asyncio.get_running_loop(), serving)
    threading.Thread(target=client.hangs_up, args=watcher, daemon=True).start()
    try:
        result = await serving
    except asyncio.CancelledError:
        result = None
    finally:
        # A request ends with its client; the server goes on, and so does what it has begun.
        left = asyncio.all_tasks() - {asyncio.current_task()}
        await asyncio.gather(*left, return_exceptions=True)
    return None if client.gone else result
