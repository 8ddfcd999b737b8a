"""A model call that failed is made again: two ways, as Agent Framework's sample shows them.

The client by itself makes no call twice. A middleware wraps each single call of the model; the
decorator wraps what the application calls, and so everything that the client does in it.
https://github.com/microsoft/agent-framework/blob/main/python/samples/02-agents/auto_retry.py
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from agent_framework import ChatContext, chat_middleware
from model import ShopModel
from payments import note_call_id
from settings import RETRY

ATTEMPTS = 3


async def again_and_again(call: Callable[[], Awaitable[Any]]) -> Any:
    """The outcome of a call that may fail a few times.

    Raises:
        ConnectionError: It failed each time.
    """
    for _ in range(ATTEMPTS - 1):
        try:
            return await call()
        except ConnectionError as problem:
            print(f"the model is asked again: {problem}")
    return await call()


@chat_middleware
async def retry_model_call(context: ChatContext, call_next: Callable[[], Awaitable[None]]) -> None:
    """Make each call of the model again that fails."""
    del context
    await again_and_again(call_next)


class RetryingModel(ShopModel):
    """The model with retries around all that ``get_response`` does, unless it is streamed."""

    def get_response(self, *arguments: Any, **options: Any) -> Any:
        """Ask the model, and its tools."""
        ask = super().get_response
        if options.get("stream"):
            return ask(*arguments, **options)
        return again_and_again(lambda: ask(*arguments, **options))


def client() -> ShopModel:
    """The client of an agent, with the retries that are asked for."""
    return RetryingModel() if RETRY == "decorator" else ShopModel()


def middleware() -> list[Any]:
    """The middleware of an agent that runs its tools by itself."""
    return [note_call_id, *([retry_model_call] if RETRY == "middleware" else [])]
