"""What is stored of the order, read from outside as any other program would read it.

https://docs.dbos.dev/python/reference/client
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from dbos import DBOSClient
from model import answers
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    ModelResponse,
    ToolCallPart,
    UserPromptPart,
)
from settings import AGAIN, MODEL, NESTED, NEXT_TURN, ORDER, WORLD, database
from tools import tools


def read_history() -> dict[str, Any]:
    """The conversation that is kept, and whether the order was closed."""
    client = DBOSClient(system_database_url=database())
    try:
        found = {one.workflow_id: one for one in client.list_workflows()}
        names = [name for name in (NEXT_TURN, AGAIN, ORDER, NESTED) if name in found]
        messages: Sequence[ModelMessage] = ()
        if names:
            output = found[names[0]].output
            messages = ModelMessagesTypeAdapter.validate_python(output or [])
            if output is None:
                messages = _so_far(client, found[names[-1]])
    finally:
        client.destroy()
    entries = [entry for message in messages for entry in _entries(message)]
    finished = any(found[name].status == "SUCCESS" for name in (ORDER, AGAIN) if name in found)
    offered = {one.name: sorted(inspect.signature(one.function).parameters) for one in tools()}
    return {
        "history": entries,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in entries], "finished": finished},
        "world": {"world": WORLD, "model": MODEL, "tools": offered},
    }


def _so_far(client: DBOSClient, workflow: Any) -> list[ModelMessage]:
    """What is kept of a workflow that has not come to its end: the request, the model's answers."""
    asked = ModelRequest(parts=[UserPromptPart(workflow.input["args"][0])])
    steps = client.list_workflow_steps(workflow.workflow_id)
    given = [step["output"] for step in steps]
    return [asked, *(one for one in given if isinstance(one, ModelResponse))]


def _entries(message: ModelMessage) -> list[dict[str, str]]:
    entries: list[dict[str, str]] = []
    if isinstance(message, ModelResponse):
        entries.append({"kind": "message"})
    for part in message.parts:
        if isinstance(part, UserPromptPart):
            entries.append({"kind": "user"})
        elif isinstance(part, ToolCallPart):
            entries.append({"kind": "call", "id": part.tool_call_id})
        elif (answered := answers(part)) is not None:
            entries.append({"kind": "answer", "id": answered})
    return entries
