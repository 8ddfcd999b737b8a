"""A run that waits for a human: what the shop keeps of it, and how a decision is handed in.

https://strandsagents.com/docs/user-guide/sdk/interrupts/#session-management
"""

from __future__ import annotations

import json
import os
from typing import Any

from settings import workdir
from tools import YES


def keep_pause(interrupts: Any) -> None:
    """Write down what the run has asked, as an application would in its own tables."""
    asked = {one.reason["call"]: one.id for one in interrupts}
    file = workdir() / "pause.json"
    draft = file.with_suffix(".new")
    draft.write_text(json.dumps(asked), encoding="utf-8")
    draft.replace(file)


def rounds() -> list[list[dict[str, Any]]]:
    """The responses in their order, all in one call; a second decision comes in a call after it.

    Raises:
        SystemExit: Something was decided that the run has not asked about.
    """
    asked = json.loads((workdir() / "pause.json").read_text(encoding="utf-8"))
    found: list[list[dict[str, Any]]] = [[]]
    told: set[str] = set()
    for decision in json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]")):
        call = decision["call"]
        if call not in asked:
            message = f"the run has not asked about {call}"
            raise SystemExit(message)
        if call in told:
            found.append([])
            told = set()
        told.add(call)
        answer = YES if decision["decision"] == "approve" else "n"
        response = {"interruptId": asked[call], "response": answer}
        found[-1].append({"interruptResponse": response})
    return found
