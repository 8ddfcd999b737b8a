"""What a new process can read of a run: the stored conversation, and how far the run came."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from history import Book, ended, entries
from kept import described, found_in
from settings import KEEPS_CLASSES, MODEL
from tools import charging


async def inspect(book: Book) -> None:
    """Look at what is stored."""
    history = await book.messages()
    parts = [entry for message in history for entry in entries(message)]
    schemas = {tool.name: tool.function_schema.json_schema for tool in charging()}
    found: dict[str, Any] = {
        "history": parts,
        "finished": ended(history),
        "output": {"kinds": [entry["kind"] for entry in parts], "closed": ended(history)},
        "world": {"model": MODEL, "tools": schemas},
        # Each save replaces the one before it.
        "checkpoints": min(len(history), 1),
    }
    if KEEPS_CLASSES:
        found["classes"] = described(found_in(history))
    report(found)


def report(found: dict[str, Any]) -> None:
    """Write down what was found."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
