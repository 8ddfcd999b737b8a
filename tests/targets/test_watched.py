"""The rig that watches: it sees a connection, a look-up of a name and a key, when there are any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from rigged_target import RIGS

CHATTY = """
import os, socket
os.environ.get("OPENAI_API_KEY")
os.environ.get("ANTHROPIC_API_KEY")
with socket.socket() as client:
    client.connect_ex(("127.0.0.1", 9))
try:
    socket.getaddrinfo("model.invalid", 443)
except OSError:
    pass
left, right = socket.socketpair()
"""


def test_what_reaches_out_is_seen(tmp_path: Path) -> None:
    """A refused connection and a failed look-up count; a Unix socket and a missing key do not."""
    program, log = tmp_path / "chatty.py", tmp_path / "seen.jsonl"
    program.write_text(CHATTY, encoding="utf-8")
    variables = {
        "OPENAI_API_KEY": "of-the-user",
        "PLUGPULL_RIG_PROGRAM": str(program),
        "PLUGPULL_RIG_LOG": str(log),
    }
    command = [sys.executable, str(RIGS / "watched.py"), "start"]
    subprocess.run(command, env={"PATH": os.environ["PATH"], **variables}, check=True)
    seen = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [(entry["kind"], entry["what"]) for entry in seen] == [
        ("process", "OPENAI_API_KEY"),
        ("secret", "OPENAI_API_KEY"),
        ("network", "socket.connect (('127.0.0.1', 9),)"),
        ("network", "socket.getaddrinfo model.invalid"),
    ]
