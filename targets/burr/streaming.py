"""A run whose answer streams to a client, who may go away.

Burr's page says when state is saved of a stream that is cut off: when its iterator completes, or is
cleaned up after an exception. To close it is to close the iterator; nothing stops an action that
streams nothing.

* https://burr.apache.org/concepts/streaming-actions/
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from burr.core.application import Application
from graph import HALT
from plugpull import fault
from report import at_rest
from settings import EVENTS

Inputs = dict[str, Any]


class Client:
    """Who the answer is for.

    Attributes:
        gone: It wants no more of the stream.
    """

    def __init__(self) -> None:
        self.gone = False

    async def take(self, piece: str, *, last: bool) -> None:
        """Send on what the model says.

        Raises:
            ConnectionError: The client's connection is closed.
        """
        if piece and not self.gone:
            point = "chunk:last-answer" if last else "chunk:first-answer"
            if await asyncio.to_thread(fault, point) == "close":
                self.leave()

    def leave(self) -> None:
        """It has gone, and nobody wants the rest."""
        self.gone = True

    def hangs_up(self, loop: asyncio.AbstractEventLoop, serving: asyncio.Task[Any]) -> None:
        """Wait until it does, as a web server does beside the answer."""
        with contextlib.suppress(ConnectionError, RuntimeError):
            words = {"close": self.leave, "cancel": serving.cancel}
            if (word := fault("client")) in words:
                loop.call_soon_threadsafe(words[word])


async def stream(app: Application[Any], inputs: Inputs | None) -> None:
    """Run and stream, for as long as there is a client."""
    client = Client()
    serving = asyncio.create_task(serve(client, app, inputs))
    watcher = (asyncio.get_running_loop(), serving)
    threading.Thread(target=client.hangs_up, args=watcher, daemon=True).start()
    with contextlib.suppress(asyncio.CancelledError):
        # The request ends with its client; the server goes on.
        await serving


async def serve(client: Client, app: Application[Any], inputs: Inputs | None) -> None:
    """Send each piece of each action's results."""
    answered = False
    steps = results_of_one(app, inputs) if EVENTS == "result" else results_of_each(app, inputs)
    async with aclosing(steps) as running:
        async for results in running:
            async with aclosing(aiter(results)) as events:
                async for event in events:
                    await client.take(event["piece"], last=answered)
                    if client.gone:
                        break
            if client.gone:
                break
            answered = True


async def results_of_each(
    app: Application[Any], inputs: Inputs | None
) -> AsyncGenerator[Any, None]:
    """The results of every action as they come."""
    steps = app.astream_iterate(halt_before=HALT, inputs=inputs)
    async with aclosing(steps) as running:
        async for step, results in running:
            if step.name == "decide":
                yield results


async def results_of_one(app: Application[Any], inputs: Inputs | None) -> AsyncGenerator[Any, None]:
    """Run to the action that streams, and give its results; again, until all is said."""
    while True:
        _, results = await app.astream_result(
            halt_after=["decide"], halt_before=HALT, inputs=inputs
        )
        yield results
        await results.get()
        if at_rest(app):
            return
