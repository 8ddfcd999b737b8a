"""The task's log as plugpull can break it: each of its transactions is a write that may be lost.

The agent is given this one instead of its own. What a write is called comes from what it holds.
"""

from __future__ import annotations

from typing import Any

from durable.tasks import Step, TaskLog
from plugpull import store_write

__all__ = ["AnnouncedLog"]


class AnnouncedLog(TaskLog):
    """Announces each transaction before it begins and after it is committed."""

    __slots__ = ()

    def recover(self) -> None:
        """The first transaction of a run."""
        with store_write("save:run-started"):
            super().recover()

    def start(self, step: Step) -> None:
        """Before a tool is called."""
        with store_write(f"save:{step.tool}-started"):
            super().start(step)

    def finish(self, step: Step, output: dict[str, Any]) -> None:
        """After a tool returned."""
        with store_write(f"save:{step.tool}-finished"):
            super().finish(step, output)

    def retry(self, step: Step, error: Exception) -> None:
        """After a tool raised."""
        with store_write(f"save:{step.tool}-error"):
            super().retry(step, error)

    def give_up(self, step: Step) -> None:
        """The last transaction of a task that failed."""
        with store_write("save:task-failed"):
            super().give_up(step)

    def complete(self) -> None:
        """The last transaction of a task that is done."""
        with store_write("save:task-done"):
            super().complete()
