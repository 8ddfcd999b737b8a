"""The shop: an agent with the tools that an order needs.

* tools that need a person's approval, and agents as tools that have such tools:
  https://openai.github.io/openai-agents-python/human_in_the_loop/
* what becomes of an error in a tool:
  https://openai.github.io/openai-agents-python/tools/#handling-errors-in-function-tools
* guardrails on what is said at the end, and tools that end a run:
  https://openai.github.io/openai-agents-python/guardrails/
* retries of model calls:
  https://openai.github.io/openai-agents-python/models/#runner-managed-retries
"""

from __future__ import annotations

import json
import os
from typing import Any

from agents import (
    Agent,
    GuardrailFunctionOutput,
    ModelSettings,
    OutputGuardrail,
    StopAtTools,
    Tool,
    default_tool_error_function,
    function_tool,
)
from agents.tool_context import ToolContext
from model import STREAMED, WORLD, FakeModel, Wish
from plugpull import record_effect

ORDER = "order-42"
REQUEST = "Charge my card $42 for order 42."

APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
GUARDED = os.environ.get("PLUGPULL_GUARD", "no") == "yes"
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
RETRY = os.environ.get("PLUGPULL_RETRY", "none")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

# A conversation that streams is one in which the tools need nobody's approval, unless one is asked
# for: a person who watches the answer come does not wait for another one.
GATED = bool(APPROVAL) or (os.environ.get("PLUGPULL_GATE", "yes") == "yes" and not STREAMED)

# Without failure_error_function=None an exception becomes text for the model, and the run goes on
# as if the payment service had answered.
ON_ERROR = default_tool_error_function if RETRY == "tool" else None


@function_tool(needs_approval=GATED, failure_error_function=ON_ERROR)
def charge_card(context: ToolContext[Any], amount: int, memo: str, payment: int) -> str:
    """Charge the customer's card."""
    charge(context, payment)
    return f"charged ${amount} ({memo})"


@function_tool(name_override="charge_card", needs_approval=GATED, failure_error_function=ON_ERROR)
def charge_in_cents(context: ToolContext[Any], cents: int, memo: str, payment: int) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    charge(context, payment)
    return f"charged {cents} cents ({memo})"


@function_tool(failure_error_function=ON_ERROR)
def notify_shop(input: str) -> str:  # noqa: A002
    """Tell the shop about the order."""
    record_effect("notify_shop")
    return f"notified ({input})"


@function_tool(failure_error_function=ON_ERROR)
def reserve_stock(input: str) -> str:  # noqa: A002
    """Put the goods aside."""
    record_effect("reserve_stock")
    return f"reserved ({input})"


def charge(context: ToolContext[Any], payment: int) -> None:
    """Call the payment service; where there are several payments, each has its own name there."""
    by_call = os.environ.get("PLUGPULL_KEY", "none") == "tool-call-id"
    record_effect(effect_of(payment), key=context.tool_call_id if by_call else None)


def effect_of(payment: int) -> str:
    """What a payment is called at the payment service."""
    return f"charge_card_{payment}" if payment else "charge_card"


def effect_asked_for(arguments: str | None) -> str:
    """What a call would do that waits for approval, by its arguments."""
    return effect_of(json.loads(arguments or "{}").get("payment", 0))


def tools() -> list[Tool]:
    """The tools that charge a card, in the world as it is now."""
    if WORLD == "tool-removed":
        return []
    return [charge_in_cents if WORLD == "tool-schema-changed" else charge_card]


def shop_turns() -> list[list[Wish]]:
    """What the agent's model asks for, turn by turn."""
    card = Wish("charge_card")
    shapes = {
        "two": [[Wish("charge_card", 1), Wish("charge_card", 2)]],
        "sibling": [[card, Wish("notify_shop")]],
        "after-step": [[Wish("reserve_stock")], [card]],
        "nested": [[Wish("ask_cashier")]],
        "nested-after-step": [[Wish("ask_cashier")]],
    }
    batch = [[Wish("charge_card", number) for number in range(1, BATCH + 1)]]
    return shapes.get(APPROVAL, batch if BATCH else [[card]])


def cashier_turns() -> list[list[Wish]]:
    """What the cashier's model asks for."""
    before = [[Wish("reserve_stock")]] if APPROVAL == "nested-after-step" else []
    return [*before, [Wish("charge_card")]]


def settings() -> ModelSettings:
    """Retries of a model call are off unless they are asked for."""
    if RETRY != "model":
        return ModelSettings()
    from agents import ModelRetrySettings, retry_policies  # noqa: PLC0415 - from 0.12 on

    return ModelSettings(
        retry=ModelRetrySettings(
            max_retries=2,
            backoff={"initial_delay": 0.01},
            policy=retry_policies.network_error(),
        )
    )


def build() -> Agent[Any]:
    """The agent that the customer talks to."""
    more: list[Tool] = []
    if APPROVAL == "sibling":
        more = [notify_shop]
    elif APPROVAL == "after-step":
        more = [reserve_stock]
    elif APPROVAL.startswith("nested"):
        more = [cashier()]
    gated = [] if APPROVAL.startswith("nested") else tools()
    return Agent(
        name="Shop",
        model=FakeModel(shop_turns(), offered=lambda: bool(gated + more)),
        model_settings=settings(),
        tools=gated + more,
        **(guard() if GUARDED else {}),
    )


def guard() -> dict[str, Any]:
    """A guardrail on the last words, and a tool that may end a run, though not one of ours."""

    def polite(_context: Any, _agent: Agent[Any], _said: Any) -> GuardrailFunctionOutput:
        return GuardrailFunctionOutput(output_info=None, tripwire_triggered=False)

    return {
        "output_guardrails": [OutputGuardrail(guardrail_function=polite)],
        "tool_use_behavior": StopAtTools(stop_at_tool_names=["close_shop"]),
    }


def cashier() -> Tool:
    """An agent as a tool: it has the tool that needs approval."""
    same = os.environ.get("PLUGPULL_NAMES", "different") == "same"
    agent: Agent[Any] = Agent(
        name="Shop" if same else "Cashier",
        model=FakeModel(cashier_turns()),
        model_settings=settings(),
        tools=[reserve_stock, *tools()],
    )
    return agent.as_tool(
        tool_name="ask_cashier",
        tool_description="Have the cashier charge the card.",
        failure_error_function=ON_ERROR,
    )


SHOP = build()
