"""What a new process can read of a run: the stored conversation, and how far the run came."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from google.adk.sessions import BaseSessionService
from history import ended, entries
from kept import described
from sessions import stored
from settings import KEEPS_CLASSES, MODEL
from tools import charging


async def inspect(sessions: BaseSessionService) -> None:
    """Look at what is stored."""
    session = await stored(sessions)
    events = session.events if session else []
    history = entries(events)
    schemas = {
        tool.name: declared.model_dump(mode="json", exclude_none=True)
        for tool in charging()
        if (declared := tool._get_declaration())  # noqa: SLF001 - what a model is told of a tool
    }
    found: dict[str, Any] = {
        "history": history,
        "finished": ended(events),
        "output": {"kinds": [entry["kind"] for entry in history], "closed": ended(events)},
        "world": {"model": MODEL, "tools": schemas},
        "checkpoints": len(events),
    }
    if KEEPS_CLASSES:
        found["classes"] = described(session.state.get("kept") if session else None)
    report(found)


def report(found: dict[str, Any]) -> None:
    """Write down what was found."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
