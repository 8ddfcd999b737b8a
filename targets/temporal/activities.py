"""Everything that touches the world: the model and the tools, each an activity.

An activity that is tried again has the same id, so its run's id and its own are a key that the
payment service can know a repetition by: https://docs.temporal.io/activity-definition#idempotency

It sends heartbeats while it works, so that the server soon notices a worker that has died:
https://docs.temporal.io/encyclopedia/detecting-activity-failures#activity-heartbeat
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import model
from plugpull import record_effect
from settings import KEY, ORDER, WORLD
from temporalio import activity

BEAT = 0.4


@dataclass
class Payment:
    """What the tool takes."""

    amount: int
    memo: str
    effect: str


@dataclass
class PaymentInCents:
    """What it takes in another world."""

    cents: int
    memo: str
    effect: str


@dataclass
class Question:
    """What the model is asked: its name, the conversation, and what there is to ask for."""

    model: str
    messages: list[dict[str, Any]]
    tools: list[str]


async def beating(work: Callable[[], Any]) -> Any:
    """Do some blocking work in a thread, with a heartbeat now and then."""

    async def beat() -> None:
        while True:
            activity.heartbeat()
            await asyncio.sleep(BEAT)

    pulse = asyncio.create_task(beat())
    try:
        return await asyncio.to_thread(work)
    finally:
        pulse.cancel()


def key() -> str | None:
    """The key of this activity, the same at each attempt; ``None`` for the tool without one."""
    info = activity.info()
    return f"{info.workflow_run_id}-{info.activity_id}" if KEY == "activity-id" else None


@activity.defn
async def ask_model(question: Question) -> dict[str, Any]:
    """Let the model say what comes next."""
    return await beating(lambda: model.answer(question.messages, question.tools))  # type: ignore[no-any-return]


@activity.defn
async def charge_card(payment: Payment) -> str:
    """Charge the customer's card."""
    name = key()
    await beating(lambda: record_effect(payment.effect, key=name))
    return f"charged ${payment.amount} ({payment.memo})"


@activity.defn(name="charge_card")
async def charge_in_cents(payment: PaymentInCents) -> str:
    """Charge the customer's card: what the tool has become in another world."""
    name = key()
    await beating(lambda: record_effect(payment.effect, key=name))
    return f"charged {payment.cents} cents ({payment.memo})"


@activity.defn
async def notify_shop(payment: Payment) -> str:
    """Tell the shop that an order has come in; nobody has to be asked."""
    name = key()
    await beating(lambda: record_effect(payment.effect, key=name))
    return f"the shop knows ({payment.memo})"


@activity.defn
async def reserve_stock() -> str:
    """A step of its own; it has no key."""
    await beating(lambda: record_effect("reserve_stock"))
    return "reserved"


@activity.defn
async def close_order() -> None:
    """End the run: tell the shop that the order is done. Safe to repeat, thanks to its key."""
    await beating(lambda: record_effect("finish_order", key=ORDER))


@activity.defn
async def end_turn() -> None:
    """Report that the turn after it has come to its end."""
    await beating(lambda: record_effect("next_turn", key=f"{ORDER}-turn-2"))


def tools() -> list[Callable[..., Any]]:
    """The agent's tools, in the world as it is now."""
    if WORLD == "tool-removed":
        return [notify_shop]
    return [charge_in_cents if WORLD == "tool-schema-changed" else charge_card, notify_shop]


def activities() -> list[Callable[..., Any]]:
    """Everything that a worker offers."""
    return [ask_model, *tools(), reserve_stock, close_order, end_turn]
