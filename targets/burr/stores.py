"""Where the state is saved: in SQLite, or in the files of Burr's tracker.

A persister is Burr's interface for stores of its users. The one here is Burr's own, and announces
each write by what is written, so that it can be lost or killed in:

* https://burr.apache.org/concepts/state-persistence/
* https://burr.apache.org/reference/persister/
"""

from __future__ import annotations

from typing import Any

from burr.core import State
from burr.core.persistence import SQLitePersister
from plugpull import store_write
from settings import workdir

TABLE = "orders"


class Announced(SQLitePersister):
    """Burr's persister for SQLite."""

    def copy(self) -> Announced:
        """Another one for the same file, for an application that runs beside this one."""
        return Announced(self.db_path, self.table_name, self.serde_kwargs, self._connect_kwargs)

    def save(  # noqa: PLR0917 - Burr's interface
        self,
        partition_key: str | None,
        app_id: str,
        sequence_id: int,
        position: str,
        state: State,
        status: Any,
        **kwargs: Any,
    ) -> None:
        """Save what an action has come to."""
        with store_write(written(position, state, status)):
            super().save(partition_key, app_id, sequence_id, position, state, status, **kwargs)


def written(position: str, state: State, status: str) -> str:
    """What is saved, in words that are the same in every run."""
    if status != "completed":
        return f"save:{position}-{status}"
    if position == "decide":
        return f"save:decide-{'call' if state['messages'][-1].get('calls') else 'message'}"
    if position == "one_tool":
        return f"save:one_tool-{state['call']['arguments']['payment']}"
    return f"save:{position}"


def open_store() -> Announced:
    """The persister, with its table."""
    # Applications in parallel are built in this thread, and run in others.
    any_thread = {"check_same_thread": False}
    persister = Announced(str(workdir() / "shop.sqlite"), TABLE, connect_kwargs=any_thread)
    persister.initialize()
    return persister


def open_tracker() -> Any:
    """Burr's tracker, which writes a log that it can load from: for development, as its page says.

    It needs pydantic, as the persister does not.
    """
    from burr.tracking.client import LocalTrackingClient  # noqa: PLC0415 - not in every variant

    return LocalTrackingClient(project="shop", storage_dir=str(workdir() / "tracked"))
