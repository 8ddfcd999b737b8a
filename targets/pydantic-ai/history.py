"""Where the conversation is kept: in a file of the application's own.

Up to 2.64 Pydantic AI keeps nothing by itself, and from 2.66 on nothing that it is not told to. The
application takes the messages and hands them to the next run:

* https://pydantic.dev/docs/ai/core-concepts/message-history/#storing-and-loading-messages-to-json

Each write announces itself by what is written, so that it can be lost or killed in.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from model import answered_call
from plugpull import store_write
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.messages import (
    ModelMessage,
    ModelMessagesTypeAdapter,
    ModelRequest,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from settings import workdir

try:
    from pydantic_ai.conversation_store import ConversationConflict as Conflict
except ImportError:

    class Conflict(Exception):  # type: ignore[no-redef]
        """Never raised: nobody but the application keeps anything."""


#: What a run is given to go on from: ``message_history`` or ``conversation``.
Given = dict[str, Any]


class Book(Protocol):
    """Where a conversation is kept."""

    async def open(
        self, *, paused: bool = False, after: Sequence[ModelMessage] | None = None
    ) -> Given:
        """What the next run goes on from.

        Args:
            paused: The run waits for a person.
            after: Messages of an earlier turn that is not stored.
        """
        ...

    async def keep(self, messages: Sequence[ModelMessage]) -> None:
        """Keep what there is in the middle of a run, or of one that was stopped."""
        ...

    async def close(self, result: AgentRunResult[Any]) -> None:
        """Keep what a run has come to."""
        ...

    async def pause(self, result: AgentRunResult[Any]) -> None:
        """Keep a run that waits for a person, for whoever comes with the decision."""
        ...

    async def messages(self) -> list[ModelMessage]:
        """The conversation so far."""
        ...


class FileBook:
    """The messages as JSON in one file, which each save replaces."""

    def __init__(self) -> None:
        self.file = workdir() / "history.json"
        self.paused = workdir() / "paused.json"

    async def open(
        self, *, paused: bool = False, after: Sequence[ModelMessage] | None = None
    ) -> Given:
        """The messages of the last save, or of the last pause."""
        stored = _load(self.paused if paused else self.file)
        return {"message_history": stored if after is None else list(after)}

    async def keep(self, messages: Sequence[ModelMessage]) -> None:
        """Replace the file."""
        async with announced(f"save:{content(messages)}"):
            _replace(self.file, messages)

    async def close(self, result: AgentRunResult[Any]) -> None:
        """Replace the file with all messages of the run."""
        await self.keep(result.all_messages())

    async def pause(self, result: AgentRunResult[Any]) -> None:
        """Keep the messages twice: as the conversation, and as what the decision will need."""
        await self.close(result)
        _replace(self.paused, result.all_messages())

    async def messages(self) -> list[ModelMessage]:
        """The messages of the last save."""
        return _load(self.file)


def _replace(file: Path, messages: Sequence[ModelMessage]) -> None:
    """Replace a file in one step: a crash leaves the old one or the new one."""
    draft = file.with_suffix(".new")
    draft.write_bytes(ModelMessagesTypeAdapter.dump_json(list(messages)))
    draft.replace(file)


def _load(file: Path) -> list[ModelMessage]:
    """The messages in a file, none if the run died before anything was saved."""
    return ModelMessagesTypeAdapter.validate_json(file.read_bytes()) if file.exists() else []


@asynccontextmanager
async def announced(name: str) -> AsyncIterator[None]:
    """A write that is announced before it is made and when it was made."""
    write = store_write(name)
    await asyncio.to_thread(write.__enter__)
    try:
        yield
    except BaseException:
        write.__exit__(*sys.exc_info())
        raise
    await asyncio.to_thread(write.__exit__, None, None, None)


def content(messages: Sequence[ModelMessage]) -> str:
    """What is saved, in words that are the same in every run: ``user+call+answer``."""
    kinds = [str(entry["kind"]) for message in messages for entry in entries(message)]
    return "+".join(kinds) or "nothing"


def entries(message: ModelMessage) -> list[dict[str, str | None]]:
    """What one stored message holds: the user's words, calls, answers, or the model's words."""
    return [
        {"kind": kind(part), "id": getattr(part, "tool_call_id", None)} for part in message.parts
    ]


def kind(part: object) -> str:
    """What one part of a message is."""
    if answered_call(part) is not None:
        return "answer"
    kinds = {UserPromptPart: "user", ToolCallPart: "call", TextPart: "message"}
    return kinds.get(type(part), "system")


def ended(history: Sequence[ModelMessage]) -> bool:
    """Whether the history ends on the model's words, with no call left to answer."""
    if not history or isinstance(history[-1], ModelRequest):
        return False
    return not any(isinstance(part, ToolCallPart) for part in history[-1].parts)
