"""What is stored of a run, read from its newest checkpoint as its documentation describes it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from agent_framework import AgentSession, InMemoryHistoryProvider, Message, WorkflowCheckpoint
from keepsakes import describe, keepsakes
from payments import tools
from settings import MODEL

Entry = dict[str, "str | None"]


def report(checkpoints: list[WorkflowCheckpoint], newest: WorkflowCheckpoint | None) -> None:
    """Write down what a new process can see of the run."""
    state = newest.state if newest else {}
    messages = conversation(state)
    history = [entry for message in messages for entry in entries(message)]
    closed = bool(state.get("closed"))
    found = {
        "history": history,
        "finished": closed,
        "output": {"kinds": [entry["kind"] for entry in history], "closed": closed},
        "checkpoints": len(checkpoints),
        "classes": describe(state.get("keepsakes") or {}),
        "world": {"model": MODEL, "tools": {one.name: one.parameters() for one in tools()}},
    }
    write(found)


def report_kept() -> None:
    """Write down which values of its own classes the shop keeps in the state of the run."""
    write({"classes": describe(keepsakes())})


def write(found: dict[str, Any]) -> None:
    """Hand a report in."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")


def conversation(state: dict[str, Any]) -> list[Message]:
    """The conversation in the shared state, or in the session of the agent that is a node."""
    if "conversation" in state:
        stored = state["conversation"]
        return [one if isinstance(one, Message) else Message.from_dict(one) for one in stored]
    clerk = state.get("_executor_state", {}).get("clerk", {})
    if "agent_session" not in clerk:
        return []
    session = AgentSession.from_dict(clerk["agent_session"])
    found: list[Message] = session.state.get(InMemoryHistoryProvider.DEFAULT_SOURCE_ID, {}).get(
        "messages", []
    )
    return found


def entries(message: Message) -> list[Entry]:
    """What one message is: the user's words, calls, their answers, or the model's words."""
    kinds = {"function_call": "call", "function_result": "answer"}
    words = "user" if message.role == "user" else "message"
    return [
        {"kind": kinds.get(one.type, words), "id": one.call_id if one.type in kinds else None}
        for one in message.contents
        if one.type in kinds or one.type == "text"
    ]
