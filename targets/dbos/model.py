"""The fake model: what it says depends on the conversation, its ids and wording are new each time.

It refuses a conversation in which a call has no answer, as real providers do.
"""

from __future__ import annotations

import random
import uuid
from typing import Any

from plugpull import fault
from settings import WORLD

Message = dict[str, Any]


def answer(messages: list[Message], asks_for: list[str]) -> Message:
    """What the model says next.

    Args:
        messages: The conversation.
        asks_for: The tools that it asks for in its first turn.
    """
    _refuse_unpaired(messages)
    after_tool = messages[-1]["role"] == "tool"
    fault("model:after-tool" if after_tool else "model:first")
    if not any(one.get("calls") for one in messages):
        calls = [_call(name) for name in asks_for]
        return {"role": "assistant", "content": _words("One moment"), "calls": calls}
    return {"role": "assistant", "content": _words("That is all"), "calls": []}


def _call(name: str) -> Message:
    payment = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    return {
        "id": f"call_{uuid.uuid4().hex}",
        "name": name.rstrip("_0123456789"),
        "payment": {**payment, "memo": _words("order 42"), "effect": name},
    }


def _words(text: str) -> str:
    return f"{text} ({random.getrandbits(32):08x})"


def _refuse_unpaired(messages: list[Message]) -> None:
    open_calls: set[str] = set()
    for one in messages:
        if open_calls and one["role"] != "tool":
            break
        open_calls |= {call["id"] for call in one.get("calls", ())}
        if one["role"] == "tool":
            if one["id"] not in open_calls:
                raise ValueError("400: a tool message must follow the call that it answers")
            open_calls.remove(one["id"])
    if open_calls:
        raise ValueError(
            "400: an assistant message with tool calls must be followed by tool messages"
        )
