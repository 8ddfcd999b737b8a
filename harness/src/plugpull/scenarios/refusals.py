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
    """What says what ``pattern`` looks for, ``None`` if nothing does; the last one of several.

    A file name or a line of code in a traceback says nothing: every crash of a program that has a
    tool quotes the tool's name. A message may have several lines, and so may what is looked for.
    """
    text = "\n".join(_spoken(stderr))
    found = list(re.finditer(pattern.pattern, text, pattern.flags | re.MULTILINE))
    if not found:
        return None
    begin = text.rfind("\n", 0, found[-1].start()) + 1
    end = text.find("\n", max(found[-1].end() - 1, begin))
    return " ".join(text[begin : len(text) if end < 0 else end].split())


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
