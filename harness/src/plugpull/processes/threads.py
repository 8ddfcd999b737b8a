"""What the threads of a process are doing, as far as the kernel tells."""

from __future__ import annotations

from pathlib import Path

__all__ = ["has_work"]

# Running or waiting for a processor, and waiting for a disk: it will go on by itself.
_AT_WORK = frozenset("RD")


def has_work(pid: int) -> bool:
    """Whether a thread of the process runs, waits for a processor, or waits for a disk.

    ``False`` for a process that has gone, and on systems without Linux's ``/proc``.
    """
    for stat in Path(f"/proc/{pid}/task").glob("*/stat"):
        try:
            # The command's name stands before the state, in parentheses, and may hold anything.
            state = stat.read_text(errors="replace").rpartition(")")[2].split()[0]
        except (OSError, IndexError):
            continue
        if state in _AT_WORK:
            return True
    return False
