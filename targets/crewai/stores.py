"""Where a flow's state is saved.

``@persist`` takes a persistence of the application's own; the one here is CrewAI's own for SQLite,
and announces each write by what is written, so that it can be lost or killed in.

* https://docs.crewai.com/en/concepts/flows
* https://docs.crewai.com/en/concepts/checkpointing
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from crewai.flow.persistence import SQLiteFlowPersistence
from plugpull import store_write
from settings import ORDER, workdir


class Announced(SQLiteFlowPersistence):
    """CrewAI's persistence for SQLite."""

    def save_state(self, flow_uuid: str, method_name: str, state_data: Any) -> None:
        """Save what a method has come to."""
        with store_write(f"save:{method_name}"):
            super().save_state(flow_uuid, method_name, state_data)

    def save_pending_feedback(self, flow_uuid: str, context: Any, state_data: Any) -> None:
        """Save what a person is asked, and the state as it was then."""
        with store_write("save:asked"):
            super().save_pending_feedback(flow_uuid, context, state_data)


def persistence() -> Announced:
    """The persistence of this order's flow."""
    return Announced(str(workdir() / "flow.sqlite"))


def newest_id() -> str:
    """What the state of this order is saved under, as the shop has written it down."""
    noted = workdir() / "flow-id"
    return noted.read_text(encoding="utf-8") if noted.exists() else ORDER


def set_newest_id(identity: str) -> None:
    """Write down that it is saved under another id now."""
    (workdir() / "flow-id").write_text(identity, encoding="utf-8")


def checkpoints() -> list[Path]:
    """The checkpoint files, the oldest first."""
    return sorted(
        (workdir() / "checkpoints").rglob("*.json"), key=lambda file: file.stat().st_mtime
    )


def checkpoint_now() -> None:
    """Write a checkpoint, and be back when it is there."""
    from crewai.events.event_bus import crewai_event_bus  # noqa: PLC0415

    crewai_event_bus.runtime_state.checkpoint(str(workdir() / "checkpoints"))


def newest_checkpoint() -> Any:
    """What a run goes on from; ``None`` if there is no checkpoint, and it begins."""
    from crewai.state.checkpoint_config import CheckpointConfig  # noqa: PLC0415

    files = checkpoints()
    return CheckpointConfig(restore_from=files[-1]) if files else None
