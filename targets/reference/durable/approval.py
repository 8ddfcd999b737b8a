"""Asking a person: what was decided is a step, and stands before the step that it is about.

::

    answer ──▶ ask ──▶ call ──▶ answer

The step ``ask`` is done when somebody has decided, and its output is the decision. Until then it
ends the run: no process has to wait. Stored like any other output, a decision is neither lost in
the crash that comes after it, nor asked for again, nor changed by a second one that comes late.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from durable.errors import WAITING_EXIT, Unfinished
from durable.tools import OtherTool

__all__ = ["ASK", "Decide", "asking", "rejected"]

Json = dict[str, Any]

Decide = Callable[[str, Json], "bool | None"]
"""Whether a tool may be called with an input; ``None`` as long as nobody has decided."""

ASK = "ask"


def asking(decide: Decide) -> Mapping[str, OtherTool]:
    """The tool that asks, under its name."""

    def ask(given: Json, outputs: Mapping[int, Json], key: str) -> Json:
        del outputs, key
        approved = decide(given["tool"], given["input"])
        if approved is None:
            raise Unfinished(WAITING_EXIT)
        return {"asked": given["call"], "approved": approved}

    return {ASK: OtherTool(frozenset({"call", "input", "tool"}), ask)}


def rejected(outputs: Mapping[int, Json], call: str) -> bool:
    """Whether somebody has said no to a call. Where nobody was asked, nobody has."""
    return any(
        output.get("asked") == call and not output["approved"] for output in outputs.values()
    )
