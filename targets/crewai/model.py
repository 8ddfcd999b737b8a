"""The fake language model: it asks for what an order takes, and thanks when that is done.

Like a real model it never says the same thing twice: each call has a new id, and everything new
wording. Like a real provider it refuses a conversation in which a call has no answer. A model of
one's own: https://docs.crewai.com/en/learn/custom-llm
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

from crewai import BaseLLM
from plugpull import fault
from settings import AMOUNT, QUESTION, STREAMED, WISHES, WORLD

Message = dict[str, Any]

#: Called after each piece of a streamed answer, which comes no faster than it is read.
say: Callable[[], object] = bool

#: What a person says to a charge.
YES, NO = "Yes, charge it.", "No, leave my card alone."

# After so many calls for one and the same thing that failed the model gives up.
_PATIENCE = 3


class ShopModel(BaseLLM):
    """Asks for what is missing, and thanks when nothing is."""

    def call(self, messages: str | list[Any], *_arguments: Any, **named: Any) -> str:
        """The model's next words; calls are JSON, which the flow reads.

        Raises:
            ConnectionError: The provider cannot be reached.
            ValueError: It does not take these messages.
        """
        said = [message for message in messages if isinstance(message, dict)]
        if named.get("response_model") is not None:
            return json.dumps({"outcome": classify(said[-1]["content"])})
        refuse_unpaired(said)
        after_tool = said[-1]["role"] == "tool"
        fault("model:after-tool" if after_tool else "model:first")
        return self.spoken(think(said))

    def spoken(self, answer: str | list[str]) -> str:
        """An answer as it comes over the wire, and piece by piece where somebody listens."""
        text = answer if isinstance(answer, str) else "I will see to it at once."
        text = f"{text} ({wording()})"
        if STREAMED:
            answer_id = uuid.uuid4().hex
            for piece in (text[: len(text) // 2], text[len(text) // 2 :]):
                self._emit_stream_chunk_event(piece, response_id=answer_id)
                say()
        return text if isinstance(answer, str) else json.dumps([wish(one) for one in answer])


def classify(prompt: str) -> str:
    """What somebody has decided who is quoted in a prompt of CrewAI's."""
    if YES in prompt:
        return "approved"
    return "rejected" if NO in prompt else "undecided"


def calls_of(message: Message) -> list[dict[str, Any]]:
    """The calls that a message of the model asks for."""
    if message["role"] != "assistant" or not message["content"].startswith("["):
        return []
    calls: list[dict[str, Any]] = json.loads(message["content"])
    return calls


def refuse_unpaired(messages: list[Message]) -> None:
    """Turn down a conversation that no provider would take.

    Raises:
        ValueError: There is a call without its answer, or an answer without its call.
    """
    waiting: set[str] = set()
    for message in messages:
        paired = message["role"] == "tool" and message.get("call") in waiting
        if paired:
            waiting.remove(message["call"])
        elif waiting or message["role"] == "tool":
            error = "400: an assistant message with tool calls must be followed by tool messages"
            raise ValueError(error)
        waiting |= {call["id"] for call in calls_of(message)}
    if waiting:
        error = "400: an assistant message with tool calls must be followed by tool messages"
        raise ValueError(error)


def think(messages: list[Message]) -> str | list[str]:
    """What to say to a conversation: some words, or effects that are asked for."""
    asked = {call["id"]: call["effect"] for message in messages for call in calls_of(message)}
    told = [(asked[one["call"]], one["content"]) for one in messages if one["role"] == "tool"]
    done = {effect for effect, answer in told if answer.startswith("done")}
    if messages[-1]["content"] == QUESTION:
        return "It arrives on Tuesday."
    if any(answer == NO for _, answer in told):
        return "Then I will not charge your card."
    for effects in WISHES:
        missing = [one for one in effects if one not in done]
        tried = [effect for effect, _ in told]
        if missing and WORLD != "tool-removed" and tried.count(missing[0]) < _PATIENCE:
            return missing
        if missing:
            return "I could not charge your card."
    return "All done. Thank you!"


def wish(effect: str) -> dict[str, Any]:
    """A call for an effect, with a new id and new words."""
    tool = "charge_card" if effect.startswith("charge_card") else effect
    arguments = {"memo": f"order 42, {wording()}"}
    if tool == "charge_card":
        arguments |= dict([AMOUNT])
    identity = f"call_{uuid.uuid4().hex}"
    return {"id": identity, "tool": tool, "effect": effect, "arguments": arguments}


def wording() -> str:
    """Some words that the model has never used before."""
    return uuid.uuid4().hex[:8]
