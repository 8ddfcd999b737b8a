"""What a new process can read of the session: what was said, and how far its last run came."""

from __future__ import annotations

import json
import os
from inspect import signature
from pathlib import Path
from typing import Any

from agno.db.sqlite import SqliteDb
from kept import described, found_in
from settings import KEEPS_CLASSES, MODEL, SESSION
from tools import charges


async def inspect(shop: Any) -> None:
    """Look at what is stored: all runs of the session, whatever became of them."""
    session = await shop.aget_session(session_id=SESSION)
    runs = [] if session is None else session.runs or []
    messages = session.get_messages(skip_statuses=[]) if runs else []
    history = [entry for message in messages for entry in entries(message)]
    finished = bool(runs) and str(getattr(runs[-1].status, "value", "")) == "COMPLETED"
    found: dict[str, Any] = {
        "history": history,
        "finished": finished,
        "output": {"kinds": [entry["kind"] for entry in history], "finished": finished},
        "world": {"model": MODEL, "tools": [[*signature(one).parameters] for one in charges()]},
        "checkpoints": rows(session),
    }
    if KEEPS_CLASSES:
        found["classes"] = described(found_in(session))
    report(found)


def entries(message: Any) -> list[dict[str, Any]]:
    """What one stored message stands for."""
    if message.role == "tool":
        return [{"kind": "answer", "id": message.tool_call_id}]
    if message.role != "assistant":
        return [{"kind": message.role}]
    said = [{"kind": "message"}] if message.content else []
    return [*said, *({"kind": "call", "id": call["id"]} for call in message.tool_calls or [])]


def rows(session: Any) -> int:
    """How many rows are stored: the session's, and since 3.0 one for each run."""
    if session is None:
        return 0
    return 1 + (len(session.runs or []) if hasattr(SqliteDb, "upsert_run") else 0)


def report(found: dict[str, Any]) -> None:
    """Write down what was found."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
