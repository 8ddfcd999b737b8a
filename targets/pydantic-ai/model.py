"""The fake language model: it asks for what is still to be done, then thanks the customer.

Like a real model it never says the same thing twice: each call has a new id and new wording. What
failed it asks for again, what a person forbade it does not. Like a real provider it takes no
history in which a call has no answer, and sometimes it cannot be reached.

A model made of functions: https://pydantic.dev/docs/ai/api/models/function/
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Sequence
from typing import NamedTuple

from plugpull import fault
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model
from pydantic_ai.models.fallback import FallbackModel
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from settings import EARLIER, MODEL, QUESTION, RETRY, WORLD

# After so many turns with calls that failed the model gives up.
PATIENCE = 3

LOOK_UP = "look_up_order"


class Wish(NamedTuple):
    """A call that the model wants to make: which tool, and for which payment (0: the only one)."""

    tool: str
    payment: int = 0


def model(turns: Sequence[Sequence[Wish]]) -> Model:
    """A model that asks for the calls of one turn after the other.

    With ``PLUGPULL_RETRY=model`` there is another one to fall back on; the framework has no retry
    of its own for a model's call but that of the HTTP client, and no HTTP is spoken here:
    https://pydantic.dev/docs/ai/models/overview/#fallback-model
    """
    first = _functions(turns, MODEL)
    return FallbackModel(first, _functions(turns, f"{MODEL}-spare")) if RETRY == "model" else first


def _functions(turns: Sequence[Sequence[Wish]], name: str) -> FunctionModel:
    async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        await _reach(messages)
        return ModelResponse(parts=decide(messages, turns, offered=bool(info.function_tools)))

    async def stream(
        messages: list[ModelMessage], info: AgentInfo
    ) -> AsyncIterator[str | DeltaToolCalls]:
        await _reach(messages)
        parts = decide(messages, turns, offered=bool(info.function_tools))
        said = [part for part in parts if isinstance(part, TextPart)]
        for piece in _pieces(said or [words("I will see to it at once.")]):
            yield piece
        for place, part in enumerate(parts):
            if isinstance(part, ToolCallPart):
                asked = {"name": part.tool_name, "json_args": part.args_as_json_str()}
                yield {place: DeltaToolCall(**asked, tool_call_id=part.tool_call_id)}

    return FunctionModel(answer, stream_function=stream, model_name=name)


async def _reach(messages: list[ModelMessage]) -> None:
    """Get through to the provider, and have it look at the request.

    Raises:
        ModelHTTPError: The provider cannot be reached.
        ValueError: It does not take this history.
    """
    refuse_unpaired(messages)
    newest = messages[-1].parts[-1] if messages[-1].parts else None
    point = "model:after-tool" if answered_call(newest) else "model:first"
    try:
        await asyncio.to_thread(fault, point)
    except ConnectionError as error:
        raise ModelHTTPError(503, MODEL, str(error)) from error


def answered_call(part: object) -> str | None:
    """The id of the call that a part answers; a request to try again is an answer as well."""
    if isinstance(part, ToolReturnPart):
        return part.tool_call_id
    if isinstance(part, RetryPromptPart) and part.tool_name:
        return part.tool_call_id
    return None


def refuse_unpaired(messages: Sequence[ModelMessage]) -> None:
    """Take no history in which a call has no answer, or an answer no call.

    Raises:
        ValueError: As a real provider says it.
    """
    waiting: set[str] = set()
    for message in messages:
        if isinstance(message, ModelResponse):
            _refuse_if(bool(waiting))
            waiting = {
                part.tool_call_id for part in message.parts if isinstance(part, ToolCallPart)
            }
            continue
        for part in message.parts:
            if (answered := answered_call(part)) is not None:
                _refuse_if(answered not in waiting)
                waiting.remove(answered)
            elif isinstance(part, UserPromptPart):
                _refuse_if(bool(waiting))
    _refuse_if(bool(waiting))


def _refuse_if(broken: bool) -> None:
    if broken:
        error = "400: an assistant message with tool calls must be followed by tool messages"
        raise ValueError(error)


def decide(
    messages: Sequence[ModelMessage], turns: Sequence[Sequence[Wish]], *, offered: bool
) -> list[TextPart | ToolCallPart]:
    """What a model says that has read this history.

    Args:
        messages: The history.
        turns: What is to be done, by turn.
        offered: Whether there are tools; what there is not it does not ask for.
    """
    parts = [part for message in messages for part in message.parts]
    asked = [str(part.content) for part in parts if isinstance(part, UserPromptPart)]
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    if asked and QUESTION in asked[-1]:
        return [words("It arrives on Tuesday.")]
    if asked and EARLIER in asked[-1]:
        return [words("A parcel.")] if calls else [request(Wish(LOOK_UP))]
    told = _told(parts, calls)
    wishes = [wish for turn in turns for wish in turn]
    tried = sum(call.tool_name != LOOK_UP for call in calls)
    for turn in turns if offered else ():
        missing = [wish for wish in turn if not _settled(told.get(wish, ""))]
        if missing and tried < PATIENCE * len(wishes):
            return [request(wish) for wish in missing]
    done = all(_done(told.get(wish, "")) for wish in wishes)
    return [words("Your card was charged. Thank you!" if done else "I could not charge your card.")]


def _told(parts: Sequence[object], calls: Sequence[ToolCallPart]) -> dict[Wish, str]:
    """What each wish came to, by the newest call that was made for it."""
    answers: dict[str, str] = {}
    for part in parts:
        if (answered := answered_call(part)) is not None:
            # Newer releases give a call that failed a return as well, which says what was wrong.
            answers[answered] = str(getattr(part, "content", ""))
    return {
        Wish(call.tool_name, call.args_as_dict().get("payment", 0)): answers[call.tool_call_id]
        for call in calls
        if call.tool_call_id in answers
    }


def _done(answer: str) -> bool:
    """Whether a tool's answer says that it did what was asked."""
    return any(word in answer for word in ("charged", "reserved", "notified"))


def _settled(answer: str) -> bool:
    """Whether an answer leaves nothing to ask for again: it was done, or a person said no."""
    return _done(answer) or "rejected" in answer or "could not charge" in answer


def request(wish: Wish) -> ToolCallPart:
    """The model's wish for a call, with arguments in its own words."""
    said = f"order 42, {uuid.uuid4().hex[:8]}"
    if wish.tool == "charge_card":
        amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
        arguments = {**amount, "memo": said, "payment": wish.payment}
    else:
        arguments = {"about": said}
    return ToolCallPart(wish.tool, json.dumps(arguments), tool_call_id=f"call_{uuid.uuid4().hex}")


def words(said: str) -> TextPart:
    """What the model says."""
    return TextPart(f"{said} ({uuid.uuid4().hex[:8]})")


def _pieces(said: Sequence[TextPart]) -> list[str]:
    """What is said, in pieces, two at least."""
    text = " ".join(part.content for part in said)
    middle = len(text) // 2
    return [text[:middle], text[middle:]]
