"""The shop's agent, and the cashier's, to whom it hands the charge where a variant asks for it.

* an agent that calls another one in a tool:
  https://pydantic.dev/docs/ai/guides/multi-agent-applications/#agent-delegation

A tool can pause only the run that it is called in. So the tool that runs the cashier keeps the
cashier's messages, asks for approval of its own call, and runs the cashier on with them when that
is approved: https://github.com/pydantic/pydantic-ai/issues/3274
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from model import Wish, model
from pydantic_ai import (
    Agent,
    ApprovalRequired,
    DeferredToolRequests,
    DeferredToolResults,
    RunContext,
    Tool,
)
from pydantic_ai.messages import ModelMessagesTypeAdapter
from settings import APPROVAL, BATCH, workdir
from tools import charging, others

NESTED = APPROVAL.startswith("nested")


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


async def ask_cashier(ctx: RunContext[Any], about: str) -> str:
    """Have the cashier charge the card."""
    kept = cashiers_messages(str(ctx.tool_call_id))
    if ctx.tool_call_approved:
        history = ModelMessagesTypeAdapter.validate_json(kept.read_bytes())
        decided = DeferredToolResults(
            approvals={call.tool_call_id: True for call in history[-1].tool_calls}  # type: ignore[union-attr]
        )
        result = await CASHIER.run(message_history=history, deferred_tool_results=decided)
    else:
        result = await CASHIER.run(about)
    if isinstance(result.output, DeferredToolRequests):
        kept.write_bytes(result.all_messages_json())
        raise ApprovalRequired
    return str(result.output)


def cashiers_messages(call: str) -> Path:
    """Where the cashier's messages wait for the approval of a call."""
    return workdir() / f"cashier-{call}.json"


def build() -> Agent[Any, Any]:
    """The agent that the customer talks to."""
    tools = [Tool(ask_cashier)] if NESTED else [*charging(), *others()]
    return Agent(model(shop_turns()), name="shop", tools=tools, output_type=OUTPUT)


#: A run that asks a person ends with what it asks.
OUTPUT: Any = [str, DeferredToolRequests] if APPROVAL else str

CASHIER: Agent[Any, Any] = Agent(
    model(cashier_turns()), name="cashier", tools=[*charging(), *others()], output_type=OUTPUT
)
SHOP = build()
