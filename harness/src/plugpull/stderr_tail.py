"""The end of a target's standard error: enough for a traceback, never enough to flood a report."""

from __future__ import annotations

from pathlib import Path

__all__ = ["LONGEST", "MOST_LINES", "TRUNCATED", "tail"]

MOST_LINES = 60
#: In characters, the mark included.
LONGEST = 4000
TRUNCATED = "...(truncated)"

# UTF-8 takes at most four bytes a character, so this holds every character that can be shown.
_READ = LONGEST * 4


def tail(path: Path) -> str:
    """The last lines of a file, cut at the front and marked where something is missing."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - _READ))
            text = stream.read().decode(errors="replace")
    except OSError:
        return ""
    lines = text.splitlines(keepends=True)
    kept = "".join(lines[-MOST_LINES:])
    if size <= _READ and len(lines) <= MOST_LINES and len(kept) <= LONGEST:
        return kept
    room = LONGEST - len(TRUNCATED) - 1
    return f"{TRUNCATED}\n{kept[-room:]}"
