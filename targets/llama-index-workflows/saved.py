"""How a run is saved while it goes on, and found again by another process.

* snapshots at the end of each step:
  https://developers.llamaindex.ai/python/llamaagents/workflows/durable_workflows/
* what the values are written with:
  https://developers.llamaindex.ai/python/workflows-api-reference/context/
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from events import Approval
from plugpull import store_write
from settings import SAVED_AS, WORKDIR
from workflows import Context, Workflow
from workflows.context import JsonSerializer, PickleSerializer
from workflows.handler import WorkflowHandler

#: One file a snapshot; the newest one is the last by its name.
SNAPSHOTS = WORKDIR / "snapshots"
#: The run at its last pause, with what it asks.
PAUSE = WORKDIR / "pause.json"

SERIALIZER = PickleSerializer() if SAVED_AS == "pickle" else JsonSerializer()


def save(handler: WorkflowHandler, after: str) -> None:
    """Keep the run as it is now, when a step has ended."""
    with store_write(f"save:{after}"):
        SNAPSHOTS.mkdir(exist_ok=True)
        name = f"{len(list(SNAPSHOTS.glob('*.json'))):04}.json"
        write(SNAPSHOTS / name, handler.ctx.to_dict(serializer=SERIALIZER))


def restore(workflow: Workflow) -> Context | None:
    """The run as it was saved last; ``None`` where none was."""
    paths = sorted(SNAPSHOTS.glob("*.json"))
    return load(workflow, json.loads(paths[-1].read_text(encoding="utf-8"))) if paths else None


def restore_all(workflow: Workflow) -> list[Context]:
    """The run as it was each time that it was saved."""
    paths = sorted(SNAPSHOTS.glob("*.json"))
    return [load(workflow, json.loads(path.read_text(encoding="utf-8"))) for path in paths]


def pause(handler: WorkflowHandler, asked: list[Approval]) -> bool:
    """Keep the run as it waits, with the ids of the calls that it asks about.

    Returns:
        Whether it has asked anything.
    """
    ids = _paused()["asked"] if PAUSE.exists() else {}
    ids |= {one.name: one.id for one in asked}
    if ids:
        write(PAUSE, {"asked": ids, "run": handler.ctx.to_dict(serializer=SERIALIZER)})
    return bool(ids)


def restore_pause(workflow: Workflow) -> tuple[Context, dict[str, str]]:
    """The run as it waits, and the ids of the calls by the names of their tools."""
    found = _paused()
    return load(workflow, found["run"]), found["asked"]


def load(workflow: Workflow, data: dict[str, Any]) -> Context:
    """A run out of a snapshot."""
    return Context.from_dict(workflow, data, serializer=SERIALIZER)


def write(path: Path, data: Any) -> None:
    """Replace a file as a whole."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(data), encoding="utf-8")
    fresh.replace(path)


def _paused() -> dict[str, Any]:
    return dict(json.loads(PAUSE.read_text(encoding="utf-8")))
