"""The agent's tools. One charges a card, and may have to ask a human before it does.

The question stands in the tool itself, as in
https://docs.langchain.com/oss/python/langgraph/interrupts#interrupts-in-tools
"""

from __future__ import annotations

from typing import Annotated

from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.func import task
from langgraph.types import interrupt
from plugpull import record_effect
from settings import AFTER_STEP, API, APPROVAL, KEY, ORDER, WORLD, workdir


@tool
def charge_card(
    amount: int, memo: str, payment: int, tool_call_id: Annotated[str, InjectedToolCallId]
) -> str:
    """Charge the customer's card."""
    if asks_in_tools() and not approved(payment):
        return REJECTED
    charge(payment, tool_call_id)
    return f"charged ${amount} ({memo})"


@tool("charge_card")
def charge_in_cents(
    cents: int, memo: str, payment: int, tool_call_id: Annotated[str, InjectedToolCallId]
) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    charge(payment, tool_call_id)
    return f"charged {cents} cents ({memo})"


@tool
def notify_shop(
    amount: int, memo: str, payment: int, tool_call_id: Annotated[str, InjectedToolCallId]
) -> str:
    """Tell the shop that an order has come in; nobody has to be asked."""
    del payment
    record_effect("notify_shop", key=tool_call_id if KEY == "tool-call-id" else None)
    return f"the shop knows of ${amount} ({memo})"


REJECTED = "A human has rejected this payment."


def tools() -> list[BaseTool]:
    """The agent's tools, in the world as it is now."""
    if WORLD == "tool-removed":
        return []
    return [charge_in_cents if WORLD == "tool-schema-changed" else charge_card, notify_shop]


def asks_in_tools() -> bool:
    """Whether the tool asks; in the functional API the workflow itself does, before it calls it."""
    return bool(APPROVAL) and API == "graph"


def approved(payment: int) -> bool:
    """Ask a human, which pauses the run; whatever stands before it in a node runs again."""
    if AFTER_STEP:
        reserve_stock().result()
    question = {"call": effect(payment), "question": "Charge the card?"}
    return bool(interrupt(question) == "approve")


@task()
def reserve_stock() -> str:
    """A step of its own, whose result is saved; it has no key."""
    record_effect("reserve_stock")
    return "reserved"


def charge(payment: int, tool_call_id: str) -> None:
    """Call the payment service."""
    if KEY == "ledger-first":
        ledger = workdir() / "ledger.txt"
        if ledger.exists():
            return
        ledger.write_text(ORDER, encoding="utf-8")
    record_effect(effect(payment), key=tool_call_id if KEY == "tool-call-id" else None)


def effect(payment: int) -> str:
    """What a payment is called at the service: where there are several, each has its own name."""
    return f"charge_card_{payment}" if payment else "charge_card"
