"""The person who decides about the calls that wait.

* https://pydantic.dev/docs/ai/tools-toolsets/deferred-tools/#human-in-the-loop-tool-approval
"""

from __future__ import annotations

import json
import os

from pydantic_ai import DeferredToolRequests, DeferredToolResults
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import ToolDenied
from settings import workdir
from tools import effect


def ask(requests: DeferredToolRequests) -> None:
    """Keep what the person is asked, call by call, as a mail to them would."""
    asked = {asked_for(call): call.tool_call_id for call in requests.approvals}
    (workdir() / "questions.json").write_text(json.dumps(asked), encoding="utf-8")


def asked_for(call: ToolCallPart) -> str:
    """What a call that waits would do."""
    return effect(call.args_as_dict().get("payment", 0))


def decided() -> DeferredToolResults | None:
    """What the person has decided, call by call, in their order; ``None`` if they said nothing.

    Raises:
        LookupError: They decided about a call of which nobody has asked them.
    """
    asked = json.loads((workdir() / "questions.json").read_text(encoding="utf-8"))
    results = DeferredToolResults()
    for decision in json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]")):
        if decision["call"] not in asked:
            message = f"nobody was asked about {decision['call']}"
            raise LookupError(message)
        yes = decision["decision"] == "approve"
        answer = True if yes else ToolDenied("A person has rejected this payment.")
        results.approvals[asked[decision["call"]]] = answer
    return results if results.approvals else None
