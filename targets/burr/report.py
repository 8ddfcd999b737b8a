"""What a new process can read of a run: the stored conversation, and how far the run came."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from burr.core.application import Application
from kept import described
from model import Message
from settings import CUSTOMER, KEEPS_CLASSES, MODEL, ORDER
from tools import offered


def inspect(app: Application[Any], persister: Any) -> None:
    """Look at what is stored."""
    found = look(app)
    seen = range((app.sequence_id if app.sequence_id is not None else -1) + 1)
    loaded = [persister.load(CUSTOMER, ORDER, number) for number in seen]
    found["checkpoints"] = sum(one is not None for one in loaded)
    if KEEPS_CLASSES:
        found["classes"] = described(app.state.get_all())
    report(found)


def look(app: Application[Any]) -> dict[str, Any]:
    """What the state of a loaded application holds."""
    messages: list[Message] = app.state["messages"]
    finished = bool(messages) and at_rest(app)
    parts = list(entries(messages))
    tools = {name: list(tool.__annotations__) for name, tool in offered().items()}
    return {
        "history": parts,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in parts], "closed": finished},
        "world": {"model": MODEL, "tools": tools},
    }


def at_rest(app: Application[Any]) -> bool:
    """Whether the next thing to do is to listen."""
    following = app.get_next_action()
    return following is not None and following.name == "listen"


def entries(messages: Sequence[Message]) -> Iterator[dict[str, str | None]]:
    """The user's words, the model's words, its calls, and their answers."""
    for message in messages:
        if message["role"] == "tool":
            yield {"kind": "answer", "id": message["answers"]}
            continue
        yield {"kind": "user" if message["role"] == "user" else "message", "id": None}
        for call in message.get("calls", []):
            yield {"kind": "call", "id": call["id"]}


def report(found: dict[str, Any]) -> None:
    """Write down what was found."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
