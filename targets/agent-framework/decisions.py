"""A run that waits for a human: what the shop keeps of it, and how a decision is handed in.

https://learn.microsoft.com/en-us/agent-framework/workflows/human-in-the-loop
"""

from __future__ import annotations

import json
import os
from typing import Any

from agent_framework import Content, WorkflowCheckpoint, WorkflowEvent
from model import effect_of
from settings import workdir
from storage import OrderStorage

Decision = dict[str, str]


async def keep_pause(storage: OrderStorage, name: str) -> None:
    """Write down which checkpoint waits for a human, as an application would in its own tables."""
    newest = await storage.get_latest(workflow_name=name)
    if newest is not None and newest.pending_request_info_events:
        file = workdir() / "pause.txt"
        draft = file.with_suffix(".new")
        draft.write_text(newest.checkpoint_id, encoding="utf-8")
        draft.replace(file)


async def kept_pause(storage: OrderStorage) -> WorkflowCheckpoint:
    """The checkpoint that waits for a human."""
    return await storage.load((workdir() / "pause.txt").read_text(encoding="utf-8"))


def decided() -> list[Decision]:
    """What was decided, in the order in which it is to be handed in."""
    decisions: list[Decision] = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    return decisions


def rounds(pause: WorkflowCheckpoint) -> list[dict[str, Any]]:
    """The responses by request, all in one; a second decision about a call comes after them.

    Raises:
        SystemExit: Something was decided that the run has not asked about.
    """
    asked = {call_of(event): event for event in pause.pending_request_info_events.values()}
    found: list[dict[str, Any]] = [{}]
    for decision in decided():
        event = asked.get(decision["call"])
        if event is None:
            message = f"the run has not asked about {decision['call']}"
            raise SystemExit(message)
        if event.request_id in found[-1]:
            found.append({})
        found[-1][str(event.request_id)] = response_to(event, decision["decision"] == "approve")
    return found


def call_of(event: WorkflowEvent[Any]) -> str:
    """The effect that waits for a human."""
    if isinstance(event.data, Content):
        assert event.data.function_call is not None, "an approval is of a call"
        return effect_of(event.data.function_call)
    return str(event.data["call"])


def response_to(event: WorkflowEvent[Any], allowed: bool) -> Any:
    """What the workflow wants to hear: an agent's request has a response of its own kind."""
    if isinstance(event.data, Content):
        return event.data.to_function_approval_response(approved=allowed)
    return allowed
