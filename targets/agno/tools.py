"""The agent's tools. One charges a card, and may need a person's approval before it does.

* what a tool is told of its run: https://docs.agno.com/state/agent/overview
* tools that need approval: https://docs.agno.com/hitl/user-confirmation
* how a tool has the run stopped: https://docs.agno.com/reference/tools/stop-agent-run
"""

from __future__ import annotations

from typing import Any

from agno.exceptions import StopAgentRun
from agno.run import RunContext
from agno.tools import tool
from plugpull import record_effect
from settings import APPROVAL, KEY, RETRY, WORLD


def charge_card(run_context: RunContext, amount: int, memo: str, payment: int) -> str:
    """Charge the customer's card."""
    charge(run_context, payment)
    return f"charged ${amount} ({memo})"


def charge_in_cents(run_context: RunContext, cents: int, memo: str, payment: int) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    charge(run_context, payment)
    return f"charged {cents} cents ({memo})"


def notify_shop(about: str) -> str:
    """Tell the shop about the order."""
    record_effect("notify_shop")
    return f"notified ({about})"


def reserve_stock(about: str) -> str:
    """Put the goods aside."""
    record_effect("reserve_stock")
    return f"reserved ({about})"


def look_up_order(about: str) -> str:
    """Look up the order."""
    return f"found ({about})"


def charge(run_context: RunContext, payment: int) -> None:
    """Call the payment service.

    Raises:
        StopAgentRun: It did not answer, and nobody is to try again (``PLUGPULL_RETRY=stop``).
    """
    try:
        record_effect(effect(payment), key=run_context.run_id if KEY == "run-id" else None)
    except ConnectionError as error:
        if RETRY == "stop":
            message = "The payment service does not answer."
            raise StopAgentRun(message) from error
        raise


def effect(payment: int) -> str:
    """What a payment is called at the service: where there are several, each has its own name."""
    return f"charge_card_{payment}" if payment else "charge_card"


def charging() -> list[Any]:
    """The tool that charges a card, in the world as it is now."""
    confirmed = tool(name="charge_card", requires_confirmation=bool(APPROVAL))
    return [confirmed(function) for function in charges()]


def charges() -> list[Any]:
    """The functions behind it."""
    if WORLD == "tool-removed":
        return []
    return [charge_in_cents if WORLD == "tool-schema-changed" else charge_card]


def others() -> list[Any]:
    """What else the agent can do, where it is asked for."""
    if APPROVAL == "sibling":
        return [notify_shop]
    if "after-step" in APPROVAL:
        return [reserve_stock]
    return [] if APPROVAL or WORLD == "tool-removed" else [look_up_order]
