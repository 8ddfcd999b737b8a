"""The tool that charges the card.

* a tool of one's own, and the error that is meant for the model:
  https://alvarodiez20.github.io/endstate/guides/custom-tool/
* what ``idempotent`` says to a resume:
  https://alvarodiez20.github.io/endstate/concepts/durability/#open-problems
"""

from __future__ import annotations

from typing import Any

from endstate.agent.tools.base import Tool, ToolContext, ToolError
from plugpull import record_effect
from settings import AMOUNT, ERRORS_FOR_MODEL, IDEMPOTENT, KEY_IN_ARGUMENTS, WORLD


class ChargeCard(Tool):
    """Charges the customer's card."""

    name = "charge_card"
    description = "Charge the customer's card."
    idempotent = IDEMPOTENT

    @property
    def parameters(self) -> dict[str, Any]:
        """What the model is told to send along."""
        properties = {
            AMOUNT[0]: {"type": "integer"},
            "payment": {"type": "integer", "description": "which payment, where there are several"},
            "key": {"type": "string", "description": "made anew for every charge"},
        }
        return {"type": "object", "properties": properties, "required": list(properties)}

    def run(self, arguments: dict[str, Any], ctx: ToolContext) -> str:  # noqa: ARG002
        """Charge, and say so.

        Raises:
            OSError: The payment service gave no answer, and that ends the run.
            ToolError: It gave none, and the model is to hear of it.
        """
        amount, payment = arguments[AMOUNT[0]], arguments["payment"]
        try:
            record_effect(
                f"charge_card_{payment}" if payment else "charge_card",
                key=arguments["key"] if KEY_IN_ARGUMENTS else None,
            )
        except OSError as problem:
            if not ERRORS_FOR_MODEL:
                raise
            message = f"the payment service gave no answer: {problem}"
            raise ToolError(message) from problem
        return f"charged {amount} (payment {payment})"


def tools() -> list[Tool]:
    """The tools that there are, in the world as it is now."""
    return [] if WORLD == "tool-removed" else [ChargeCard()]
