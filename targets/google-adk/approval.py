"""The person who decides about the calls that wait.

* a confirmation is a function response to the call that asks for it, with the invocation's id:
  https://google.github.io/adk-docs/tools-custom/confirmation/#remote-response
* and the result of a long-running tool one to the tool's own call:
  https://google.github.io/adk-docs/tools-custom/function-tools/#long-run-tool
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from google.adk.events.event import Event
from google.genai import types
from history import CONFIRMATION, waiting_calls
from settings import LONG_RUNNING, workdir
from tools import effect

ASKING = "ask_for_approval" if LONG_RUNNING else CONFIRMATION


def ask(events: Sequence[Event]) -> bool:
    """Keep what a person is asked, call by call, as a mail to them would; whether they are."""
    asked = {
        asked_for(call.args or {}): {"call": call.id, "invocation": invocation}
        for call, invocation in waiting_calls(events, ASKING)
    }
    if asked:
        (workdir() / "questions.json").write_text(json.dumps(asked), encoding="utf-8")
    return bool(asked)


def asked_for(arguments: dict[str, Any]) -> str:
    """What a call that waits would do."""
    original = arguments.get("originalFunctionCall")
    return effect((original["args"] if original else arguments).get("payment", 0))


def decided() -> dict[str, Any]:
    """What the person has decided, call by call, in their order, as a run is given it.

    Raises:
        LookupError: They decided about a call of which nobody has asked them.
    """
    asked = json.loads((workdir() / "questions.json").read_text(encoding="utf-8"))
    given: dict[str, Any] = {"invocation_id": next(iter(asked.values()))["invocation"]}
    parts = []
    for decision in json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]")):
        if decision["call"] not in asked:
            message = f"nobody was asked about {decision['call']}"
            raise LookupError(message)
        response = answer(decision["decision"])
        identity = asked[decision["call"]]["call"]
        parts.append(
            types.Part(
                function_response=types.FunctionResponse(
                    id=identity, name=ASKING, response=response
                )
            )
        )
    if parts:
        given["new_message"] = types.Content(role="user", parts=parts)
    return given


def answer(decision: str) -> dict[str, Any]:
    """A decision as the framework, or the tool's own user, is told it."""
    if LONG_RUNNING:
        return {"status": "approved" if decision == "approve" else "rejected by a person"}
    return {"confirmed": decision == "approve"}
