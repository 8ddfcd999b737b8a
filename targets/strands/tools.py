"""The shop's tools, and how a human is asked before one of them charges a card.

* the id of a call, which the framework hands to a tool:
  https://strandsagents.com/docs/user-guide/sdk/tools/custom-tools/#toolcontext
* asking a human, in a hook and in a tool:
  https://strandsagents.com/docs/user-guide/sdk/interrupts/
"""

from __future__ import annotations

from typing import Any

from model import effect_of
from plugpull import record_effect
from settings import APPROVAL, KEYED, TOOL_ASKS, WORLD
from strands import ToolContext, tool
from strands.hooks import BeforeToolCallEvent, HookProvider, HookRegistry

#: The answer to a call that a human did not allow.
REFUSAL = "The call was rejected by a human."
ASKS = "shop-approval"
YES = "y"


@tool(context=True)
def charge_card(amount: int, memo: str, payment: int, tool_context: ToolContext) -> str:
    """Charge the customer's card.

    Args:
        amount: How much, in dollars.
        memo: What for.
        payment: Which payment it is, 0 for the only one.
        tool_context: What the framework knows of the call.
    """
    return charge(payment, f"${amount} ({memo})", tool_context)


@tool(context=True, name="charge_card")
def charge_in_cents(cents: int, memo: str, payment: int, tool_context: ToolContext) -> str:
    """Charge the customer's card: what the tool has become in another world.

    Args:
        cents: How much.
        memo: What for.
        payment: Which payment it is, 0 for the only one.
        tool_context: What the framework knows of the call.
    """
    return charge(payment, f"{cents} cents ({memo})", tool_context)


@tool(context=True)
def notify_shop(memo: str, tool_context: ToolContext) -> str:
    """Tell the shop about the order.

    Args:
        memo: What it is about.
        tool_context: What the framework knows of the call.
    """
    return have("notify_shop", memo, tool_context)


@tool
def reserve_stock(memo: str) -> str:
    """Put the goods aside.

    Args:
        memo: What it is about.
    """
    record_effect("reserve_stock")
    return f"done: reserve_stock ({memo})"


def charge(payment: int, what: str, context: ToolContext) -> str:
    """Charge the card, if a human allows it where the tool itself has to ask."""
    if APPROVAL and TOOL_ASKS:
        reason = {"call": effect_of(dict(context.tool_use))}
        if context.interrupt(ASKS, reason=reason) != YES:
            return REFUSAL
    return have(f"charge_card_{payment}" if payment else "charge_card", what, context)


def have(effect: str, what: str, context: ToolContext) -> str:
    """Have an effect at the service behind a tool."""
    record_effect(effect, key=context.tool_use["toolUseId"] if KEYED else None)
    return f"done: {effect}, {what}"


class Approval(HookProvider):
    """Asks a human before a card is charged."""

    def register_hooks(self, registry: HookRegistry, **_: Any) -> None:
        """Say which events are of interest."""
        registry.add_callback(BeforeToolCallEvent, self.ask)

    def ask(self, event: BeforeToolCallEvent) -> None:
        """Stop the run until there is an answer; then let the call through, or not."""
        if event.tool_use["name"] != "charge_card":
            return
        reason = {"call": effect_of(dict(event.tool_use))}
        if event.interrupt(ASKS, reason=reason) != YES:
            event.cancel_tool = REFUSAL


def tools() -> list[Any]:
    """The tools, in the world as it is now."""
    if WORLD == "tool-removed":
        return [reserve_stock]
    charging = charge_in_cents if WORLD == "tool-schema-changed" else charge_card
    return [charging, *([notify_shop, reserve_stock] if APPROVAL else [])]


def hooks() -> list[HookProvider]:
    """What else has a say in a call."""
    return [Approval()] if APPROVAL and not TOOL_ASKS else []
