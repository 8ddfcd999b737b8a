"""The fake language model: it asks for what is still to be done, then thanks the customer.

Like a real model it never says the same thing twice: each call has a new id and new wording. What
failed it asks for again, what a person forbade it does not. Like a real provider it takes no
history in which a call has no answer, and sometimes it cannot be reached.

A model of one's own is a ``BaseLlm``:
https://github.com/google/adk-python/blob/main/src/google/adk/models/base_llm.py
"""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncGenerator, Sequence
from typing import NamedTuple

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from plugpull import fault
from settings import QUESTION, WORLD

# After so many turns with calls that failed the model gives up.
PATIENCE = 3

TRANSFER = "transfer_to_agent"


class Wish(NamedTuple):
    """A call that the model wants to make: which tool, and for which payment (0: the only one)."""

    tool: str
    payment: int = 0


class ShopModel(BaseLlm):
    """Stands in for the language model.

    Attributes:
        turns: The calls it asks for, turn by turn.
    """

    turns: list[list[Wish]] = []  # noqa: RUF012 - a field of a pydantic model

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        """Answer a conversation, at once or piece by piece.

        Raises:
            ConnectionError: The provider cannot be reached.
            ValueError: It does not take this history.
        """
        parts = [part for content in llm_request.contents for part in content.parts or []]
        refuse_unpaired(llm_request.contents)
        answered = bool(parts) and parts[-1].function_response is not None
        await asyncio.to_thread(fault, "model:after-tool" if answered else "model:first")
        said = decide(parts, self.turns, set(llm_request.tools_dict))
        if stream:
            words_first = [part for part in said if part.text] or [
                words("I will see to it at once.")
            ]
            for piece in _pieces(words_first):
                yield LlmResponse(content=_content([types.Part(text=piece)]), partial=True)
            calls = [part for part in said if part.function_call]
            yield LlmResponse(content=_content([*words_first, *calls]), partial=False)
        else:
            yield LlmResponse(content=_content(said))


def refuse_unpaired(contents: Sequence[types.Content]) -> None:
    """Take no history in which a call has no answer, or an answer no call.

    Raises:
        ValueError: As a real provider says it.
    """
    waiting: list[str | None] = []
    for content in contents:
        answers = [
            part.function_response.id for part in content.parts or [] if part.function_response
        ]
        if sorted(map(str, answers)) != sorted(map(str, waiting)):
            error = "400: an assistant message with tool calls must be followed by tool messages"
            raise ValueError(error)
        waiting = [part.function_call.id for part in content.parts or [] if part.function_call]
    if waiting:
        error = "400: an assistant message with tool calls must be followed by tool messages"
        raise ValueError(error)


def decide(
    parts: Sequence[types.Part], turns: Sequence[Sequence[Wish]], offered: set[str]
) -> list[types.Part]:
    """What a model says that has read this history.

    Args:
        parts: The history.
        turns: What is to be done, by turn.
        offered: The tools that there are; what there is not it does not ask for.
    """
    if any(part.text and QUESTION in part.text for part in parts):
        return [words("It arrives on Tuesday.")]
    told = _told(parts)
    wishes = [wish for turn in turns for wish in turn]
    tried = sum(part.function_call is not None for part in parts)
    for turn in turns:
        if any("pending" in told.get(wish, "") for wish in turn):
            return [words("I have asked, and will go on when there is an answer.")]
        missing = [
            wish
            for wish in turn
            if not _settled(told.get(wish, "")) and wish.tool in offered and _allowed(wish, told)
        ]
        if missing and tried < PATIENCE * len(wishes):
            return [request(wish) for wish in missing]
    done = all(_done(told.get(wish, "")) for wish in wishes)
    return [words("Your card was charged. Thank you!" if done else "I could not charge your card.")]


def _told(parts: Sequence[types.Part]) -> dict[Wish, str]:
    """What each wish came to, by the newest call that was made for it."""
    answers = {
        part.function_response.id: str(part.function_response.response)
        for part in parts
        if part.function_response
    }
    return {
        Wish(call.name or "", (call.args or {}).get("payment", 0)): answers[call.id]
        for part in parts
        if (call := part.function_call) and call.id in answers
    }


def _allowed(wish: Wish, told: dict[Wish, str]) -> bool:
    """Whether nobody whom the model has asked about a payment forbade it."""
    return "rejected" not in told.get(Wish("ask_for_approval", wish.payment), "")


def _done(answer: str) -> bool:
    """Whether a tool's answer says that it did what was asked."""
    return any(word in answer for word in ("charged", "reserved", "notified", "approved"))


def _settled(answer: str) -> bool:
    """Whether an answer leaves nothing to ask for again: it was done, or a person said no."""
    return _done(answer) or "rejected" in answer


def request(wish: Wish) -> types.Part:
    """The model's wish for a call, with arguments in its own words."""
    said = f"order 42, {uuid.uuid4().hex[:8]}"
    if wish.tool == TRANSFER:
        arguments: dict[str, object] = {"agent_name": "cashier"}
    elif wish.tool == "charge_card":
        amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
        arguments = {**amount, "memo": said, "payment": wish.payment}
    elif wish.tool == "ask_for_approval":
        arguments = {"about": said, "payment": wish.payment}
    else:
        arguments = {"about": said}
    identity = f"call_{uuid.uuid4().hex}"
    return types.Part(function_call=types.FunctionCall(id=identity, name=wish.tool, args=arguments))


def words(said: str) -> types.Part:
    """What the model says."""
    return types.Part(text=f"{said} ({uuid.uuid4().hex[:8]})")


def _content(parts: list[types.Part]) -> types.Content:
    return types.Content(role="model", parts=parts)


def _pieces(said: Sequence[types.Part]) -> list[str]:
    """What is said, in pieces, two at least."""
    text = " ".join(part.text or "" for part in said)
    middle = len(text) // 2
    return [text[:middle], text[middle:]]
