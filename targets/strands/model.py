"""The shop's language model: it asks for what the order takes, then thanks the customer.

It is a model provider of one's own. Like a real model it never says the same thing twice: each call
has a new id and new wording. What failed it asks for again, what a human forbade it does not. Like
a real provider it refuses a conversation in which a call has no answer, or an answer no call.
https://strandsagents.com/docs/user-guide/sdk/model-providers/custom_model_provider/
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import AsyncIterator, Iterator
from typing import Any

from plugpull import fault
from settings import MODEL, QUESTION, WORLD
from strands.models import Model
from strands.types.exceptions import ModelThrottledException

# After so many calls for one and the same thing that failed the model gives up.
PATIENCE = 3

Message = dict[str, Any]


class ShopModel(Model):
    """Stands in for a language model.

    Args:
        turns: What it asks for: the effects of one list in one turn.
    """

    def __init__(self, turns: list[list[str]]) -> None:
        self.config = {"model_id": MODEL}
        self._turns = turns

    def update_config(self, **model_config: Any) -> None:
        """Take another configuration."""
        self.config.update(model_config)

    def get_config(self) -> dict[str, str]:
        """The model's name."""
        return self.config

    async def structured_output(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Answer in a given shape, which nobody asks of it.

        Raises:
            NotImplementedError: Somebody has.
        """
        raise NotImplementedError
        yield  # an asynchronous generator, as the interface wants it

    async def stream(
        self,
        messages: list[Message],
        tool_specs: list[Any] | None = None,
        system_prompt: str | None = None,
        **_: Any,
    ) -> AsyncIterator[dict[str, Any]]:
        """Answer a conversation, piece by piece.

        Raises:
            ModelThrottledException: The provider cannot take the request now.
            ValueError: It does not take this conversation.
        """
        del system_prompt
        refuse_unpaired(messages)
        after_tool = any("toolResult" in block for block in messages[-1]["content"])
        try:
            await asyncio.to_thread(fault, "model:after-tool" if after_tool else "model:first")
        except ConnectionError as problem:
            raise ModelThrottledException(str(problem)) from problem
        for event in self._events(think(messages, self._turns, offered=bool(tool_specs))):
            yield event

    def _events(self, answer: str | list[str]) -> Iterator[dict[str, Any]]:
        yield {"messageStart": {"role": "assistant"}}
        calls = [] if isinstance(answer, str) else answer
        said = answer if isinstance(answer, str) else "I will see to it at once."
        text = f"{said} ({wording()})"
        yield {"contentBlockStart": {"start": {}}}
        for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
            yield {"contentBlockDelta": {"delta": {"text": piece}}}
        yield {"contentBlockStop": {}}
        for effect in calls:
            name, arguments = wish(effect)
            use = {"name": name, "toolUseId": f"tooluse_{uuid.uuid4().hex}"}
            yield {"contentBlockStart": {"start": {"toolUse": use}}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": json.dumps(arguments)}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if calls else "end_turn"}}


def refuse_unpaired(messages: list[Message]) -> None:
    """Turn down a conversation that no provider would take.

    Raises:
        ValueError: The message after calls does not answer each of them, and nothing else.
    """
    waiting: list[str] = []
    for message in messages:
        answered = [
            block["toolResult"]["toolUseId"]
            for block in message["content"]
            if "toolResult" in block
        ]
        if sorted(answered) != sorted(waiting):
            refusal = "400: an assistant message with tool calls must be followed by tool messages"
            raise ValueError(refusal)
        waiting = [
            block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block
        ]
    if waiting:
        refusal = "400: an assistant message with tool calls must be followed by tool messages"
        raise ValueError(refusal)


def think(messages: list[Message], turns: list[list[str]], *, offered: bool) -> str | list[str]:
    """What to say to a conversation: some words, or effects that are asked for.

    Args:
        messages: The conversation.
        turns: What is to be done, by turn.
        offered: Whether there are tools; without them nothing is asked for.
    """
    blocks = [(message["role"], block) for message in messages for block in message["content"]]
    said = [block["text"] for role, block in blocks if role == "user" and "text" in block]
    if said and QUESTION in said[-1]:
        return "It arrives on Tuesday."
    calls = {
        block["toolUse"]["toolUseId"]: effect_of(block["toolUse"])
        for _, block in blocks
        if "toolUse" in block
    }
    told = {
        calls[block["toolResult"]["toolUseId"]]: json.dumps(block["toolResult"]["content"])
        for _, block in blocks
        if "toolResult" in block
    }
    asked = list(calls.values())
    if any("rejected" in answer for answer in told.values()):
        return "Then I will not charge your card."
    for effects in turns:
        missing = [one for one in effects if "done" not in told.get(one, "")]
        if missing and offered and all(asked.count(one) < PATIENCE for one in missing):
            return missing
        if missing:
            return "I could not charge your card."
    return "All done. Your card was charged. Thank you!"


def wish(effect: str) -> tuple[str, dict[str, Any]]:
    """The tool that has an effect, and the arguments for it in the model's own words."""
    memo = f"order 42, {wording()}"
    if effect == "ask_cashier":
        return effect, {"input": f"Charge the customer's card $42 ({memo})."}
    if not effect.startswith("charge_card"):
        return effect, {"memo": memo}
    amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    payment = int(effect.removeprefix("charge_card").lstrip("_") or 0)
    return "charge_card", {**amount, "memo": memo, "payment": payment}


def effect_of(use: dict[str, Any]) -> str:
    """The effect that a call asks for; each of several payments has its own name."""
    payment = use["input"].get("payment")
    return f"{use['name']}_{payment}" if payment else str(use["name"])


def wording() -> str:
    """Some words that the model has never used before."""
    return uuid.uuid4().hex[:8]
