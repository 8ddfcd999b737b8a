"""What the events of a session hold.

A call that waits for a person has two answers in the events: that it waits, and, later, what came
of it. The model is shown the last one, and so is whoever reads the history here. The calls by which
the framework asks a person, and the person's answers, are never shown to the model: they are
``system`` here.
"""

from __future__ import annotations

from collections.abc import Sequence

from google.adk.events.event import Event
from google.genai import types

#: The call by which the framework asks a person.
CONFIRMATION = "adk_request_confirmation"


def content(event: Event) -> str:
    """What an event holds, in words that are the same in every run: ``call+call``."""
    kinds = [kind(part, event.author) for part in parts(event)]
    if kinds:
        return "+".join(kinds)
    actions = event.actions
    return "end-of-agent" if getattr(actions, "end_of_agent", None) else "agent-state"


def parts(event: Event) -> list[types.Part]:
    """The parts of an event's content."""
    return list(event.content.parts or []) if event.content else []


def kind(part: types.Part, author: str) -> str:
    """What one part of an event is."""
    if part.function_call:
        return "question" if part.function_call.name == CONFIRMATION else "call"
    if part.function_response:
        return "decision" if part.function_response.name == CONFIRMATION else "answer"
    return "user" if author == "user" else "message"


def entries(events: Sequence[Event]) -> list[dict[str, str | None]]:
    """The stored conversation: the user's words, calls, answers, and the model's words."""
    waiting = {
        (number, identity)
        for number, event in enumerate(events)
        for identity in event.actions.requested_tool_confirmations or ()
    } | {
        (number, identity)
        for identity in {name for event in events for name in event.long_running_tool_ids or ()}
        for number in answered_at(events, identity)[:1]
    }
    return [
        {"kind": "system" if named in {"question", "decision"} else named, "id": identity}
        for number, event in enumerate(events)
        for part in parts(event)
        for named, identity in [(kind(part, event.author), identity_of(part))]
        if (number, identity) not in waiting
        or named != "answer"
        or len(answered_at(events, identity)) == 1
    ]


def answered_at(events: Sequence[Event], identity: str | None) -> list[int]:
    """The places of the events that answer a call."""
    return [
        number
        for number, event in enumerate(events)
        if any(answer.id == identity for answer in event.get_function_responses())
    ]


def identity_of(part: types.Part) -> str | None:
    """The id of a call, or of the call that is answered."""
    call = part.function_call or part.function_response
    return call.id if call else None


def waiting_calls(events: Sequence[Event], tool: str) -> list[tuple[types.FunctionCall, str]]:
    """The calls of a tool that no person has answered, each with its invocation's id."""
    decided = {
        answer.id
        for event in events
        if event.author == "user"
        for answer in event.get_function_responses()
    }
    return [
        (call, event.invocation_id)
        for event in events
        for call in event.get_function_calls()
        if call.name == tool and call.id not in decided
    ]


def ended(events: Sequence[Event]) -> bool:
    """Whether the conversation ends on the model's words, with no call left to answer."""
    spoken = [event for event in events if parts(event)]
    if not spoken or spoken[-1].author == "user":
        return False
    return not spoken[-1].get_function_calls() and not spoken[-1].get_function_responses()
