"""Everything that touches the world: the model and the tools, each a step.

What a step gives is kept; one that did not end is run again:
https://docs.dbos.dev/python/tutorials/step-tutorial
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, TypeVar

import model
from dbos import DBOS
from plugpull import record_effect
from settings import KEY, ORDER, RETRY, STEPS, WORLD

Function = TypeVar("Function", bound=Callable[..., Any])


def step(*, retries_allowed: bool = False) -> Callable[[Function], Function]:
    """A step of the workflow, or, in the variant without steps, a function like any other."""
    if not STEPS:
        return lambda function: function
    return DBOS.step(retries_allowed=retries_allowed, interval_seconds=0.05)


@step(retries_allowed=RETRY == "model")
def ask_model(messages: list[dict[str, Any]], wishes: list[str]) -> dict[str, Any]:
    """Let the model say what comes next."""
    return model.answer(messages, wishes)


@step()
def make_key() -> str:
    """A key for the payment service, which is kept like any other step's result."""
    return f"payment-{uuid.uuid4().hex}"


@step(retries_allowed=RETRY == "tool")
def use_tool(call: dict[str, Any], made: str | None) -> dict[str, Any]:
    """Run one call.

    Args:
        call: What the model asked for.
        made: The key that a step made for it, if one did.
    """
    tool = TOOLS.get(call["name"])
    if tool is None:
        raise LookupError(f"there is no tool {call['name']} any more")
    content = tool(**call["payment"], key=made or own_key())
    return {"role": "tool", "id": call["id"], "content": content}


def own_key() -> str | None:
    """What DBOS knows this run and this step by, which is the same when it is run again."""
    keys = {"step-id": f"{DBOS.workflow_id}:{DBOS.step_id}", "workflow-id": DBOS.workflow_id}
    return keys.get(KEY)


def charge_card(amount: int, memo: str, effect: str, key: str | None) -> str:
    """Charge the customer's card."""
    record_effect(effect, key=key)
    return f"charged ${amount} ({memo})"


def charge_in_cents(cents: int, memo: str, effect: str, key: str | None) -> str:
    """Charge the customer's card: what the tool has become in another world."""
    record_effect(effect, key=key)
    return f"charged {cents} cents ({memo})"


def notify_shop(amount: int, memo: str, effect: str, key: str | None) -> str:
    """Tell the shop that an order has come in; nobody has to be asked."""
    record_effect(effect, key=key)
    return f"the shop knows of ${amount} ({memo})"


@step()
def report_effect(effect: str, key: str | None) -> None:
    """A step that is no tool: the stock, the end of a later turn."""
    record_effect(effect, key=key)


@step()
def close_order() -> None:
    """End the run: tell the shop that the order is done. Safe to repeat, thanks to its key."""
    record_effect("finish_order", key=ORDER)


TOOLS: dict[str, Callable[..., str]] = {
    "charge_card": charge_in_cents if WORLD == "tool-schema-changed" else charge_card,
    "notify_shop": notify_shop,
}
if WORLD == "tool-removed":
    del TOOLS["charge_card"]
