"""The agent as a workflow: it asks the model, runs what that asks for, and asks again.

* workflows and their steps: https://docs.dbos.dev/python/tutorials/workflow-tutorial
* a human who decides: https://docs.dbos.dev/ai/hitl
* what a workflow tells others, and hears from them:
  https://docs.dbos.dev/python/tutorials/workflow-communication
"""

from __future__ import annotations

from typing import Any

from dbos import DBOS, SetWorkflowID
from settings import KEY, NESTED, ORDER
from tools import ask_model, close_order, make_key, report_effect, use_tool

REJECTED = "A human has rejected this payment."
A_WEEK = 7 * 24 * 60 * 60

Message = dict[str, Any]


def wishes(setup: dict[str, Any]) -> list[str]:
    """The tools that the model will ask for."""
    if setup["batch"]:
        return [f"charge_card_{number}" for number in range(1, setup["batch"] + 1)]
    shapes = {"two": ["charge_card_1", "charge_card_2"], "sibling": ["charge_card", "notify_shop"]}
    return shapes.get(setup["approval"], ["charge_card"])


def turn(setup: dict[str, Any], messages: list[Message]) -> list[Message]:
    """Ask and act, until the model asks for nothing more."""
    while True:
        said = ask_model(messages, wishes(setup))
        messages = [*messages, said]
        if not said["calls"]:
            return messages
        messages += act(setup, said["calls"])


def act(setup: dict[str, Any], calls: list[Message]) -> list[Message]:
    """Run the calls of one turn, those last that a human has to agree to."""
    gated = [one for one in calls if setup["approval"] and one["name"] == "charge_card"]
    found = {one["id"]: run_tool(one) for one in calls if one not in gated}
    if gated and setup["approval"].endswith("after-step"):
        report_effect("reserve_stock", None)
    waiting = {one["payment"]["effect"]: one["id"] for one in gated}
    if gated:
        DBOS.set_event("asked", waiting)
    for call in gated:
        DBOS.set_event("waiting", waiting)
        word = DBOS.recv(call["id"], timeout_seconds=A_WEEK)
        waiting = {name: one for name, one in waiting.items() if one != call["id"]}
        DBOS.set_event("waiting", {})
        found[call["id"]] = run_tool(call) if word == "approve" else rejected(call)
    return [found[one["id"]] for one in calls]


def run_tool(call: Message) -> Message:
    """Run one call, with a key from a step of its own where that is wanted."""
    return use_tool(call, make_key() if KEY == "step-output" else None)


def rejected(call: Message) -> Message:
    """What the model is told of a payment that nobody wanted."""
    return {"role": "tool", "id": call["id"], "content": REJECTED}


@DBOS.workflow()
def take_order(setup: dict[str, Any], request: str) -> list[Message]:
    """Take the order to its end; gives the conversation."""
    messages: list[Message] = [{"role": "user", "content": request}]
    if setup["approval"].startswith("nested"):
        with SetWorkflowID(NESTED):
            messages = work(setup, messages)
    else:
        messages = turn(setup, messages)
    close_order()
    return messages


@DBOS.workflow()
def work(setup: dict[str, Any], messages: list[Message]) -> list[Message]:
    """The agent within: the whole loop; gives the conversation."""
    return turn(setup, messages)


@DBOS.workflow()
def say(setup: dict[str, Any], text: str) -> list[Message]:
    """Answer something new from the user, when the order itself has come to its end."""
    messages = DBOS.retrieve_workflow(ORDER).get_result()
    messages = turn(setup, [*messages, {"role": "user", "content": text}])
    report_effect("next_turn", f"{ORDER}-turn-2")
    return messages
