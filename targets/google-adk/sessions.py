"""Where the conversation is kept: in one of the framework's session services, on SQLite.

Each event of a run is appended when it has happened. Each such write announces itself by what is
written, so that it can be lost or killed in. The interface is ``BaseSessionService``:
https://google.github.io/adk-docs/sessions/session/
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions import BaseSessionService, Session
from history import content
from plugpull import store_write
from settings import APP, ORDER, SERVICE, USER, workdir


class Announced(BaseSessionService):
    """A session service that says what it is about to write, and that it has."""

    async def append_event(self, session: Session, event: Event) -> Event:
        """Append an event.

        Raises:
            ConnectionError: The store cannot be reached.
        """
        async with announced(f"save:{content(event)}"):
            return await super().append_event(session, event)


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


def open_sessions() -> BaseSessionService:
    """The session service that a variant names."""
    file = workdir() / "sessions.sqlite"
    if SERVICE == "database":
        from google.adk.sessions import DatabaseSessionService  # noqa: PLC0415 - an extra

        class Database(Announced, DatabaseSessionService):
            """The one that speaks to any database."""

        return Database(db_url=f"sqlite+aiosqlite:///{file}")
    from google.adk.sessions.sqlite_session_service import SqliteSessionService  # noqa: PLC0415

    class Sqlite(Announced, SqliteSessionService):
        """The one for SQLite alone."""

    return Sqlite(str(file))


async def stored(sessions: BaseSessionService) -> Session | None:
    """The conversation as it is stored, if there is one."""
    return await sessions.get_session(**place())


def place() -> dict[str, Any]:
    """Whose conversation it is."""
    return {"app_name": APP, "user_id": USER, "session_id": ORDER}
