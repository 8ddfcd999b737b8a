"""How a run is driven, and what is kept of it on the way.

* node by node: https://pydantic.dev/docs/ai/core-concepts/agent/#iterating-over-an-agents-graph
* what is left of a run that failed: https://pydantic.dev/docs/ai/core-concepts/agent/#model-errors
* what is left of a run that was cancelled, from 2.26 on:
  https://pydantic.dev/docs/ai/core-concepts/agent/#cancelling-a-run
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

from history import Given
from model import answered_call
from pydantic_ai import Agent, capture_run_messages
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.messages import ModelMessage
from settings import HISTORY, SIGTERM
from shop import SHOP

try:
    from pydantic_ai import CancellationToken, RunCancelled
except ImportError:

    class RunCancelled(Exception):  # type: ignore[no-redef]
        """Never raised: this release cannot be asked to cancel a run."""

        @classmethod
        def from_cancellation(cls, _error: BaseException) -> None:
            """Nothing is attached to an exception."""

        def all_messages(self) -> list[ModelMessage]:
            """No messages."""
            return []

    CancellationToken = None  # type: ignore[assignment, misc]

Keep = Callable[[Sequence[ModelMessage]], Awaitable[None]]
Result = AgentRunResult[Any]

PER_NODE = HISTORY.endswith("per-node")


async def run(prompt: str | None, given: Given, keep: Keep) -> Result | None:
    """Run to the end or to the next pause; ``None`` if the run was told to stop before."""
    if SIGTERM == "cancel":
        async with kept_when_stopped(keep):
            return await SHOP.run(prompt, cancellation_token=cancelled_by_sigterm(), **given)
        return None
    if HISTORY == "captured":
        async with kept_when_stopped(keep):
            return await SHOP.run(prompt, **given)
    if not PER_NODE:
        return await SHOP.run(prompt, **given)
    async with SHOP.iter(prompt, **given) as running:
        async for node in running:
            await keep_node(running, node, keep)
    return running.result


async def keep_node(running: Any, node: Any, keep: Keep) -> None:
    """Save before tools are called, and when they have answered."""
    history = list(running.ctx.state.message_history)
    if Agent.is_call_tools_node(node) and node.model_response.tool_calls:
        await keep(history)
    elif Agent.is_model_request_node(node) and any(map(answered_call, node.request.parts)):
        await keep([*history, node.request])


@asynccontextmanager
async def kept_when_stopped(keep: Keep) -> AsyncIterator[list[ModelMessage]]:
    """Keep the messages of a run that is cancelled or fails; gives the messages so far.

    A run that the application itself has cancelled is no error; any other stop goes on rising.
    """
    with capture_run_messages() as messages:
        try:
            yield messages
        except RunCancelled as stopped:
            await keep(stopped.all_messages())
        except asyncio.CancelledError as error:
            cancelled = RunCancelled.from_cancellation(error)
            await keep(messages if cancelled is None else cancelled.all_messages())
            raise
        except Exception:
            await keep(messages)
            raise


def cancelled_by_sigterm() -> CancellationToken:
    """A token that SIGTERM cancels, and with it the run that it was given to."""
    token = CancellationToken()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, token.cancel)
    return token
