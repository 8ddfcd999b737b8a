"""Where the conversation is kept: in the harness's store, in SQLite, or in no Session at all.

* Sessions, and one's own: https://openai.github.io/openai-agents-python/sessions/

Each write announces itself by what is written, so that it can be lost or killed in.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agents import SQLiteSession
from agents.memory import SessionABC
from plugpull import store_write
from plugpull.session_store import STORE_VARIABLE, StoreClient


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


class StoredSession(SessionABC):
    """A Session whose items are in a database on another machine."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.store = StoreClient(session_id)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The newest ``limit`` items, or all of them, oldest first."""
        return await asyncio.to_thread(self.store.get_items, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Append items."""
        await asyncio.to_thread(self.store.add_items, items)

    async def pop_item(self) -> Any:
        """Take the newest item back."""
        return await asyncio.to_thread(self.store.pop_item)

    async def clear_session(self) -> None:
        """Forget everything."""
        await asyncio.to_thread(self.store.clear)


class FileSession(SQLiteSession):
    """The SDK's own Session in a SQLite file."""

    async def add_items(self, items: list[Any]) -> None:
        """Append items."""
        if not items:
            return
        async with announced(f"save:{'+'.join(kind_of(item) for item in items)}"):
            await super().add_items(items)

    async def pop_item(self) -> Any:
        """Take the newest item back."""
        async with announced("save:pop"):
            return await super().pop_item()


Session = StoredSession | FileSession


def open_session(session_id: str) -> Session | None:
    """The conversation; ``None`` where the application keeps the history itself."""
    if os.environ.get("PLUGPULL_SESSION", "none") == "sqlite":
        file = Path(os.environ["PLUGPULL_WORKDIR"]) / "conversation.sqlite"
        return FileSession(session_id, file)
    return StoredSession(session_id) if STORE_VARIABLE in os.environ else None


def kind_of(item: dict[str, Any]) -> str:
    """What one stored item is: the user's words, a call, its answer, or the model's words."""
    kinds = {
        "function_call": "call",
        "function_call_output": "answer",
        "user": "user",
        "assistant": "message",
    }
    return kinds.get(item.get("role") or item.get("type", ""), "system")
