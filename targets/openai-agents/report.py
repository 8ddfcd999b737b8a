"""What a new process can read of a run: the stored conversation, and how far the run came."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from desk import KEPT, describe
from order import MODEL, tools
from saved import answer_file, load, load_history, state_file
from sessions import Session, kind_of


async def inspect(session: Session | None) -> None:
    """Look at what is stored."""
    items = load_history() if session is None else await session.get_items()
    history = [{"kind": kind_of(item), "id": item.get("call_id")} for item in items]
    finished = answer_file().exists()
    schemas = {tool.name: getattr(tool, "params_json_schema", None) for tool in tools()}
    found: dict[str, Any] = {
        "history": history,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in history], "closed": finished},
        "world": {"model": MODEL, "tools": schemas},
    }
    if state_file().exists():
        await _look_into_state(found)
    report(found)


async def _look_into_state(found: dict[str, Any]) -> None:
    """The kept state counts as one save, if the SDK can read it."""
    try:
        state = await load()
    except Exception as error:  # noqa: BLE001 - whatever makes it unreadable is the finding
        found["checkpoints"] = 0
        found["unreadable"] = f"{type(error).__name__}: {error}"
        return
    found["checkpoints"] = 1
    if KEPT:
        # A state has no public way to its context, but through a run.
        wrapper = state._context  # noqa: SLF001
        found["classes"] = describe(wrapper.context if wrapper else None)


def report(found: dict[str, Any]) -> None:
    """Write down what was found."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
