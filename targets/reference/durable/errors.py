"""What can be wrong with a request, and the exit status that says so."""

from __future__ import annotations

__all__ = [
    "DONE_EXIT",
    "FAILED_EXIT",
    "LOCKED_EXIT",
    "REFUSED_EXIT",
    "STOPPED_EXIT",
    "WAITING_EXIT",
    "AgentError",
    "TaskLocked",
    "Unfinished",
]

#: The task is done, or what was asked for was printed.
DONE_EXIT = 0
#: The request cannot be met: no such task, a task that exists already, a plan with a mistake.
REFUSED_EXIT = 1
#: The task failed for good: a step used up its attempts.
FAILED_EXIT = 2
#: Another process is running the task.
LOCKED_EXIT = 3
#: Asked to stop, it did so between two steps; another run goes on.
STOPPED_EXIT = 4
#: A person has to decide something first.
WAITING_EXIT = 5


class AgentError(Exception):
    """Something a person has to know; printed without a traceback."""

    exit_code = REFUSED_EXIT


class TaskLocked(AgentError):
    """Another process is running the task."""

    exit_code = LOCKED_EXIT


class Unfinished(Exception):
    """Raised by a tool that has not failed and cannot end now: the run ends, another goes on.

    Args:
        exit_code: With which the run ends.
    """

    def __init__(self, exit_code: int) -> None:
        super().__init__(f"unfinished ({exit_code})")
        self.exit_code = exit_code
