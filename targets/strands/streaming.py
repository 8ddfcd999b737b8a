"""A run whose answer is streamed to a client, who may go away.

* https://strandsagents.com/docs/user-guide/sdk/streaming/async-iterators/
* https://strandsagents.com/docs/user-guide/sdk/agents/agent-loop/#cancellation
"""

from __future__ import annotations

import asyncio
import threading
from contextlib import aclosing
from typing import Any

from plugpull import fault
from settings import LEAVES


class Client:
    """Who the answer is for.

    Args:
        agent: The agent whose run is streamed.

    Attributes:
        gone: It wants no more of the stream.
    """

    def __init__(self, agent: Any) -> None:
        self.gone = False
        self._agent = agent
        self._answered = False

    async def take(self, event: dict[str, Any]) -> None:
        """Send on what it is to see of an event: the model's text.

        Raises:
            ConnectionError: Its connection is closed.
        """
        message = event.get("message")
        if message and any("toolResult" in block for block in message["content"]):
            self._answered = True
        if self.gone or not event.get("data"):
            return
        point = "chunk:last-answer" if self._answered else "chunk:first-answer"
        if await asyncio.to_thread(fault, point) == "close":
            self.leave()

    def leave(self) -> None:
        """It has gone, and nobody wants the rest."""
        self.gone = True
        if not LEAVES:
            self._agent.cancel()

    def hangs_up(self, loop: asyncio.AbstractEventLoop, serving: asyncio.Task[Any]) -> None:
        """Wait until it does, as a web server does beside the answer."""
        words = {"close": self.leave, "cancel": serving.cancel}
        if (word := fault("client")) in words:
            loop.call_soon_threadsafe(words[word])


async def stream(agent: Any, prompt: Any) -> Any:
    """Run and stream; ``None`` for a run that did not come to a result of its own."""
    client = Client(agent)

    async def serve() -> Any:
        result = None
        # What saves when an invocation ends does so when its stream is closed, so it has to be.
        async with aclosing(agent.stream_async(prompt)) as events:
            async for event in events:
                await client.take(event)
                if client.gone and LEAVES:
                    return None
                result = event.get("result", result)
        return None if client.gone else result

    serving = asyncio.create_task(serve())
    watcher = (asyncio.get_running_loop(), serving)
    threading.Thread(target=client.hangs_up, args=watcher, daemon=True).start()
    try:
        return await serving
    except asyncio.CancelledError:
        # The request ends with its client; the server goes on.
        return None
