"""The shop's language model: a chat client that asks for what the order takes, then says thanks.

It is a chat client of one's own as the sample shows one, with the layers that run functions and
middleware. Like a real model it never says the same thing twice: each call has a new id and new
wording. Like a real provider it refuses a conversation in which a call has no answer.
https://github.com/microsoft/agent-framework/blob/main/python/samples/02-agents/chat_client/custom_chat_client.py
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterable, Awaitable, Mapping, Sequence
from typing import Any

from agent_framework import (
    BaseChatClient,
    ChatMiddlewareLayer,
    ChatResponse,
    ChatResponseUpdate,
    Content,
    FunctionInvocationLayer,
    Message,
    ResponseStream,
)
from plugpull import fault
from settings import MODEL, WORLD, turns

# After so many calls for one and the same thing that failed the model gives up.
PATIENCE = 3


class ShopModel(FunctionInvocationLayer[Any], ChatMiddlewareLayer[Any], BaseChatClient[Any]):
    """Stands in for the language model."""

    def _inner_get_response(
        self,
        *,
        messages: Sequence[Message],
        stream: bool = False,
        options: Mapping[str, Any],
        **kwargs: Any,
    ) -> Awaitable[ChatResponse] | ResponseStream[ChatResponseUpdate, ChatResponse]:
        """Answer a conversation, at once or piece by piece."""
        del kwargs
        if stream:
            pieces = self._pieces(messages, options)
            return ResponseStream(pieces, finalizer=ChatResponse.from_updates)
        return self._answer(messages, options)

    async def _answer(self, messages: Sequence[Message], options: Mapping[str, Any]) -> Any:
        await self._receive(messages)
        said = Message("assistant", think(messages, options))
        return ChatResponse(messages=[said], model=MODEL, response_id=uuid.uuid4().hex)

    async def _pieces(
        self, messages: Sequence[Message], options: Mapping[str, Any]
    ) -> AsyncIterable[ChatResponseUpdate]:
        await self._receive(messages)
        contents = think(messages, options)
        if contents[0].type != "text":
            contents = [Content.from_text(f"One moment. ({wording()})"), *contents]
        response_id = uuid.uuid4().hex
        for piece in (part for content in contents for part in split(content)):
            yield ChatResponseUpdate(
                contents=[piece], role="assistant", response_id=response_id, model=MODEL
            )

    async def _receive(self, messages: Sequence[Message]) -> None:
        refuse_unpaired(messages)
        newest = messages[-1].contents if messages else []
        after_tool = any(content.type == "function_result" for content in newest)
        await asyncio.to_thread(fault, "model:after-tool" if after_tool else "model:first")


def split(content: Content) -> list[Content]:
    """A text in two pieces, as it is streamed; anything else as it is."""
    text = content.text
    if content.type != "text" or not text:
        return [content]
    middle = len(text) // 2
    return [Content.from_text(text[:middle]), Content.from_text(text[middle:])]


def refuse_unpaired(messages: Sequence[Message]) -> None:
    """Turn down a conversation that no provider would take.

    Raises:
        ValueError: A call is not answered by the messages that follow it, or an answer is to none.
    """
    waiting: set[str | None] = set()
    for message in messages:
        answered = {one.call_id for one in message.contents if one.type == "function_result"}
        if waiting and not answered:
            break
        if answered - waiting:
            refusal = "400: a tool message must follow an assistant message with its tool call"
            raise ValueError(refusal)
        waiting -= answered
        waiting |= {one.call_id for one in message.contents if one.type == "function_call"}
    if waiting:
        refusal = "400: an assistant message with tool calls must be followed by tool messages"
        raise ValueError(refusal)


def think(messages: Sequence[Message], options: Mapping[str, Any]) -> list[Content]:
    """Ask for what is missing, or say what has become of the order."""
    contents = [content for message in messages for content in message.contents]
    calls = {one.call_id: effect_of(one) for one in contents if one.type == "function_call"}
    answers = {one.call_id: one for one in contents if one.type == "function_result"}
    done = {effect for call, effect in calls.items() if succeeded(answers.get(call))}
    asked = list(calls.values())
    if sum(message.role == "user" and bool(message.text) for message in messages) > 1:
        return [Content.from_text(f"You are welcome. ({wording()})")]
    if any("reject" in str(one.result) for one in answers.values()):
        return [Content.from_text(f"Then I will not charge your card. ({wording()})")]
    offered = bool(options.get("tools"))
    for effects in turns():
        missing = [one for one in effects if one not in done]
        if missing and offered and all(asked.count(one) < PATIENCE for one in missing):
            return [wish(one, ticket_of(messages)) for one in missing]
        if missing:
            return [Content.from_text(f"I could not charge your card. ({wording()})")]
    return [Content.from_text(f"Your card was charged. Thank you! ({wording()})")]


def wish(effect: str, ticket: str) -> Content:
    """The model's wish for an effect: a call of the tool that has it."""
    name, arguments = effect, {"memo": f"order 42, {wording()}"}
    if effect.startswith("charge_card"):
        name, payment = "charge_card", effect.removeprefix("charge_card").lstrip("_")
        amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
        arguments |= {**amount, "payment": int(payment or 0), "ticket": ticket}
    return Content.from_function_call(
        call_id=f"call_{uuid.uuid4().hex}", name=name, arguments=arguments
    )


def ticket_of(messages: Sequence[Message]) -> str:
    """The ticket that the customer's words came with, if they did."""
    words = " ".join(message.text for message in messages if message.role == "user").split()
    return next((one.strip("().,") for one in words if one.startswith("(tk_")), "")


def effect_of(call: Content) -> str:
    """The effect that a call asks for; each of several payments has its own name."""
    payment = (call.parse_arguments() or {}).get("payment")
    return f"{call.name}_{payment}" if payment else str(call.name)


def succeeded(answer: Content | None) -> bool:
    """Whether a call came to what it was for."""
    return answer is not None and "done:" in str(answer.result)


def wording() -> str:
    """Some words that the model has never used before."""
    return uuid.uuid4().hex[:8]
