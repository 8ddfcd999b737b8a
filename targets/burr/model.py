"""The fake language model: it asks for what is still to be done, then thanks the customer.

Burr has no class for models: an action calls whatever client the application has, with messages
that it keeps in its state. Like a real model this one never says the same thing twice: each call
has a new id, and everything new wording. What failed it asks for again, what a person forbade it
does not. Like a real provider it takes no messages in which a call has no answer, and sometimes it
cannot be reached.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from plugpull import fault
from settings import APPROVAL, BATCH, QUESTION, WORLD

#: A message as it stands in the state: of the user, of the model (assistant), or of a tool.
Message = dict[str, Any]

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


class Wish(NamedTuple):
    """A call that the model wants to make: which tool, and for which payment (0: the only one)."""

    tool: str
    payment: int = 0


def shop_turns() -> list[list[Wish]]:
    """What the shop's model asks for, turn by turn."""
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


def answer(messages: Sequence[Message], *, cashier: bool, offered: Sequence[str]) -> Message:
    """The model's next message.

    Args:
        messages: The conversation so far.
        cashier: Whether it is the cashier's model that is asked.
        offered: The names of the tools that there are; what there is not it does not ask for.

    Raises:
        ConnectionError: The provider cannot be reached.
        ValueError: It does not take these messages.
    """
    refuse_unpaired(messages)
    fault("model:after-tool" if messages[-1]["role"] == "tool" else "model:first")
    if messages[-1]["role"] == "user" and QUESTION in messages[-1]["content"]:
        return says("It arrives on Tuesday.")
    turns = cashier_turns() if cashier else shop_turns()
    told = {wish: told_of(messages, wish) for message in messages for wish in wishes(message)}
    tried = sum(bool(wishes(message)) for message in messages)
    for turn in turns:
        missing = [wish for wish in turn if not settled(told.get(wish, ""))]
        if (
            missing
            and tried < PATIENCE * len(turns)
            and {wish.tool for wish in missing} <= {*offered}
        ):
            return {**says("I will see to it at once."), "calls": [call(wish) for wish in missing]}
    done = all("done" in told.get(wish, "") for turn in turns for wish in turn)
    return says("Your card was charged. Thank you!" if done else "I could not charge your card.")


def refuse_unpaired(messages: Sequence[Message]) -> None:
    """Take no messages in which a call has no answer, or an answer no call.

    Raises:
        ValueError: As a real provider says it.
    """
    waiting: set[str] = set()
    for message in messages:
        answered = message.get("answers")
        if (answered is None and waiting) or (answered is not None and answered not in waiting):
            break
        waiting = waiting - {answered} | {one["id"] for one in message.get("calls", [])}
    else:
        if not waiting:
            return
    error = "400: an assistant message with tool calls must be followed by tool messages"
    raise ValueError(error)


def wishes(message: Message) -> list[Wish]:
    """What a message asks for."""
    return [Wish(one["tool"], one["arguments"]["payment"]) for one in message.get("calls", [])]


def told_of(messages: Sequence[Message], wish: Wish) -> str:
    """What a wish came to, by the newest call that was made for it."""
    ids = [
        one["id"]
        for message in messages
        for one in message.get("calls", [])
        if Wish(one["tool"], one["arguments"]["payment"]) == wish
    ]
    answers = [one["content"] for one in messages if one.get("answers") == ids[-1]]
    return str(answers[-1]) if answers else ""


def settled(said: str) -> bool:
    """Whether an answer leaves nothing to ask for again: it was done, or a person said no."""
    return any(word in said for word in ("done", "rejected", "could not charge"))


def call(wish: Wish) -> dict[str, Any]:
    """The model's wish for a call, with arguments in its own words."""
    amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    about = {"memo": f"order 42, {uuid.uuid4().hex[:8]}", "payment": wish.payment}
    arguments = {**amount, **about} if wish.tool == "charge_card" else about
    return {"id": f"call_{uuid.uuid4().hex}", "tool": wish.tool, "arguments": arguments}


def says(words: str) -> Message:
    """A message of the model's."""
    return {"role": "assistant", "content": f"{words} ({uuid.uuid4().hex[:8]})"}


def pieces(message: Message) -> Iterator[str]:
    """What a message says, in pieces, as a provider streams it: two at least."""
    text = message["content"]
    middle = len(text) // 2
    yield from (text[:middle], text[middle:])
