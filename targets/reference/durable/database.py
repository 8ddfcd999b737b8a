"""The database: how it is opened, what is in it, and what a transaction is.

Everything that must survive a crash is in one SQLite file, the journal included: two files could
disagree after a crash, one transaction cannot.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from durable.errors import AgentError

__all__ = ["SCHEMA", "connect", "transaction"]

#: Seconds to wait for another process's transaction.
_BUSY_SECONDS = 10.0

# Each entry takes a database from the schema of its index to the next one; a database knows its
# number (user_version). An entry that was released is never changed, only followed by another.
# "IF NOT EXISTS", because there are databases with these tables from before they had a number.
_MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
        CREATE TABLE IF NOT EXISTS tasks (
            id         TEXT PRIMARY KEY,
            goal       TEXT NOT NULL,
            status     TEXT NOT NULL CHECK (status IN ('pending', 'running', 'done', 'failed')),
            created_at REAL NOT NULL,
            updated_at REAL NOT NULL
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS steps (
            task_id  TEXT NOT NULL REFERENCES tasks (id),
            idx      INTEGER NOT NULL,
            tool     TEXT NOT NULL,
            input    TEXT NOT NULL,
            status   TEXT NOT NULL DEFAULT 'pending'
                     CHECK (status IN ('pending', 'running', 'done', 'failed')),
            output   TEXT,
            attempts INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (task_id, idx)
        )
        """,
        """
        CREATE TABLE IF NOT EXISTS events (
            seq      INTEGER PRIMARY KEY AUTOINCREMENT,
            ts       REAL NOT NULL,
            task_id  TEXT NOT NULL,
            run_id   TEXT NOT NULL,
            kind     TEXT NOT NULL,
            step_idx INTEGER,
            data     TEXT NOT NULL
        )
        """,
    ),
    (
        """
        CREATE TRIGGER events_keep_their_words BEFORE UPDATE ON events
        BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
        """,
        """
        CREATE TRIGGER events_stay BEFORE DELETE ON events
        BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END
        """,
        "CREATE INDEX events_of_task ON events (task_id, seq)",
    ),
)

#: The number of the schema that this code reads and writes.
SCHEMA = len(_MIGRATIONS)


def connect(path: Path, *, create: bool) -> sqlite3.Connection:
    """Open the database, bringing an older one up to date.

    Args:
        path: The file.
        create: Whether to make one where there is none.

    Raises:
        AgentError: There is none, or a newer agent wrote it.
        sqlite3.Error: The file cannot be used as a database.
    """
    if not create and not path.exists():
        raise AgentError(f"there is no database {path}")
    # No implicit transactions: what is atomic is what stands inside transaction(), in plain sight.
    connection = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_SECONDS)
    try:
        _set_up(connection, path)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All of what happens inside, or none of it.

    It holds the write lock from its first moment, so that what is read inside still holds when it
    is acted upon.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _set_up(connection: sqlite3.Connection, path: Path) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise AgentError(f"{path} cannot have a write-ahead log (journal mode {mode})")
    # A commit reaches the disk before it returns, so a power cut cannot take it back either.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    _migrate(connection, path)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    if _version(connection) == SCHEMA:
        return
    with transaction(connection):
        # Asked again: another process may have been faster.
        version = _version(connection)
        if version > SCHEMA:
            raise AgentError(
                f"{path} has schema {version} of a newer agent; this one knows {SCHEMA}. "
                "Go on with the newer agent"
            )
        for statements in _MIGRATIONS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA}")


def _version(connection: sqlite3.Connection) -> int:
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)
