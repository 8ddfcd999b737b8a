"""The fake language model: it asks for what is still to be done, then thanks the customer.

Like a real model it never says the same thing twice: each call has a new id and new wording. What
failed it asks for again, what a person forbade it does not. Like a real provider it takes no
history in which a call has no answer, and sometimes it cannot be reached.

It is a subclass of the class that all of the framework's models have in common:
https://github.com/agno-agi/agno/blob/main/libs/agno/agno/models/base.py
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agno.exceptions import ModelProviderError
from agno.models.base import Model
from agno.models.message import Message
from agno.models.response import ModelResponse
from plugpull import fault
from settings import MODEL, QUESTION, WORLD

# After so many calls for each thing the model gives up.
PATIENCE = 3


class Wish(NamedTuple):
    """A call that the model wants to make: which tool, and for which payment (0: the only one)."""

    tool: str
    payment: int = 0


@dataclass
class ShopModel(Model):
    """Asks for the calls of one turn after the other.

    Attributes:
        turns: What is to be done, by turn.
    """

    id: str = MODEL
    name: str = "ShopModel"
    provider: str = "Shop"
    turns: Sequence[Sequence[Wish]] = field(default_factory=list)

    async def ainvoke(
        self, messages: list[Message], *_: Any, tools: Any = None, **__: Any
    ) -> ModelResponse:
        """Answer a conversation."""
        await asyncio.to_thread(reach, messages)
        return decide(messages, self.turns, offered=bool(tools))

    async def ainvoke_stream(
        self, messages: list[Message], *_: Any, tools: Any = None, **__: Any
    ) -> AsyncIterator[ModelResponse]:
        """Answer it piece by piece; the model says something before it calls a tool."""
        await asyncio.to_thread(reach, messages)
        for piece in pieces(decide(messages, self.turns, offered=bool(tools))):
            yield piece

    def invoke(self, *_: Any, **__: Any) -> ModelResponse:
        """Not used: the application is asynchronous."""
        raise NotImplementedError

    def invoke_stream(self, *_: Any, **__: Any) -> Iterator[ModelResponse]:
        """Not used: the application is asynchronous."""
        raise NotImplementedError

    def _parse_provider_response(self, response: Any, **_: Any) -> ModelResponse:
        return response  # type: ignore[no-any-return]

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        return response  # type: ignore[no-any-return]


def reach(messages: Sequence[Message]) -> None:
    """Get through to the provider, and have it look at the request.

    Raises:
        ModelProviderError: The provider cannot be reached, or does not take this history.
    """
    refuse_unpaired(messages)
    try:
        fault(point(messages[-1]))
    except ConnectionError as error:
        raise ModelProviderError(str(error), status_code=503, model_id=MODEL) from error


def point(newest: Message) -> str:
    """What this request is about, as the scenarios call it."""
    if newest.role != "tool":
        return "model:first"
    return "model:after-look-up" if newest.tool_name == "look_up_order" else "model:after-tool"


def refuse_unpaired(messages: Sequence[Message]) -> None:
    """Take no history in which a call has no answer, or an answer no call.

    Raises:
        ModelProviderError: As a real provider says it, and the framework's models pass it on.
    """
    waiting: set[Any] = set()
    for message in messages:
        if message.role == "tool":
            _refuse_if(message.tool_call_id not in waiting)
            waiting.remove(message.tool_call_id)
            continue
        _refuse_if(bool(waiting))
        waiting = {call["id"] for call in message.tool_calls or []}
    _refuse_if(bool(waiting))


def _refuse_if(broken: bool) -> None:
    if broken:
        error = "400: an assistant message with tool calls must be followed by tool messages"
        raise ModelProviderError(error, status_code=400, model_id=MODEL)


def decide(
    messages: Sequence[Message], turns: Sequence[Sequence[Wish]], *, offered: bool
) -> ModelResponse:
    """What a model says that has read this history.

    Args:
        messages: The history.
        turns: What is to be done, by turn.
        offered: Whether there are tools; what there is not it does not ask for.
    """
    asked = [str(message.content) for message in messages if message.role == "user"]
    if asked and QUESTION in asked[-1]:
        return words("It arrives on Tuesday.")
    told, tried = _told(messages)
    wishes = [wish for turn in turns for wish in turn]
    for turn in turns if offered else ():
        missing = [wish for wish in turn if not _settled(told.get(wish, ""))]
        if missing and tried < PATIENCE * len(wishes):
            calls = [request(wish) for wish in missing]
            return ModelResponse(role="assistant", tool_calls=calls)
    done = all(_done(told.get(wish, "")) for wish in wishes)
    return words("Your card was charged. Thank you!" if done else "I could not charge your card.")


def _told(messages: Sequence[Message]) -> tuple[dict[Wish, str], int]:
    """What each wish came to, by the newest call that was made for it; and how many were made."""
    answers = {
        message.tool_call_id: str(message.content) for message in messages if message.role == "tool"
    }
    calls = [call for message in messages for call in message.tool_calls or []]
    told = {
        Wish(
            call["function"]["name"], json.loads(call["function"]["arguments"]).get("payment", 0)
        ): answers[call["id"]]
        for call in calls
        if call["id"] in answers
    }
    return told, len(calls)


def _done(answer: str) -> bool:
    """Whether a tool's answer says that it did what was asked."""
    return any(word in answer for word in ("charged", "reserved", "notified", "found"))


def _settled(answer: str) -> bool:
    """Whether an answer leaves nothing to ask for again: it was done, or a person said no."""
    return _done(answer) or "rejected" in answer or "could not charge" in answer


def request(wish: Wish) -> dict[str, Any]:
    """The model's wish for a call, with arguments in its own words."""
    said = f"order 42, {uuid.uuid4().hex[:8]}"
    arguments: dict[str, Any] = {"about": said}
    if wish.tool == "charge_card":
        amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
        arguments = {**amount, "memo": said, "payment": wish.payment}
    elif wish.tool == "delegate_task_to_member":
        arguments = {"member_id": "cashier", "task": f"Charge the card ({said})."}
    return {
        "id": f"call_{uuid.uuid4().hex}",
        "type": "function",
        "function": {"name": wish.tool, "arguments": json.dumps(arguments)},
    }


def words(said: str) -> ModelResponse:
    """What the model says."""
    return ModelResponse(role="assistant", content=f"{said} ({uuid.uuid4().hex[:8]})")


def pieces(answer: ModelResponse) -> list[ModelResponse]:
    """An answer as it is streamed: text in two pieces, then the calls."""
    text = str(answer.content or words("I will see to it at once.").content)
    middle = len(text) // 2
    said = [
        ModelResponse(role="assistant", content=part) for part in (text[:middle], text[middle:])
    ]
    return [*said, ModelResponse(tool_calls=answer.tool_calls)] if answer.tool_calls else said
