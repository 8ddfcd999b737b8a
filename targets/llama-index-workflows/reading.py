"""What a process of its own reads of a saved run, through the framework."""

from __future__ import annotations

from typing import Any

import saved
from events import Call
from keepsakes import describe, keepsakes
from settings import MODEL
from workflows import Workflow


async def read(workflow: Workflow) -> dict[str, Any]:
    """The conversation in the newest snapshot, and what else the harness asks about."""
    found = saved.snapshots()
    if not found:
        return {"history": [], "finished": False, "output": [], "checkpoints": 0}
    runs = [saved.restore(workflow, data) for data in found]
    messages = await saved.state(found[-1], "messages", [])
    history = [entry for message in messages for entry in entries(message)]
    finished = await saved.state(found[-1], "closed", default=False)
    kept = {name: await saved.state(found[-1], f"kept_{name}", None) for name in keepsakes()}
    return {
        "history": history,
        "finished": finished,
        "output": [[entry["kind"] for entry in history], finished],
        "checkpoints": len(runs),
        "classes": describe(kept),
        "world": {"model": MODEL, "steps": steps(workflow), "call": sorted(Call.model_fields)},
    }


def steps(workflow: Workflow) -> list[str]:
    """The names of a workflow's steps."""
    names = [name for name in dir(type(workflow)) if not name.startswith("_")]
    return [name for name in names if hasattr(getattr(workflow, name), "_step_config")]


def entries(message: dict[str, Any]) -> list[dict[str, str | None]]:
    """What one stored message is: the user's words, the model's, its calls, or an answer."""
    if message["role"] == "user":
        return [{"kind": "user", "id": None}]
    if message["role"] == "tool":
        return [{"kind": "answer", "id": message["id"]}]
    calls = [{"kind": "call", "id": call["id"]} for call in message["calls"]]
    return [{"kind": "message", "id": None}, *calls]
