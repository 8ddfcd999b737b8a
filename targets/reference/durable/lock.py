"""One process at a time works on a task."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from durable.errors import TaskLocked

__all__ = ["task_lock"]


@contextmanager
def task_lock(database: Path, task_id: str) -> Iterator[None]:
    """Hold the task's lock.

    It is the kernel's lock on an open file, not the file itself: it ends with the process that
    holds it, however that ends, so a crash leaves nothing behind that would have to be removed.

    Raises:
        TaskLocked: Another process holds it.
    """
    # Resolved, so that whoever comes by another path or a link meets the same lock.
    with Path(f"{database.resolve()}.{task_id}.lock").open("w", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise TaskLocked(f"task {task_id} is already running") from None
        yield
