"""What is stored of the order, read from outside as any other program would read it.

https://docs.dbos.dev/python/reference/client
"""

from __future__ import annotations

import inspect
from typing import Any

from dbos import DBOSClient
from settings import AGAIN, MODEL, NEXT_TURN, ORDER, WORLD, database
from tools import TOOLS

KINDS = {"user": "user", "assistant": "message", "tool": "answer"}


def read_history() -> dict[str, Any]:
    """The conversation that is kept, and whether the order was closed."""
    client = DBOSClient(system_database_url=database())
    try:
        found = {one.workflow_id: one for one in client.list_workflows()}
        newest = next((found[name] for name in (NEXT_TURN, AGAIN, ORDER) if name in found), None)
        messages: list[dict[str, Any]] = []
        if newest is not None:
            messages = newest.output or _so_far(client, newest)
        finished = any(found[name].status == "SUCCESS" for name in (ORDER, AGAIN) if name in found)
    finally:
        client.destroy()
    entries: list[dict[str, str]] = []
    for one in messages:
        entries.append({"kind": KINDS[one["role"]], **({"id": one["id"]} if "id" in one else {})})
        entries += [{"kind": "call", "id": call["id"]} for call in one.get("calls", ())]
    tools = {name: sorted(inspect.signature(tool).parameters) for name, tool in TOOLS.items()}
    return {
        "history": entries,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in entries], "finished": finished},
        "world": {"world": WORLD, "model": MODEL, "tools": tools},
    }


def _so_far(client: DBOSClient, workflow: Any) -> list[dict[str, Any]]:
    """The conversation of a workflow that has not come to its end: what its steps have given."""
    asked = {"role": "user", "content": workflow.input["args"][1]}
    steps = client.list_workflow_steps(workflow.workflow_id)
    given = [step["output"] for step in steps]
    return [asked, *(one for one in given if isinstance(one, dict) and "role" in one)]
