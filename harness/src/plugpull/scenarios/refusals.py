"""What a process said on standard error, as opposed to the source code that a traceback quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from plugpull.stderr_tail import TRUNCATED

__all__ = ["find_refusal"]

# Tracebacks of exception groups are indented, with a line drawn down their side.
_MARGIN = re.compile(r"^ +[|+] ?")
_HEAD = re.compile(r"^ *(Exception Group )?Traceback \(most recent call last\):")


def find_refusal(pattern: re.Pattern[str], stderr: str) -> str | None:
    """The last line that says what ``pattern`` looks for, ``None`` if none does.

    A file name or a line of code in a traceback says nothing: every crash of a program that has a
    tool quotes the tool's name.
    """
    found = [line.strip() for line in _spoken(stderr) if pattern.search(line)]
    return found[-1] if found else None


def _spoken(stderr: str) -> Iterator[str]:
    lines = stderr.splitlines()
    # What was cut off may have been the head of a traceback.
    quoting = lines[:1] == [TRUNCATED]
    for raw in lines[1:] if quoting else lines:
        line = _MARGIN.sub("", raw)
        if _HEAD.match(line):
            quoting = True
        elif not quoting or not line.startswith(" "):
            # The exception's own line ends the quotes; further lines of its message may be
            # indented.
            quoting = False
            yield line
