"""A run whose answer streams to a client, who may go away.

* streaming and how a stream is stopped: https://openai.github.io/openai-agents-python/streaming/
* what has to be done after ``cancel()``:
  https://openai.github.io/openai-agents-python/results/#streaming-lifecycle-and-diagnostics
"""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from typing import Any, Literal

from agents import Runner, RunResultStreaming
from model import FakeModel
from openai.types.responses import ResponseTextDeltaEvent
from order import SHOP
from pace import Pace
from plugpull import fault

STOP: Literal["immediate", "after_turn"] = (
    "after_turn" if os.environ.get("PLUGPULL_STOP") == "after-turn" else "immediate"
)


class Stream:
    """One streamed run and the client who reads it.

    Attributes:
        result: The run, as the SDK gives it.
        stopped: The client has asked to stop it.
        cut_off: Whoever read it was cancelled.
    """

    def __init__(self, result: RunResultStreaming) -> None:
        self.result = result
        self.stopped = False
        self.cut_off = False
        self._pace = Pace()
        if isinstance(SHOP.model, FakeModel):
            SHOP.model.pace = self._pace

    async def deliver(self) -> None:
        """Send the answer to the client until the stream ends or the client goes."""
        loop = asyncio.get_running_loop()
        reading = asyncio.create_task(self._read())
        words: dict[str, Callable[[], object]] = {"close": self.stop, "cancel": reading.cancel}
        threading.Thread(target=_watch, args=(loop, words), daemon=True).start()
        if STOP == "after_turn":
            # A deploy asks the process to end, and the turn that runs is finished before.
            loop.add_signal_handler(signal.SIGTERM, self.stop)
        try:
            await reading
        except asyncio.CancelledError:
            # What stands behind the stream in the task that was cancelled never runs.
            self.cut_off = True
        finally:
            self._pace.gone()
            await _others()

    def stop(self) -> None:
        """End the stream as the documentation says; whoever reads it has to read on to the end."""
        self.stopped = True
        self.result.cancel(mode=STOP)

    async def _read(self) -> None:
        place = "first-answer"
        async for event in self.result.stream_events():
            if event.type == "run_item_stream_event" and event.name == "tool_output":
                place = "last-answer"
            if event.type == "raw_response_event" and isinstance(
                event.data, ResponseTextDeltaEvent
            ):
                # Where the client's socket is closed, writing fails, and so does this loop.
                if not self.stopped and await asyncio.to_thread(fault, f"chunk:{place}") == "close":
                    self.stop()
                self._pace.taken()


async def _others() -> None:
    """A server outlives its client: what runs in the background comes to its end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    if others:
        await asyncio.wait(others)


def _watch(loop: asyncio.AbstractEventLoop, words: dict[str, Callable[[], object]]) -> None:
    """Wait for the client to hang up, as a web server does beside the answer."""
    try:
        word = fault("client")
    except ConnectionError:
        word = "cancel"
    if word in words:
        loop.call_soon_threadsafe(words[word])


async def stream(given: Any, **options: Any) -> Stream:
    """Run and stream; the stream has ended, or the client has gone."""
    running = Stream(Runner.run_streamed(SHOP, given, **options))
    await running.deliver()
    return running
