"""The agent's tools. One charges a card, and may need a person's approval before it does.

* tools that need approval:
  https://pydantic.dev/docs/ai/tools-toolsets/deferred-tools/#human-in-the-loop-tool-approval
* what becomes of an error in a tool, and how one asks to be tried again:
  https://pydantic.dev/docs/ai/tools-toolsets/tools-advanced/#tool-retries
* values for the application that the model does not see:
  https://pydantic.dev/docs/ai/tools-toolsets/tools-advanced/#advanced-tool-returns
"""

from __future__ import annotations

from typing import Any

from kept import kept
from model import LOOK_UP
from plugpull import record_effect
from pydantic_ai import ModelRetry, RunContext, Tool
from pydantic_ai.messages import ToolReturn
from settings import APPROVAL, KEEPS_CLASSES, KEY, RETRY, WORLD


def charge_card(ctx: RunContext[Any], amount: int, memo: str, payment: int) -> str:
    """Charge the customer's card."""
    charge(ctx, payment)
    return f"charged ${amount} ({memo})"


def charge_in_cents(ctx: RunContext[Any], cents: int, memo: str, payment: int) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    charge(ctx, payment)
    return f"charged {cents} cents ({memo})"


def notify_shop(about: str) -> str:
    """Tell the shop about the order."""
    record_effect("notify_shop")
    return f"notified ({about})"


def reserve_stock(about: str) -> str:
    """Put the goods aside."""
    record_effect("reserve_stock")
    return f"reserved ({about})"


def look_up_order(about: str) -> ToolReturn:
    """Look up the order, as the application knows it."""
    return ToolReturn(return_value=f"found ({about})", metadata=kept())


def charge(ctx: RunContext[Any], payment: int) -> None:
    """Call the payment service.

    Raises:
        ModelRetry: It did not answer, and the model is to try again (``PLUGPULL_RETRY=tool``).
    """
    try:
        record_effect(effect(payment), key=ctx.tool_call_id if KEY == "tool-call-id" else None)
    except ConnectionError as error:
        if RETRY == "tool":
            message = "The payment service does not answer. Try again."
            raise ModelRetry(message) from error
        raise


def effect(payment: int) -> str:
    """What a payment is called at the service: where there are several, each has its own name."""
    return f"charge_card_{payment}" if payment else "charge_card"


def charging() -> list[Tool[Any]]:
    """The tool that charges a card, in the world as it is now."""
    if WORLD == "tool-removed":
        return []
    charges: Any = charge_in_cents if WORLD == "tool-schema-changed" else charge_card
    return [Tool(charges, name="charge_card", requires_approval=bool(APPROVAL))]


def others() -> list[Tool[Any]]:
    """What else the agent can do, where it is asked for."""
    if APPROVAL == "sibling":
        return [Tool(notify_shop)]
    if "after-step" in APPROVAL:
        return [Tool(reserve_stock)]
    return [Tool(look_up_order, name=LOOK_UP)] if KEEPS_CLASSES else []
