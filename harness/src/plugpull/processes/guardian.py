"""The guardian: a small process that outlives a killed harness and cleans up behind it.

The harness holds the write end of the guardian's pipe and tells it which process groups and
folders are ours. When that end closes without a goodbye, the harness has died, by SIGKILL say, and
the guardian kills what is still there. The kernel closes the pipe whatever happens to the harness,
which is why this needs no time limit and no polling.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from pathlib import Path

from plugpull.processes import guardian_main

__all__ = ["Guardian"]


class Guardian:
    """The harness's end of the guardian.

    Args:
        marker: The text that every process of ours carries in its environment
            (see :mod:`plugpull.processes.strays`).
    """

    def __init__(self, marker: str) -> None:
        self.marker = marker
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(guardian_main.__file__)), marker],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
        )

    def watch(self, group: int) -> None:
        """Kill this process group when the harness dies."""
        self._say(f"group {group}")

    def own_folder(self, folder: Path) -> None:
        """Remove this folder when the harness dies."""
        self._say(f"folder {folder}")

    def forget(self, group: int) -> None:
        """The group has ended; its number may come to belong to somebody else."""
        self._say(f"forget {group}")

    def dismiss(self) -> None:
        """Everything is cleaned up; the guardian may go."""
        self._say("goodbye")
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _say(self, line: str) -> None:
        # A guardian that somebody killed must not take the run down with it.
        with contextlib.suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.write(line.encode() + b"\n")
                self._process.stdin.flush()
