"""The model that the steps ask: it stands in for a real one. A workflow brings none of its own."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator
from typing import Any

from plugpull import fault
from settings import AMOUNT, MODEL, wishes

Message = dict[str, Any]


class ModelError(Exception):
    """The model's service did not answer."""


async def ask(messages: list[Message]) -> AsyncIterator[str | Message]:
    """The model's next turn: pieces of its text, and then the whole message.

    Like a real model it says nothing twice in the same words: calls get new ids.

    Raises:
        ModelError: It could not be reached.
        ValueError: The conversation is none: a call has no answer, or an answer no call.
    """
    check(messages)
    answered = messages[-1]["role"] == "tool"
    try:
        await asyncio.to_thread(fault, f"model:{'after-tool' if answered else 'first'}")
    except ConnectionError as error:
        message = "503: the model is overloaded"
        raise ModelError(message) from error
    first = sum(one["role"] == "user" for one in messages) == 1
    calls = []
    if first and not answered:
        said = ["I will ", "charge your ", "card. "]
        calls = [make_call(name) for name in wishes()]
    elif first:
        said = ["Your card ", "was charged. ", f"Thank you! ({uuid.uuid4().hex})"]
    else:
        said = ["It arrives ", "on Tuesday. ", f"Goodbye! ({uuid.uuid4().hex})"]
    for piece in said:
        yield piece
    yield {"role": "assistant", "content": "".join(said), "calls": calls, "model": MODEL}


def make_call(name: str) -> dict[str, Any]:
    """A wish to have a tool run: with an id, and the words in which it is asked for."""
    return {
        "id": f"call_{uuid.uuid4().hex}",
        "name": name,
        AMOUNT[0]: AMOUNT[1],
        "memo": f"for order 42, asked as {uuid.uuid4().hex[:8]}",
    }


def check(messages: list[Message]) -> None:
    """Refuse a conversation that a real provider would refuse."""
    open_calls: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["id"] not in open_calls:
                break
            open_calls.remove(message["id"])
            continue
        if open_calls:
            break
        open_calls = {call["id"] for call in message.get("calls", [])}
    else:
        if not open_calls:
            return
    text = "400: an assistant message with tool calls must be followed by tool messages"
    raise ValueError(text)
