"""The shop's agent, and the cashier's, which charges the card where a run is nested.

https://strandsagents.com/docs/user-guide/sdk/multi-agent/agents-as-tools/
"""

from __future__ import annotations

import inspect
from typing import Any

from model import ShopModel
from sessions import session
from settings import NESTED, ORDER, OWN_SESSION, RETRIES, SEQUENTIAL, SESSION, turns
from strands import Agent
from strands.tools.executors import SequentialToolExecutor
from tools import hooks, tools


def build() -> Agent:
    """The agent that the customer talks to, with the conversation that is saved."""
    if not NESTED:
        return clerk("shop", ShopModel(turns()), tools(), hooks(), session())
    cashier = clerk(
        "cashier",
        ShopModel(turns()),
        tools(),
        hooks(),
        session(f"{ORDER}-cashier") if OWN_SESSION else None,
    )
    asked = cashier.as_tool(name="ask_cashier", preserve_context=OWN_SESSION)
    return clerk("shop", ShopModel([["ask_cashier"]]), [asked], [], session())


def clerk(name: str, model: ShopModel, its_tools: list[Any], hears: list[Any], keeps: Any) -> Agent:
    """An agent of the shop."""
    return Agent(
        name=name,
        agent_id=name,
        model=model,
        tools=its_tools,
        hooks=hears,
        session_manager=keeps,
        callback_handler=None,
        **options(),
    )


def options() -> dict[str, Any]:
    """What the variant asks for beside."""
    chosen: dict[str, Any] = {}
    if SESSION == "checkpoints":
        chosen["checkpointing"] = True
    if SEQUENTIAL:
        chosen["tool_executor"] = SequentialToolExecutor()
    if "retry_strategy" in inspect.signature(Agent).parameters:
        chosen["retry_strategy"] = None
        if RETRIES:
            from strands import ModelRetryStrategy  # noqa: PLC0415 - it came later

            chosen["retry_strategy"] = ModelRetryStrategy(max_attempts=3, initial_delay=0)
    return chosen
