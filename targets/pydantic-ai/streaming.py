"""A run whose answer streams to a client, who may go away.

* node by node: https://pydantic.dev/docs/ai/core-concepts/agent/#streaming-all-events-and-output
* all events of a run: https://pydantic.dev/docs/ai/core-concepts/agent/#streaming-all-events
* how a stream is stopped: https://pydantic.dev/docs/ai/core-concepts/agent/#cancelling-a-run

``run_stream`` is not here: it takes the first text for the final answer, and this model says
something before it calls a tool.

Releases before 2.26 have no way to stop a run but to leave its context manager, which takes a loop
that has its turn.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from history import Given
from plugpull import fault
from pydantic_ai import Agent
from pydantic_ai.messages import (
    FunctionToolResultEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.run import AgentRunResultEvent
from runs import PER_NODE, Keep, Result, keep_node, kept_when_stopped
from settings import EVENTS
from shop import SHOP


class Client:
    """Who the answer is for.

    Attributes:
        gone: It wants no more of the stream.
    """

    def __init__(self) -> None:
        self.gone = False
        self._stop: Callable[[], object] = lambda: None
        self._answered = False

    def stops(self, running: Any) -> None:
        """Say what has to be stopped when it goes; old releases have nothing to call."""
        self._stop = getattr(running, "cancel", self._stop)

    async def take(self, event: Any) -> None:
        """Send on what it is to see of an event: the model's text.

        Raises:
            ConnectionError: Its connection is closed.
        """
        if isinstance(event, FunctionToolResultEvent):
            self._answered = True
        if self.gone or not text_of(event):
            return
        point = "chunk:last-answer" if self._answered else "chunk:first-answer"
        if await asyncio.to_thread(fault, point) == "close":
            self.leave()

    def leave(self) -> None:
        """It has gone, and nobody wants the rest."""
        self.gone = True
        self._stop()

    def hangs_up(self, loop: asyncio.AbstractEventLoop, serving: asyncio.Task[Any]) -> None:
        """Wait until it does, as a web server does beside the answer."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            words = {"close": self.leave, "cancel": serving.cancel}
            if (word := fault("client")) in words:
                loop.call_soon_threadsafe(words[word])


def text_of(event: Any) -> str:
    """The text that an event brings."""
    if isinstance(event, PartStartEvent) and isinstance(event.part, TextPart):
        return event.part.content
    if isinstance(event, PartDeltaEvent) and isinstance(event.delta, TextPartDelta):
        return event.delta.content_delta
    return ""


async def stream(prompt: str | None, given: Given, keep: Keep) -> Result | None:
    """Run and stream; ``None`` for a run that did not come to its end or to a pause."""
    client = Client()
    drive = all_events if EVENTS == "all" else by_node

    async def serve() -> Result | None:
        async with kept_when_stopped(keep) as messages:
            result = await drive(client, prompt, given, keep)
            if result is None:
                await keep(messages)
            return result
        return None

    serving = asyncio.create_task(serve())
    watcher = (asyncio.get_running_loop(), serving)
    threading.Thread(target=client.hangs_up, args=watcher, daemon=True).start()
    try:
        return await serving
    except asyncio.CancelledError:
        # The request ends with its client; the server goes on.
        return None


async def by_node(client: Client, prompt: str | None, given: Given, keep: Keep) -> Result | None:
    """Stream the events of each node of the run."""
    async with SHOP.iter(prompt, **given) as running:
        client.stops(running)
        async for node in running:
            if PER_NODE:
                await keep_node(running, node, keep)
            if Agent.is_model_request_node(node) or Agent.is_call_tools_node(node):
                async with node.stream(running.ctx) as events:
                    async for event in events:
                        await client.take(event)
                        if client.gone:
                            break
            if client.gone:
                break
    return running.result


async def all_events(
    client: Client, prompt: str | None, given: Given, _keep: Keep
) -> Result | None:
    """Stream the events of the run in one."""
    result = None
    async with SHOP.run_stream_events(prompt, **given) as events:
        client.stops(events)
        async for event in events:
            if isinstance(event, AgentRunResultEvent):
                result = event.result
            await client.take(event)
            if client.gone and not hasattr(events, "cancel"):
                break
    return result
