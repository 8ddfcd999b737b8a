"""The shop's agent, the cashier's to whom it hands over where a variant asks for it, and the app.

* resumable apps: https://google.github.io/adk-docs/runtime/resume/
* agents that hand over to others: https://google.github.io/adk-docs/workflows/patterns/
* a tool that failed is tried again: https://google.github.io/adk-docs/integrations/reflect-and-retry/
"""

from __future__ import annotations

from google.adk.agents import LlmAgent
from google.adk.apps.app import App, ResumabilityConfig
from google.adk.plugins.base_plugin import BasePlugin
from model import TRANSFER, ShopModel, Wish
from settings import APP, APPROVAL, BATCH, LONG_RUNNING, MODEL, NESTED, RETRY
from tools import charging, others


def payment_turns(*numbers: int) -> list[list[Wish]]:
    """What has to be called for some payments: the charges, and before them who is asked."""
    charges = [Wish("charge_card", number) for number in numbers]
    if APPROVAL and LONG_RUNNING:
        return [[Wish("ask_for_approval", number) for number in numbers], charges]
    return [charges]


def turns() -> list[list[Wish]]:
    """What the agent that charges asks for, turn by turn."""
    if BATCH:
        return payment_turns(*range(1, BATCH + 1))
    if APPROVAL == "two":
        return payment_turns(1, 2)
    first, *rest = payment_turns(0)
    if APPROVAL == "sibling":
        return [[*first, Wish("notify_shop")], *rest]
    before = [[Wish("reserve_stock")]] if "after-step" in APPROVAL else []
    return [*before, first, *rest]


def build() -> LlmAgent:
    """The agent that the customer talks to."""
    worker = LlmAgent(
        name="cashier" if NESTED else "shop",
        description="Takes payments.",
        model=ShopModel(model=MODEL, turns=turns()),
        tools=[*charging(), *others()],
    )
    if not NESTED:
        return worker
    desk = ShopModel(model=MODEL, turns=[[Wish(TRANSFER)]])
    return LlmAgent(name="shop", description="Takes orders.", model=desk, sub_agents=[worker])


def plugins() -> list[BasePlugin]:
    """What is tried again by the framework."""
    if RETRY != "tool":
        return []
    from google.adk.plugins import ReflectAndRetryToolPlugin  # noqa: PLC0415 - heavy

    return [ReflectAndRetryToolPlugin(max_retries=3)]


def app() -> App:
    """The application, which can be resumed."""
    return App(
        name=APP,
        root_agent=build(),
        plugins=plugins(),
        resumability_config=ResumabilityConfig(is_resumable=True),
    )
