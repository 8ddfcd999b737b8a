"""What a new process can read of a run: the state that is stored."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from kept import described
from model import calls_of
from order import TOOLS, Order, OrderFlow
from settings import AMOUNT, KEEPS_CLASSES, MODEL, SAVED
from stores import checkpoints, newest_checkpoint, newest_id, persistence


def stored() -> tuple[Order, int]:
    """What a new process can load, and from how many checkpoints."""
    if SAVED != "checkpoint-by-hand":
        found = persistence().load_state(newest_id())
        return Order.model_validate(found or {}), int(found is not None)
    newest = newest_checkpoint()
    if newest is None:
        return Order(), 0
    restored = OrderFlow.from_checkpoint(newest)
    return Order.model_validate(restored.state.model_dump()), len(checkpoints())


def inspect() -> None:
    """Look at what is stored."""
    order, seen = stored()
    history = [entry for message in order.messages for entry in entries(message)]
    finished = bool(history) and history[-1]["kind"] == "message"
    found: dict[str, Any] = {
        "history": history,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in history], "closed": finished},
        "checkpoints": seen,
        "world": {"model": MODEL, "tools": sorted(TOOLS), "arguments": AMOUNT[0]},
    }
    if KEEPS_CLASSES:
        found["classes"] = described(order.kept)
    report(found)


def entries(message: dict[str, Any]) -> list[dict[str, Any]]:
    """What one stored message is."""
    if message["role"] == "tool":
        return [{"kind": "answer", "id": message["call"]}]
    if calls := calls_of(message):
        return [{"kind": "call", "id": call["id"]} for call in calls]
    return [{"kind": "user" if message["role"] == "user" else "message", "id": None}]


def report(found: dict[str, Any]) -> None:
    """Write down what was found."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
