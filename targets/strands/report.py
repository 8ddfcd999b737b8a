"""What a new process can read of a run: the conversation that the framework has restored."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from sessions import kind_of
from settings import MODEL, workdir
from shop import build
from tools import tools

Entry = dict[str, "str | None"]


def inspect() -> None:
    """Look at what is stored."""
    messages = build().messages if any(workdir().iterdir()) else []
    history = [entry for message in messages for entry in entries(message)]
    closed = bool(messages) and kind_of(messages[-1]) == "message"
    found = {
        "history": history,
        "finished": closed,
        "output": {"kinds": [entry["kind"] for entry in history], "closed": closed},
        "world": {"model": MODEL, "tools": [one.tool_spec for one in tools()]},
    }
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")


def entries(message: Any) -> list[Entry]:
    """What one message is: the user's words, calls, their answers, or the model's words."""
    found: list[Entry] = []
    for block in message["content"]:
        if "toolUse" in block:
            found.append({"kind": "call", "id": block["toolUse"]["toolUseId"]})
        elif "toolResult" in block:
            found.append({"kind": "answer", "id": block["toolResult"]["toolUseId"]})
        elif "text" in block:
            words = "user" if message["role"] == "user" else "message"
            found.append({"kind": words, "id": None})
    return found
