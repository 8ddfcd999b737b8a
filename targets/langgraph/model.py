"""A stand-in for the language model: a LangChain chat model that answers without any network.

Like a real one it never says the same thing twice (each call has a new id, new arguments and new
wording), streams its text in pieces, and refuses a conversation in which a call has no answer.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from plugpull import fault
from settings import APPROVAL, BATCH, WORLD

MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


class ShopModel(BaseChatModel):
    """Asks for what the order needs, and thanks when it is done.

    Attributes:
        offered: The names of the tools that it may ask for.
    """

    offered: tuple[str, ...] = ()

    @property
    def _llm_type(self) -> str:
        return MODEL

    def _generate(
        self, messages: list[BaseMessage], *_arguments: Any, **_options: Any
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=answer(messages, self.offered))])

    def _stream(
        self, messages: list[BaseMessage], *_arguments: Any, **_options: Any
    ) -> Iterator[ChatGenerationChunk]:
        """LangChain calls this instead when somebody listens to the pieces."""
        whole = answer(messages, self.offered)
        for word in str(whole.content).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(f"{word} "))
        calls = [
            {"name": one["name"], "args": json.dumps(one["args"]), "id": one["id"], "index": place}
            for place, one in enumerate(whole.tool_calls)
        ]
        metadata = whole.response_metadata
        yield ChatGenerationChunk(
            message=AIMessageChunk("", tool_call_chunks=calls, response_metadata=metadata)
        )


def answer(messages: Sequence[BaseMessage], offered: Sequence[str]) -> AIMessage:
    """Charges, then thanks. What failed it asks for again; a new message is answered with text.

    Raises:
        ConnectionError: The service cannot be reached.
        ValueError: The conversation is not one that a provider takes.
    """
    fault("model:after-tool" if isinstance(messages[-1], ToolMessage) else "model:first")
    refuse_unanswered(messages)
    wording = uuid.uuid4().hex[:8]
    missing = still_to_do(messages)
    asked = [one for one in messages if isinstance(one, HumanMessage)]
    turns = sum(isinstance(one, AIMessage) and bool(one.tool_calls) for one in messages)
    if asked and "Charge" not in str(asked[-1].content):
        said = AIMessage(f"Your order is in good hands. ({wording})")
    elif missing and offered and turns < PATIENCE:
        calls = [wish(name, payment, wording) for name, payment in missing]
        said = AIMessage(f"Let me see to that. ({wording})", tool_calls=calls)
    elif missing:
        said = AIMessage(f"I could not charge your card. ({wording})")
    else:
        said = AIMessage(f"Your card was charged. Thank you! ({wording})")
    said.response_metadata = {"model_name": MODEL}
    return said


def refuse_unanswered(messages: Sequence[BaseMessage]) -> None:
    """Refuse, as providers do, a conversation in which calls and answers do not belong together."""
    open_calls: set[str | None] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in open_calls:
                raise ValueError(
                    "400: a tool message must follow an assistant message with its tool call"
                )
            open_calls.remove(message.tool_call_id)
        elif open_calls:
            break
        elif isinstance(message, AIMessage):
            open_calls = {call["id"] for call in message.tool_calls}
    if open_calls:
        raise ValueError(
            "400: an assistant message with tool calls must be followed by tool messages"
        )


def still_to_do(messages: Sequence[BaseMessage]) -> list[tuple[str, int]]:
    """Tools and payments that nobody asked for yet, or whose call failed."""
    failed = {
        one.tool_call_id
        for one in messages
        if isinstance(one, ToolMessage) and one.status == "error"
    }
    made = {
        (call["name"], call["args"]["payment"])
        for one in messages
        if isinstance(one, AIMessage)
        for call in one.tool_calls
        if call["id"] not in failed
    }
    payments = 2 if APPROVAL == "two" else BATCH
    wanted = [("charge_card", payment) for payment in range(1, payments + 1) or [0]]
    if APPROVAL == "sibling":
        wanted.append(("notify_shop", 0))
    return [one for one in wanted if one not in made]


def wish(name: str, payment: int, wording: str) -> ToolCall:
    """The model's wish to have something done."""
    amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    return ToolCall(
        name=name,
        args={**amount, "memo": f"order 42, {wording}", "payment": payment},
        id=f"call_{uuid.uuid4().hex}",
    )
