"""The person who decides about the calls that wait, and what the application keeps for them.

* the requirements of a paused run: https://docs.agno.com/hitl/overview
* going on with its id, or with the run as it was returned: https://docs.agno.com/hitl/overview
"""

from __future__ import annotations

import json
import os
from typing import Any

from agno.run.agent import RunOutput
from agno.run.requirement import RunRequirement
from settings import APPROVAL, CONTINUE, RUN, SESSION, workdir
from tools import effect


def keep(paused: Any) -> None:
    """Keep a run that asks a person, as a web page does that shows them the question."""
    kept = workdir() / "paused.json"
    kept.with_suffix(".new").write_text(paused.to_json(), encoding="utf-8")
    kept.with_suffix(".new").replace(kept)


def decided() -> dict[str, Any]:
    """With what the paused run goes on: what the person has decided, in their order.

    Raises:
        LookupError: They decided about a call of which nobody has asked them.
        ValueError: They decided about a call twice.
    """
    paused = kept()
    decisions = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    for decision in decisions:
        asked = [one for one in paused.requirements or [] if asks_for(one) == decision["call"]]
        if not asked:
            message = f"nobody was asked about {decision['call']}"
            raise LookupError(message)
        if decision["decision"] == "approve":
            asked[-1].confirm()
        else:
            asked[-1].reject(note="A person has rejected this payment.")
    if CONTINUE == "run-output":
        return {"run_response": with_decided_tools(paused)}
    by_id: dict[str, Any] = {"run_id": RUN, "session_id": SESSION}
    return {**by_id, "requirements": paused.requirements} if decisions else by_id


def kept() -> Any:
    """The run as it was when it paused.

    Raises:
        SystemExit: It has not.
    """
    file = workdir() / "paused.json"
    if not file.is_file():
        message = "there is nothing to decide: the run has not paused"
        raise SystemExit(message)
    found = json.loads(file.read_text(encoding="utf-8"))
    if not APPROVAL.startswith("nested"):
        return RunOutput.from_dict(found)
    from agno.run.team import TeamRunOutput  # noqa: PLC0415 - where it is needed

    return TeamRunOutput.from_dict(found)


def asks_for(requirement: RunRequirement) -> str:
    """What a call that waits would do."""
    call = requirement.tool_execution
    return effect((call.tool_args or {}).get("payment", 0)) if call else ""


def with_decided_tools(paused: Any) -> Any:
    """The run with the calls as the person has decided: what is read back has copies of them."""
    calls = {
        one.tool_execution.tool_call_id: one.tool_execution for one in paused.requirements or []
    }
    paused.tools = [calls.get(call.tool_call_id, call) for call in paused.tools or []]
    return paused
