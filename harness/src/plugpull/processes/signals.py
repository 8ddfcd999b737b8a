"""What a process does about a signal, as far as the kernel tells."""

from __future__ import annotations

from pathlib import Path

__all__ = ["disposition"]

DEFAULT, HANDLED, IGNORED, UNKNOWN = "default", "handled", "ignored", "unknown"


def disposition(pid: int, number: int) -> str:
    """``default``, ``handled`` or ``ignored``; ``unknown`` where the kernel does not tell.

    Args:
        pid: The process.
        number: The signal.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text(errors="replace")
    except OSError:
        return UNKNOWN
    masks = dict(line.split(":\t", 1) for line in status.splitlines() if line.startswith("Sig"))
    bit = 1 << (number - 1)
    try:
        if int(masks["SigCgt"], 16) & bit:
            return HANDLED
        return IGNORED if int(masks["SigIgn"], 16) & bit else DEFAULT
    except (KeyError, ValueError):
        return UNKNOWN
