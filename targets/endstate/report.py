"""What a new process can read of a run: the stored conversation, and how far the run came."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

from endstate.types import Message
from settings import MODEL
from tools import tools


def report(messages: list[Message]) -> None:
    """Write down what the session holds, and the world as the agent sees it."""
    last = messages[-1] if messages else Message(role="system")
    found = {
        "history": [entry for message in messages for entry in entries(message)],
        "finished": last.role == "assistant" and not last.tool_calls,
        "output": last.content.rpartition(" (")[0],
        "world": {"model": MODEL, "tools": [tool.spec() for tool in tools()]},
        "checkpoints": len(messages),
    }
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")


def entries(message: Message) -> Iterator[dict[str, str | None]]:
    """What one stored message is: the user's words, calls, their answers, or the model's words."""
    for call in message.tool_calls:
        yield {"kind": "call", "id": call.id}
    for answer in message.tool_results:
        yield {"kind": "answer", "id": answer.call_id}
    if not message.tool_calls and not message.tool_results:
        kinds = {"user": "user", "assistant": "message"}
        yield {"kind": kinds.get(message.role, "system"), "id": None}
