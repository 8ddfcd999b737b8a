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

from plugpull import store_write
from settings import SAVED_AS, WORKDIR
from workflows import Context, Workflow
from workflows.context import JsonSerializer, PickleSerializer
from workflows.context.state_store import InMemoryStateStore
from workflows.handler import WorkflowHandler

#: One file a snapshot; the newest one is the last by its name.
SNAPSHOTS = WORKDIR / "snapshots"
#: The run at its last pause.
PAUSE = WORKDIR / "pause.json"

SERIALIZER = PickleSerializer() if SAVED_AS == "pickle" else JsonSerializer()


def save(handler: WorkflowHandler, after: str) -> None:
    """Keep the run as it is now, when a step has ended."""
    with store_write(f"save:{after}"):
        SNAPSHOTS.mkdir(exist_ok=True)
        name = f"{len(list(SNAPSHOTS.glob('*.json'))):04}.json"
        write(SNAPSHOTS / name, handler.ctx.to_dict(serializer=SERIALIZER))


def snapshots() -> list[dict[str, Any]]:
    """The run as it was each time that it was saved, the newest last."""
    return [read(path) for path in sorted(SNAPSHOTS.glob("*.json"))]


def pause(handler: WorkflowHandler) -> None:
    """Keep the run as it is now, while it waits for a human."""
    write(PAUSE, handler.ctx.to_dict(serializer=SERIALIZER))


def paused() -> dict[str, Any]:
    """The run as it was when it waited last."""
    return read(PAUSE)


def restore(workflow: Workflow, data: dict[str, Any]) -> Context:
    """A run that can go on, out of a snapshot."""
    return Context.from_dict(workflow, data, serializer=SERIALIZER)


async def state(data: dict[str, Any], name: str, default: Any) -> Any:
    """A value in the state of a saved run."""
    return await InMemoryStateStore.from_dict(data["state"], SERIALIZER).get(name, default=default)


def read(path: Path) -> dict[str, Any]:
    """What a file holds."""
    return dict(json.loads(path.read_text(encoding="utf-8")))


def write(path: Path, data: dict[str, Any]) -> None:
    """Replace a file as a whole."""
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(data), encoding="utf-8")
    fresh.replace(path)
