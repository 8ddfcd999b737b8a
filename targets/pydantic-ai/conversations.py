"""A ``ConversationStore`` in SQLite, as the framework has it written by its users.

The framework works out what is new in a conversation and whether somebody else has saved it since
it was loaded; a store brings five operations. It is loaded and saved around each run:

* https://pydantic.dev/docs/ai/api/pydantic-ai/conversation_store/
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any

from history import Given, announced, content
from pydantic import TypeAdapter
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.conversation import Conversation
from pydantic_ai.conversation_store import (
    ConversationConflict,
    ConversationEntry,
    ConversationRecord,
    ConversationStore,
)
from pydantic_ai.messages import ModelMessage
from settings import ORDER, workdir

RECORD = TypeAdapter(ConversationRecord)
ENTRY = TypeAdapter(ConversationEntry)

TABLES = """
CREATE TABLE IF NOT EXISTS records (id TEXT PRIMARY KEY, scope TEXT, updated TEXT, record BLOB);
CREATE TABLE IF NOT EXISTS entries (id TEXT PRIMARY KEY, entry BLOB);
"""


class SqliteConversations(ConversationStore):
    """Conversations in one SQLite file."""

    def __init__(self) -> None:
        self.file = workdir() / "conversations.sqlite"
        with closing(self._connect()) as connection:
            connection.executescript(TABLES)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.file)

    async def read_record(self, conversation_id: str) -> ConversationRecord | None:
        """The record of a conversation."""
        with closing(self._connect()) as connection:
            return _record(connection, conversation_id)

    async def read_records(
        self, *, scope: str | None = None, limit: int | None = None
    ) -> Sequence[ConversationRecord]:
        """The records of a scope, the newest first."""
        query = "SELECT record FROM records WHERE ? IS NULL OR scope = ? ORDER BY updated DESC"
        with closing(self._connect()) as connection:
            found = connection.execute(
                f"{query} LIMIT ?", (scope, scope, -1 if limit is None else limit)
            )
            return [RECORD.validate_json(row[0]) for row in found]

    async def write_record(
        self,
        record: ConversationRecord,
        *,
        new_entries: Sequence[ConversationEntry] = (),
        expected_revision: str | None,
    ) -> None:
        """Write a record and its new entries in one transaction.

        Raises:
            ConversationConflict: The conversation is not the one that was expected.
        """
        name = f"save:{content([entry.message for entry in new_entries])}"
        async with announced(name):
            with closing(self._connect()) as connection, connection:
                connection.execute("BEGIN IMMEDIATE")
                _refuse_other(connection, record, new_entries, expected_revision)
                connection.executemany(
                    "INSERT INTO entries VALUES (?, ?)",
                    [(entry.id, ENTRY.dump_json(entry)) for entry in new_entries],
                )
                connection.execute(
                    "INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?)",
                    (
                        record.conversation_id,
                        record.scope,
                        record.updated_at.isoformat(),
                        RECORD.dump_json(record),
                    ),
                )

    async def delete_record(self, conversation_id: str, *, expected_revision: str) -> None:
        """Delete a record; its entries stay.

        Raises:
            ConversationConflict: The conversation is not the one that was expected.
        """
        with closing(self._connect()) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            found = _record(connection, conversation_id)
            if found is None or found.revision != expected_revision:
                raise ConversationConflict(conversation_id)
            connection.execute("DELETE FROM records WHERE id = ?", (conversation_id,))

    async def read_entry(self, entry_id: str) -> ConversationEntry:
        """One entry.

        Raises:
            LookupError: There is none.
        """
        with closing(self._connect()) as connection:
            query = "SELECT entry FROM entries WHERE id = ?"
            row = connection.execute(query, (entry_id,)).fetchone()
        if row is None:
            raise LookupError(entry_id)
        return ENTRY.validate_json(row[0])


def _record(connection: sqlite3.Connection, conversation: str) -> ConversationRecord | None:
    query = "SELECT record FROM records WHERE id = ?"
    row = connection.execute(query, (conversation,)).fetchone()
    return None if row is None else RECORD.validate_json(row[0])


def _refuse_other(
    connection: sqlite3.Connection,
    record: ConversationRecord,
    new_entries: Sequence[ConversationEntry],
    expected_revision: str | None,
) -> None:
    """Refuse a write over what somebody else has saved, or under an entry that is gone."""
    found = _record(connection, record.conversation_id)
    known = {entry.id for entry in new_entries}
    query = "SELECT 1 FROM entries WHERE id = ?"
    headless = (
        record.head_id is not None
        and record.head_id not in known
        and connection.execute(query, (record.head_id,)).fetchone() is None
    )
    if (found.revision if found else None) != expected_revision or headless:
        raise ConversationConflict(record.conversation_id)


class StoreBook:
    """One conversation in a store, loaded and saved around each run.

    What is kept in the middle of a run is the same conversation with the messages so far.
    """

    def __init__(self) -> None:
        self.store = SqliteConversations()
        self.conversation = Conversation(conversation_id=ORDER)
        self.kept = False

    async def open(
        self,
        *,
        paused: bool = False,  # noqa: ARG002 - it knows that itself
        after: Sequence[ModelMessage] | None = None,
    ) -> Given:
        """The conversation, which knows what it waits for."""
        stored = await self.store.load(ORDER)
        self.conversation = stored or Conversation(conversation_id=ORDER)
        self.conversation.messages += after or []
        self.kept = False
        return {"conversation": self.conversation}

    async def keep(self, messages: Sequence[ModelMessage]) -> None:
        """Save the messages so far."""
        self.kept = True
        self.conversation.messages = list(messages)
        await self.store.save(self.conversation)

    async def close(self, result: AgentRunResult[Any]) -> None:
        """Save the run."""
        if not self.kept:
            await self.store.save(result)
            return
        # The run does not know what was saved in its middle, and would have it saved again.
        self.conversation.usage = result.conversation.usage
        self.conversation.deferred_tool_requests = result.conversation.deferred_tool_requests
        await self.keep(result.all_messages())

    async def pause(self, result: AgentRunResult[Any]) -> None:
        """Save the run; the conversation carries along what it waits for."""
        await self.close(result)

    async def messages(self) -> list[ModelMessage]:
        """The conversation so far."""
        return list((await self.open())["conversation"].messages)
