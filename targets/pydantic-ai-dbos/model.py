"""The fake language model: it asks for what is still to be done, then thanks the customer.

Like a real model it never says the same thing twice: each call has a new id and new wording. Like a
real provider it takes no history in which a call has no answer, and sometimes it cannot be reached.

A model made of functions: https://pydantic.dev/docs/ai/api/models/function/
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Sequence

from plugpull import fault
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from settings import APPROVAL, BATCH, MODEL, NEXT_REQUEST, WORLD

# After so many calls the model gives up, as far as they had failed.
PATIENCE = 6


def turns() -> list[list[tuple[str, int]]]:
    """What the model asks for, turn by turn: the tool, and for which payment (0: the only one)."""
    if BATCH or APPROVAL == "two":
        return [[("charge_card", number) for number in range(1, (BATCH or 2) + 1)]]
    if APPROVAL == "sibling":
        return [[("charge_card", 0), ("notify_shop", 0)]]
    before = [[("reserve_stock", 0)]] if "after-step" in APPROVAL else []
    return [*before, [("charge_card", 0)]]


async def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """What the model says next.

    Raises:
        ModelHTTPError: The provider cannot be reached.
        ValueError: It does not take this history.
    """
    refuse_unpaired(messages)
    newest = messages[-1].parts[-1] if messages[-1].parts else None
    try:
        await asyncio.to_thread(fault, "model:after-tool" if answers(newest) else "model:first")
    except ConnectionError as error:
        raise ModelHTTPError(503, MODEL, str(error)) from error
    return ModelResponse(parts=decide(messages, {tool.name for tool in info.function_tools}))


def decide(messages: Sequence[ModelMessage], offered: set[str]) -> list[ModelResponsePart]:
    """What a model says that has read this history, and is offered these tools."""
    parts = [part for message in messages for part in message.parts]
    asked = [part.content for part in parts if isinstance(part, UserPromptPart)]
    if asked and asked[-1] == NEXT_REQUEST:
        return [words("It arrives on Tuesday.")]
    calls = [part for part in parts if isinstance(part, ToolCallPart)]
    # Newer releases give a call that failed a return as well, which says what was wrong.
    settled = {answers(part) for part in parts if settles(str(getattr(part, "content", "")))}
    done = {wish(call) for call in calls if call.tool_call_id in settled}
    for turn in turns():
        missing = [one for one in turn if one not in done and one[0] in offered]
        if missing and len(calls) < PATIENCE:
            return [request(*one) for one in missing]
    failed = any(one not in done for turn in turns() for one in turn)
    return [words("I could not do all of that." if failed else "That is all. Thank you!")]


def settles(told: str) -> bool:
    """Whether an answer leaves nothing to ask for again: it was done, or a human said no."""
    return any(word in told for word in ("charged", "reserved", "notified", "rejected"))


def wish(call: ToolCallPart) -> tuple[str, int]:
    """What a call was made for."""
    return call.tool_name, call.args_as_dict().get("payment", 0)


def request(tool: str, payment: int) -> ToolCallPart:
    """The model's wish for a call, with arguments in its own words."""
    said = f"order 42, {uuid.uuid4().hex[:8]}"
    if tool == "charge_card":
        amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
        arguments = {**amount, "memo": said, "payment": payment}
    else:
        arguments = {"about": said}
    return ToolCallPart(tool, json.dumps(arguments), tool_call_id=f"call_{uuid.uuid4().hex}")


def words(said: str) -> TextPart:
    """What the model says."""
    return TextPart(f"{said} ({uuid.uuid4().hex[:8]})")


def answers(part: object) -> str | None:
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
            waiting = _without(waiting, part)
    _refuse_if(bool(waiting))


def _without(waiting: set[str], part: ModelRequestPart) -> set[str]:
    answered = answers(part)
    _refuse_if(answered is not None and answered not in waiting)
    _refuse_if(isinstance(part, UserPromptPart) and bool(waiting))
    return waiting - {answered}


def _refuse_if(broken: bool) -> None:
    if broken:
        raise ValueError(
            "400: an assistant message with tool calls must be followed by tool messages"
        )


MODEL_OF_THE_SHOP = FunctionModel(answer, model_name=MODEL)
