"""The fake language model: it asks for what is still to be paid, then thanks the customer.

A provider is any object with ``model`` and ``complete``:
https://alvarodiez20.github.io/endstate/concepts/messages-and-providers/#the-provider-interface-is-one-method

Like a real model it never says the same thing twice: each call has a new id and a new key, and what
it says new wording. What failed it asks for again; a call that was answered with "interrupted" it
leaves alone, as the answer says. Like a real provider it refuses a conversation in which a call has
no answer, or an answer no call (endstate's adapters hand on what the loop has stored), and
sometimes it cannot be reached.
"""

from __future__ import annotations

import uuid
from typing import Any

from endstate.types import Message, Response, StopReason, ToolCall
from plugpull import fault
from settings import AMOUNT, BATCH, MODEL, QUESTION
from tools import ChargeCard

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


class ShopModel:
    """Stands in for the language model."""

    model = MODEL

    def complete(
        self, messages: list[Message], tools: list[dict[str, Any]] | None = None
    ) -> Response:
        """The next turn.

        Raises:
            ConnectionError: The provider cannot be reached.
            ValueError: No provider would take this conversation.
        """
        refuse_unpaired(messages)
        newest = messages[-1] if messages else Message(role="system")
        fault("model:after-tool" if newest.role == "tool" else "model:first")
        if newest.role == "user" and QUESTION in newest.content:
            return says("It arrives on Tuesday.")
        missing = unpaid(messages)
        tried = sum(bool(message.tool_calls) for message in messages)
        offered = any(tool["name"] == ChargeCard.name for tool in tools or [])
        if missing and offered and tried < PATIENCE:
            message = Message(role="assistant", tool_calls=[ask(payment) for payment in missing])
            return Response(message=message, stop_reason=StopReason.TOOL_USE, model=MODEL)
        if missing:
            return says("I could not charge your card.")
        return says("Your card was charged. Thank you!")


def unpaid(messages: list[Message]) -> list[int]:
    """The payments that are still to be made, and about which nobody has to be asked first."""
    missing = list(range(1, BATCH + 1)) or [0]
    answers = {one.call_id: one for message in messages for one in message.tool_results}
    for call in (call for message in messages for call in message.tool_calls):
        answer = answers.get(call.id)
        left_alone = answer and (not answer.is_error or answer.content.startswith("interrupted"))
        if left_alone and call.arguments["payment"] in missing:
            missing.remove(call.arguments["payment"])
    return missing


def refuse_unpaired(messages: list[Message]) -> None:
    """Turn down a conversation that no provider would take.

    Raises:
        ValueError: The message after calls does not answer each of them, and nothing else.
    """
    waiting: list[str] = []
    for message in messages:
        answered = [answer.call_id for answer in message.tool_results]
        if sorted(answered) != sorted(waiting):
            break
        waiting = [call.id for call in message.tool_calls]
    else:
        if not waiting:
            return
    refusal = "400: an assistant message with tool calls must be followed by tool messages"
    raise ValueError(refusal)


def ask(payment: int) -> ToolCall:
    """The model's wish to make a payment."""
    arguments = {AMOUNT[0]: AMOUNT[1], "payment": payment, "key": uuid.uuid4().hex}
    return ToolCall(id=f"call_{uuid.uuid4().hex}", name=ChargeCard.name, arguments=arguments)


def says(words: str) -> Response:
    """The model's words, in a wording that it has never used before."""
    message = Message(role="assistant", content=f"{words} ({uuid.uuid4().hex[:8]})")
    return Response(message=message, model=MODEL)
