"""The end of a target's standard error: enough for a traceback, never enough to flood a report."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["LONGEST", "MOST_LINES", "TRUNCATED", "last_words", "tail"]

MOST_LINES = 60
#: In characters, the mark included.
LONGEST = 4000
TRUNCATED = "...(truncated)"

# UTF-8 takes at most four bytes a character, so this holds every character that can be shown.
_READ = LONGEST * 4

# What Python draws around a group of errors, and how it says an error: its name and its message.
_MARGIN = " |+-"
_ERROR = re.compile(r"[A-Za-z_][\w.]*: \S")


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


def last_words(text: str) -> str | None:
    """What a process said last: its error, or else the last line that says something.

    Notes that are added to an error come after it, and a group of errors ends with a rule.
    """
    lines = [line.strip(_MARGIN) for line in reversed(text.splitlines())]
    said = [line for line in lines if any(map(str.isalnum, line))]
    return next((line for line in said if _ERROR.match(line)), said[0] if said else None)
