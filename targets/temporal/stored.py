"""What the server keeps of a run: its events, read without any worker.

https://docs.temporal.io/encyclopedia/event-history/event-history-python
"""

from __future__ import annotations

import dataclasses
from typing import Any

from activities import Payment, PaymentInCents
from settings import MODEL, WORLD, setup
from temporalio.api.enums.v1 import EventType
from temporalio.client import Client

KINDS = {"user": "user", "assistant": "message", "tool": "answer"}


def world() -> dict[str, Any]:
    """The model and the tools as they are now."""
    takes = PaymentInCents if WORLD == "tool-schema-changed" else Payment
    schema = [field.name for field in dataclasses.fields(takes)]
    tools = {} if WORLD == "tool-removed" else {"charge_card": schema}
    return {"model": MODEL, "tools": tools}


async def read_history(client: Client, name: str) -> dict[str, Any]:
    """The conversation as the model was last told it, with what it said; and how the run ended."""
    history = await client.get_workflow_handle(name).fetch_history()
    finished = any(
        one.event_type == EventType.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED
        for one in history.events
    )
    if setup().approval.startswith("nested"):
        history = await client.get_workflow_handle(f"{name}-desk").fetch_history()
    messages: list[dict[str, Any]] = []
    asked = 0
    for event in history.events:
        scheduled = event.activity_task_scheduled_event_attributes
        if scheduled.activity_type.name == "ask_model":
            asked = event.event_id
            (question,) = await client.data_converter.decode(scheduled.input.payloads)
            messages = question["messages"]
        completed = event.activity_task_completed_event_attributes
        if asked and completed.scheduled_event_id == asked:
            messages += await client.data_converter.decode(completed.result.payloads)
    entries: list[dict[str, str]] = []
    for one in messages:
        entry = {"kind": KINDS[one["role"]], **({"id": one["id"]} if "id" in one else {})}
        entries.append(entry)
        entries += [{"kind": "call", "id": call["id"]} for call in one.get("calls", ())]
    return {
        "history": entries,
        "finished": finished,
        "output": {"kinds": [one["kind"] for one in entries], "finished": finished},
    }
