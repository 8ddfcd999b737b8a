"""The fake language model: it asks for what is still to be done, then thanks the customer.

Like a real model it never says the same thing twice: each item has a new id and new wording. What
failed it asks for again, what a person forbade it does not. Like a real provider it takes no
history in which a call has no answer.

An own model is a subclass of ``Model``: https://openai.github.io/openai-agents-python/models/
"""

from __future__ import annotations

import asyncio
import json
import os
import uuid
from collections.abc import AsyncIterator, Callable
from typing import Any, NamedTuple

from agents import Model, ModelResponse, Usage
from openai import APIConnectionError
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseCreatedEvent,
    ResponseFunctionToolCall,
    ResponseOutputItemAddedEvent,
    ResponseOutputItemDoneEvent,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)
from pace import Pace
from plugpull import fault

STREAMED = os.environ.get("PLUGPULL_STREAM") == "1"
WORLD = os.environ.get("PLUGPULL_WORLD", "")

# What a customer asks in a later turn; it is answered in words.
QUESTION = "One more question: when does it arrive?"

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


class Wish(NamedTuple):
    """A call that the model wants to make: which tool, and for which payment (0: the only one)."""

    tool: str
    payment: int = 0


class FakeModel(Model):
    """Ask for the calls of one turn after the other, each until its answer is there.

    Args:
        turns: What is to be done, by turn.
        offered: The tools that the agent has now; what it does not have is not asked for.
    """

    def __init__(self, turns: list[list[Wish]], offered: Callable[[], bool] = lambda: True) -> None:
        self.turns = turns
        self.offered = offered
        self.pace: Pace | None = None

    # The SDK hands over the first two by name or by place, and more from release to release.
    async def get_response(
        self,
        system_instructions: str | None,  # noqa: ARG002
        input: str | list[Any],  # noqa: A002
        *_: Any,
        **__: Any,
    ) -> ModelResponse:
        """Answer in one piece."""
        output = await self._answer(input)
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    async def stream_response(
        self,
        system_instructions: str | None,  # noqa: ARG002
        input: str | list[Any],  # noqa: A002
        *_: Any,
        **__: Any,
    ) -> AsyncIterator[Any]:
        """Answer piece by piece, with some words before a call."""
        output = await self._answer(input)
        if not isinstance(output[0], ResponseOutputMessage):
            output = [message("I will see to it at once."), *output]
        yield ResponseCreatedEvent(
            type="response.created", response=_response([], "in_progress"), sequence_number=0
        )
        for index, item in enumerate(output):
            place = {"output_index": index, "sequence_number": index + 1}
            yield ResponseOutputItemAddedEvent(
                type="response.output_item.added", item=item, **place
            )
            if isinstance(item, ResponseOutputMessage):
                for piece in _pieces(item):
                    yield _delta(item, piece, **place)
                    if self.pace is not None:
                        await self.pace.next_piece()
            yield ResponseOutputItemDoneEvent(type="response.output_item.done", item=item, **place)
        yield ResponseCompletedEvent(
            type="response.completed",
            response=_response(output, "completed"),
            sequence_number=len(output) + 1,
        )

    async def _answer(self, given: str | list[Any]) -> list[Any]:
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        refuse_unpaired(items)
        answered = items[-1].get("type") == "function_call_output"
        try:
            await asyncio.to_thread(fault, "model:after-tool" if answered else "model:first")
        except ConnectionError as error:
            # What the client library raises then; it names no request of ours.
            raise APIConnectionError(request=None) from error  # type: ignore[arg-type]
        return self.decide(items)

    def decide(self, items: list[Any]) -> list[Any]:
        """What a model says that has read this history."""
        asked = [str(item.get("content")) for item in items if item.get("role") == "user"]
        if asked and QUESTION in asked[-1]:
            return [message("It arrives on Tuesday.")]
        calls = [item for item in items if item.get("type") == "function_call"]
        answers = {
            item["call_id"]: str(item["output"])
            for item in items
            if item.get("type") == "function_call_output"
        }
        told = {wish_of(call): answers[call["call_id"]] for call in calls}
        wishes = [wish for turn in self.turns for wish in turn]
        for turn in self.turns if self.offered() else []:
            missing = [wish for wish in turn if not _settled(told.get(wish, ""))]
            if missing and len(calls) < PATIENCE * len(wishes):
                return [request(wish) for wish in missing]
        done = all(_done(told.get(wish, "")) for wish in wishes)
        return [
            message(
                "Your card was charged. Thank you!" if done else "I could not charge your card."
            )
        ]


def refuse_unpaired(items: list[Any]) -> None:
    """Take no history in which a call has no answer or an answer no call.

    Raises:
        ValueError: As a real provider says it.
    """
    waiting: set[str] = set()
    for item in [*items, {}]:
        kind = item.get("type")
        if kind == "function_call":
            waiting.add(item["call_id"])
        elif kind == "function_call_output" and item["call_id"] in waiting:
            waiting.remove(item["call_id"])
        elif waiting or kind == "function_call_output":
            error = "400: an assistant message with tool calls must be followed by tool messages"
            raise ValueError(error)


def wish_of(call: Any) -> Wish:
    """Which wish a call in the history stands for."""
    return Wish(call["name"], json.loads(call["arguments"]).get("payment", 0))


def _done(answer: str) -> bool:
    """Whether a tool's answer says that it did what was asked."""
    return any(word in answer for word in ("charged", "reserved", "notified"))


def _settled(answer: str) -> bool:
    """Whether an answer leaves nothing to ask for again: it was done, or a person said no."""
    return _done(answer) or "not approved" in answer or "could not charge" in answer


def request(wish: Wish) -> ResponseFunctionToolCall:
    """The model's wish for a call, with arguments in its own words."""
    words = f"order 42, {uuid.uuid4().hex[:8]}"
    if wish.tool == "charge_card":
        amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
        arguments = {**amount, "memo": words, "payment": wish.payment}
    else:
        arguments = {"input": words}
    return ResponseFunctionToolCall(
        id=f"fc_{uuid.uuid4().hex}",
        call_id=f"call_{uuid.uuid4().hex}",
        type="function_call",
        name=wish.tool,
        arguments=json.dumps(arguments),
        status="completed",
    )


def message(said: str) -> ResponseOutputMessage:
    """What the model says."""
    text = f"{said} ({uuid.uuid4().hex[:8]})"
    return ResponseOutputMessage(
        id=f"msg_{uuid.uuid4().hex}",
        type="message",
        role="assistant",
        status="completed",
        content=[ResponseOutputText(type="output_text", text=text, annotations=[])],
    )


def _pieces(item: ResponseOutputMessage) -> list[str]:
    """A message in pieces, two at least."""
    text = item.content[0].text  # type: ignore[union-attr]
    middle = len(text) // 2
    return [text[:middle], text[middle:]]


def _delta(item: ResponseOutputMessage, piece: str, **place: int) -> ResponseTextDeltaEvent:
    return ResponseTextDeltaEvent(
        type="response.output_text.delta",
        content_index=0,
        delta=piece,
        item_id=item.id,
        logprobs=[],
        **place,
    )


def _response(output: list[Any], status: Any) -> Response:
    return Response(
        id=f"resp_{uuid.uuid4().hex}",
        created_at=0,
        model="shop-1",
        object="response",
        output=output,
        tool_choice="none",
        tools=[],
        parallel_tool_calls=False,
        status=status,
    )
