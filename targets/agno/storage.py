"""The framework's SQLite database, with its writes announced.

A database of one's own is a subclass of ``BaseDb``; this one is the framework's own for SQLite:
https://github.com/agno-agi/agno/blob/main/libs/agno/agno/db/base.py. Releases before 3.0 keep the
runs of a session in the session's row; later ones keep each run in a row of its own.
"""

from __future__ import annotations

from typing import Any

from agno.db.sqlite import SqliteDb
from plugpull import store_write
from settings import workdir


class ShopDb(SqliteDb):
    """Sessions and runs in one SQLite file."""

    def __init__(self) -> None:
        super().__init__(db_file=str(workdir() / "agno.sqlite"))

    def upsert_session(self, session: Any, *given: Any, **named: Any) -> Any:
        """Save a session's row."""
        with store_write(f"save:session:{content(session.runs or [])}"):
            return super().upsert_session(session, *given, **named)

    def upsert_run(self, run: Any, *given: Any, **named: Any) -> Any:
        """Save a run's row."""
        with store_write(f"save:run:{content([run])}"):
            return super().upsert_run(run, *given, **named)


def content(runs: list[Any]) -> str:
    """What a write brings, by how far the newest run has come."""
    if not runs:
        return "new"
    status = str(getattr(runs[-1].status, "value", runs[-1].status)).lower()
    answers = sum(message.role == "tool" for message in runs[-1].messages or [])
    return f"{status}-{answers}"
