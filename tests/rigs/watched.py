"""A shipped target, watched: every connection it makes and every key it looks for is written down.

``PLUGPULL_RIG_PROGRAM`` is the program that is run in this process, ``PLUGPULL_RIG_LOG`` the file
that takes one line of JSON per thing seen. Each line is written at once, because a killed process
has no last words. With the verb ``import`` the program is loaded and not run, which shows what its
imports do.
"""

from __future__ import annotations

import json
import os
import runpy
import socket
import sys
from pathlib import Path
from typing import Any

LOG = os.environ["PLUGPULL_RIG_LOG"]
PROGRAM = os.environ["PLUGPULL_RIG_PROGRAM"]

#: What an environment variable that holds a secret is called.
SECRET = ("_API_KEY", "_TOKEN", "_SECRET", "_KEY_ID", "_PASSWORD")

#: Audit events by which a process reaches out, and which of their arguments is the socket.
REACHING_OUT = ("socket.connect", "socket.sendto", "socket.sendmsg")
LOOKING_UP = ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr")


def note(kind: str, what: str) -> None:
    """Write one line."""
    line = json.dumps({"kind": kind, "what": what, "verb": sys.argv[-1], "pid": os.getpid()})
    descriptor = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.write(descriptor, line.encode() + b"\n")
    os.close(descriptor)


def hear(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: note every use of a socket that is not a Unix socket."""
    if event in REACHING_OUT and arguments[0].family != socket.AF_UNIX:
        note("network", f"{event} {arguments[1:]}")
    elif event in LOOKING_UP:
        note("network", f"{event} {arguments[0]}")


class WatchedEnvironment(type(os.environ)):  # type: ignore[misc]
    """``os.environ`` that notes which secrets were found in it."""

    def __getitem__(self, name: str) -> str:
        """The value, noted if it is a secret that is there."""
        value = super().__getitem__(name)
        if name.upper().endswith(SECRET):
            note("secret", name)
        return str(value)


# A program finds its own modules beside it.
sys.path.insert(0, str(Path(PROGRAM).parent))
sys.addaudithook(hear)
os.environ.__class__ = WatchedEnvironment
note("process", " ".join(name for name in os.environ if name.upper().endswith(SECRET)))

if __name__ == "__main__":
    runpy.run_path(PROGRAM, run_name="loaded" if sys.argv[-1] == "import" else "__main__")
