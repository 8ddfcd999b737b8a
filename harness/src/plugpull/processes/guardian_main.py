"""What the guardian process runs. Started as a script: it imports nothing of plugpull.

Reads lines on standard input: ``group N``, ``forget N``, ``folder PATH``, ``goodbye``. At the end
of input without a goodbye it kills and removes what it was told about.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import signal
import sys
from pathlib import Path

__all__ = ["main"]


def main(marker: str) -> None:
    """Read until the harness is gone; clean up unless it said goodbye."""
    # Ctrl-C and a terminal that closes are for the harness, which then says goodbye.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    folders: list[str] = []
    for line in sys.stdin:
        word, _, value = line.rstrip("\n").partition(" ")
        if word == "group":
            groups.add(int(value))
        elif word == "forget":
            groups.discard(int(value))
        elif word == "folder":
            folders.append(value)
        elif word == "goodbye":
            return
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    runpy.run_path(str(Path(__file__).with_name("strays.py")))["kill_strays"](marker)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1])
