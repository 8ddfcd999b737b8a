"""The checkpointer: LangGraph's own for SQLite, with every write announced.

A checkpointer is a class that users may replace or derive from:
https://docs.langchain.com/oss/python/langgraph/checkpointers#checkpointer-interface

Two kinds of writes reach it. ``put`` saves a checkpoint, once for each step of the graph.
``put_writes`` saves what one task of a step came to, before the step is over:
https://docs.langchain.com/oss/python/langgraph/checkpointers#pending-writes
"""

from __future__ import annotations

import asyncio
import inspect
import sqlite3
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import aiosqlite
from kept import CLASSES
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from plugpull import store_write
from settings import SERIALIZER, checkpoints

Writes = Sequence[tuple[str, Any]]

# Releases before 0.2.70 do not know where in a step a task stands.
TAKES_PATH = "task_path" in inspect.signature(SqliteSaver.put_writes).parameters


class Saver(SqliteSaver):
    """The checkpointer of ``invoke``."""

    def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Save a checkpoint."""
        with store_write(f"save:{metadata['step']}"):
            return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(self, config: Any, writes: Writes, task_id: str, task_path: str = "") -> None:
        """Save what a task came to."""
        path = (task_path,) if TAKES_PATH else ()
        with store_write(f"writes:{content(writes)}"):
            super().put_writes(config, writes, task_id, *path)


class AsyncSaver(AsyncSqliteSaver):
    """The checkpointer of ``astream``."""

    async def aput(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
        """Save a checkpoint."""
        async with announced(f"save:{metadata['step']}"):
            return await super().aput(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: Any, writes: Writes, task_id: str, task_path: str = ""
    ) -> None:
        """Save what a task came to."""
        path = (task_path,) if TAKES_PATH else ()
        async with announced(f"writes:{content(writes)}"):
            await super().aput_writes(config, writes, task_id, *path)


@contextmanager
def opened() -> Iterator[Saver]:
    """The checkpoints, for a program without a loop."""
    connection = sqlite3.connect(checkpoints(), check_same_thread=False)
    try:
        yield Saver(connection, serde=serializer())
    finally:
        connection.close()


@asynccontextmanager
async def opened_async() -> AsyncIterator[AsyncSaver]:
    """The checkpoints, for a program with a loop."""
    async with aiosqlite.connect(checkpoints()) as connection:
        yield AsyncSaver(connection, serde=serializer())


@asynccontextmanager
async def announced(name: str) -> AsyncIterator[None]:
    """``store_write`` for a program with a loop, which must not be kept from its other work."""
    write = store_write(name)
    await asyncio.to_thread(write.__enter__)
    yield
    await asyncio.to_thread(write.__exit__, None, None, None)


def serializer() -> Any:
    """What turns the state into bytes; ``None`` for LangGraph's own choice.

    ``allow-list`` names the classes of ours that may be made again from a checkpoint, and
    ``strict`` names none: https://reference.langchain.com/python/langgraph.checkpoint/serde/jsonplus/JsonPlusSerializer
    """
    if SERIALIZER == "default":
        return None
    allowed = CLASSES if SERIALIZER == "allow-list" else None
    return JsonPlusSerializer(allowed_msgpack_modules=allowed)


def content(writes: Writes) -> str:
    """What a task came to, in words that are the same in every run: ``call``, ``answer``."""
    found: list[str] = []
    for channel, value in writes:
        if channel.startswith("branch:"):
            continue  # where the graph goes on, and no content
        said = value if isinstance(value, list) else [value]
        kinds = [kind(one) for one in said if isinstance(one, BaseMessage)]
        found += [one for one in kinds or [channel.strip("_")] if one not in found]
    return "+".join(found) or "nothing"


def kind(message: BaseMessage) -> str:
    """What a message is: the user's words, a call, its answer, or the model's words."""
    if isinstance(message, AIMessage):
        return "call" if message.tool_calls else "message"
    if isinstance(message, ToolMessage):
        return "answer"
    return "user" if isinstance(message, HumanMessage) else "system"
