"""The shop's agent; and the team that it leads, where the card is charged by another one.

* when a run is saved: https://docs.agno.com/examples/agents/checkpointing/crash-recovery
* a team that pauses for a member's tool:
  https://docs.agno.com/examples/teams/human-in-the-loop/confirmation-required
* no telemetry: https://docs.agno.com/telemetry
"""

from __future__ import annotations

from typing import Any

from agno.agent import Agent
from model import ShopModel, Wish
from settings import APPROVAL, BATCH, CHECKPOINT, MODEL, RETRY
from storage import ShopDb
from tools import charging, others

#: "runs" is the default, and all there was before 2.6.19.
SAVED: dict[str, Any] = {} if CHECKPOINT == "runs" else {"checkpoint": CHECKPOINT}


def shop_turns() -> list[list[Wish]]:
    """What the agent's model asks for, turn by turn."""
    card = Wish("charge_card")
    shapes = {
        "one": [[card]],
        "two": [[Wish("charge_card", 1), Wish("charge_card", 2)]],
        "sibling": [[card, Wish("notify_shop")]],
        "after-step": [[Wish("reserve_stock")], [card]],
    }
    batch = [[Wish("charge_card", number) for number in range(1, BATCH + 1)]]
    return shapes.get(APPROVAL, batch if BATCH else [[Wish("look_up_order")], [card]])


def model(turns: list[list[Wish]]) -> ShopModel:
    """The model; with ``PLUGPULL_RETRY=model`` it is asked again when it cannot be reached."""
    again = {"retries": 2, "delay_between_retries": 0} if RETRY == "model" else {}
    return ShopModel(id=MODEL, turns=turns, **again)


def build() -> Any:
    """Who the customer talks to, in this process."""
    return team() if APPROVAL.startswith("nested") else agent()


def agent() -> Agent:
    """The shop's agent; with ``PLUGPULL_RETRY=agent`` a run that fails is made again."""
    again = {"retries": 2, "delay_between_retries": 0} if RETRY == "agent" else {}
    return Agent(
        id="shop",
        name="shop",
        model=model(shop_turns()),
        tools=[*charging(), *others()],
        db=ShopDb(),
        **SAVED,
        add_history_to_context=True,
        telemetry=False,
        **again,
    )


def team() -> Any:
    """The shop's team, whose leader hands the charge to the cashier."""
    from agno.team import Team  # noqa: PLC0415 - where it is needed

    before = [[Wish("reserve_stock")]] if APPROVAL == "nested-after-step" else []
    cashier = Agent(
        id="cashier",
        name="cashier",
        model=model([*before, [Wish("charge_card")]]),
        tools=[*charging(), *others()],
        db=ShopDb(),
        **SAVED,
        telemetry=False,
    )
    return Team(
        id="shop",
        name="shop",
        model=model([[Wish("delegate_task_to_member")]]),
        members=[cashier],
        db=ShopDb(),
        **SAVED,
        add_history_to_context=True,
        telemetry=False,
    )
