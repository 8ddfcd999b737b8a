"""Where the conversation is kept: the framework's own files, behind the interfaces it documents.

* a file for each message, which is a repository of sessions:
  https://strandsagents.com/docs/user-guide/sdk/agents/session-management/
* a snapshot of the whole agent, in a storage:
  https://strandsagents.com/docs/api/python/strands.session.snapshot_session_manager/

Each write announces itself by what is written, so that it can be lost or killed in.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any

from plugpull import store_write
from settings import ORDER, SESSION, workdir
from strands.session import FileSessionManager


class OrderFiles(FileSessionManager):
    """Session files in which each write can be watched."""

    def create_agent(self, session_id: str, session_agent: Any, **kwargs: Any) -> None:
        """Write down that there is an agent."""
        with store_write(f"save:{session_agent.agent_id}"):
            super().create_agent(session_id, session_agent, **kwargs)

    def update_agent(self, session_id: str, session_agent: Any, **kwargs: Any) -> None:
        """Write down what an agent keeps beside its messages, and what it waits for."""
        internal = getattr(session_agent, "_internal_state", {})
        waits = internal.get("interrupt_state", {}).get("activated", False)
        with store_write(f"save:{session_agent.agent_id}-{'waits' if waits else 'state'}"):
            super().update_agent(session_id, session_agent, **kwargs)

    def create_message(
        self, session_id: str, agent_id: str, session_message: Any, **kwargs: Any
    ) -> None:
        """Write down a message."""
        with store_write(f"save:{agent_id}-{kind_of(session_message.to_message())}"):
            super().create_message(session_id, agent_id, session_message, **kwargs)


def session(of: str = ORDER) -> Any:
    """What keeps the conversation of an order."""
    if not SESSION.startswith("snapshot"):
        return OrderFiles(session_id=of, storage_dir=str(workdir() / "sessions"))
    from strands.session import SnapshotSessionManager  # noqa: PLC0415 - it came later

    when: Any = SESSION.removeprefix("snapshot-")
    trigger = {"snapshot_trigger": lambda **_: True} if when == "trigger" else {}
    return SnapshotSessionManager(of, storage=storage(), save_latest_on=when, **trigger)


def storage() -> Any:
    """Files in which each write of a snapshot can be watched."""
    from strands.storage import LocalFileStorage  # noqa: PLC0415 - it came later

    class OrderStorage(LocalFileStorage):
        async def write(self, key: str, data: bytes, **options: Any) -> None:
            newest = json.loads(data)["data"]["messages"][-1:]
            history = "" if key.endswith("snapshot_latest.json") else "-history"
            name = "-".join(kind_of(message) for message in newest) or "nothing"
            watched: Any = store_write(f"save:{name}{history}")
            await asyncio.to_thread(watched.__enter__)
            await super().write(key, data, **options)
            await asyncio.to_thread(watched.__exit__, None, None, None)

    return OrderStorage(str(workdir() / "snapshots"))


def kind_of(message: Any) -> str:
    """What a message is: ``call``, ``answer``, ``user`` or ``message``."""
    blocks = {name for block in message["content"] for name in block}
    if "toolUse" in blocks:
        return "call"
    if "toolResult" in blocks:
        return "answer"
    return "user" if message["role"] == "user" else "message"
