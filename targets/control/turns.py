"""Agents that hold a conversation, of which a turn is cut off; standard library only.

PLUGPULL_CONTROL says which one to be; what each must come to stands in target.json. Each keeps its
messages in a file and writes down what the model asks for before it does it.

restart-next-turn: before the user's next message, one answers the call that has no answer, the
other sends the model what there is, and the model refuses it.

cancel-mid-stream: the client goes away. One keeps every message that is whole, the other a half one
too, which the model refuses later.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import uuid
from pathlib import Path

from plugpull import fault, record_effect

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
KIND = os.environ["PLUGPULL_CONTROL"]
ORDER = "order-42"
MESSAGES = WORK / "messages.json"

Message = dict[str, str]

client_gone = threading.Event()


class ClientGoneError(Exception):
    """Nobody reads the stream any more."""


def load() -> list[Message]:
    """The conversation so far."""
    if not MESSAGES.exists():
        return []
    messages: list[Message] = json.loads(MESSAGES.read_text(encoding="utf-8"))
    return messages


def say(**message: str) -> None:
    """Add to the conversation."""
    half = MESSAGES.with_suffix(".half")
    half.write_text(json.dumps([*load(), message]), encoding="utf-8")
    half.replace(MESSAGES)


def unanswered() -> list[str]:
    """The calls without an answer."""
    answers = {one["id"] for one in load() if one["role"] == "tool"}
    return [one["id"] for one in load() if one["role"] == "call" and one["id"] not in answers]


def ask_model() -> None:
    """Stand in for a model, which refuses what real providers refuse."""
    if unanswered() or any(one["role"] == "half" for one in load()):
        message = "400: an assistant message with tool calls must be followed by tool messages"
        raise ValueError(message)


def watch() -> None:
    """Wait until the client hangs up, as a web server does."""
    if fault("client") != "go-on":
        client_gone.set()


def stream(answer: str) -> None:
    """Send two pieces of text to the client."""
    for _ in range(2):
        if client_gone.is_set() or fault(f"chunk:{answer}") == "close" or client_gone.is_set():
            raise ClientGoneError


def charge() -> None:
    """The turn that asks for the charge."""
    say(role="user", text="Charge $42.")
    stream("first-answer")
    call = f"call_{uuid.uuid4().hex}"
    say(role="call", id=call)
    record_effect("charge_card", key=call)
    say(role="tool", id=call)
    ask_model()
    stream("last-answer")
    record_effect("finish_order", key=ORDER)


def serve() -> None:
    """The same for a client that may go away."""
    threading.Thread(target=watch, daemon=True).start()
    try:
        charge()
    except (ClientGoneError, ConnectionError):
        if KIND == "keeps-half-messages":
            say(role="half")


def go_on() -> None:
    """The turn after that."""
    if KIND == "answers-what-is-open":
        for call in unanswered():
            say(role="tool", id=call, text="interrupted")
    say(role="user", text="How much was that?")
    ask_model()
    record_effect("next_turn", key=f"{ORDER}-turn-2")


if __name__ == "__main__":
    if sys.argv[-1] != "start":
        go_on()
    elif os.environ.get("PLUGPULL_STREAM"):
        serve()
    else:
        charge()
