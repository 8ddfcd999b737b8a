"""What is stored of a run, as a new process reads it through LangGraph."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from kept import described
from langchain_core.messages import AIMessage, AnyMessage
from model import MODEL
from saver import kind
from settings import CONFIG, KEEPS_CLASSES
from tools import tools


def entries(message: AnyMessage) -> list[dict[str, str | None]]:
    """What one stored message is: a message of the model may hold several calls."""
    if isinstance(message, AIMessage) and message.tool_calls:
        return [{"kind": "call", "id": call["id"]} for call in message.tool_calls]
    return [{"kind": kind(message), "id": getattr(message, "tool_call_id", None)}]


def report_stored(app: Any) -> None:
    """Write down what the newest checkpoint holds, and how many there are."""
    values = app.get_state(CONFIG).values or {}
    history = [entry for message in values.get("messages", []) for entry in entries(message)]
    finished = bool(values.get("closed"))
    found = {
        "history": history,
        "finished": finished,
        "output": {"kinds": [entry["kind"] for entry in history], "closed": finished},
        "world": {"model": MODEL, "tools": {one.name: list(one.args) for one in tools()}},
        "checkpoints": len(list(app.get_state_history(CONFIG))),
    }
    if KEEPS_CLASSES:
        found["classes"] = described(values)
    report(found)


def report(found: dict[str, Any]) -> None:
    """Write a report."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
