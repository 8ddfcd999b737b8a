"""A server that keeps words: ``NAME`` is answered with what was said under that name before.

What is wrong with it stands in ``TOY``; ``TOY_NOTES`` is a folder in which it leaves its pid.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

KIND = os.environ["TOY"]
NOTES = Path(os.environ["TOY_NOTES"])
PORT = int(os.environ["PLUGPULL_PORT_WORDS"])

HOLDER = """
import os, signal, socket, sys
taken = socket.socket()
taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
taken.bind(("127.0.0.1", int(sys.argv[1])))
taken.listen()
print(os.getpid(), flush=True)
signal.pause()
"""


def listen(address: str) -> socket.socket:
    """A socket that takes connections."""
    ours = socket.socket()
    ours.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    ours.bind((address, PORT if KIND != "elsewhere" else 0))
    ours.listen()
    return ours


def serve() -> None:
    """Answer until somebody ends it."""
    NOTES.joinpath("server.pid").write_text(str(os.getpid()))
    NOTES.joinpath("folder").write_text(os.environ["PLUGPULL_SERVICE_DIR"])
    print("words on standard output", flush=True)
    if KIND == "dies":
        print("no room for the words", file=sys.stderr)
        sys.exit(3)
    held = len([*NOTES.glob("holder*.pid")])
    if held < {"clash": 1, "clash-always": 9}.get(KIND, 0):
        hold(f"holder{held + 1}.pid")
        sys.exit("somebody else has the port")
    if KIND in {"never", "silent"}:
        signal.pause()
    ours = listen("0.0.0.0" if KIND == "everywhere" else "127.0.0.1")
    known: dict[str, str] = {}
    while True:
        connection, _ = ours.accept()
        with connection:
            name, _, word = connection.recv(1000).decode().partition(" ")
            if name == "stop":
                print("the words have run out", file=sys.stderr, flush=True)
                os._exit(4)
            if name == "leave":
                # Neither its group nor its environment says whose it is, and it has the socket.
                leaver = subprocess.Popen(
                    [sys.executable, "-c", "import signal; signal.pause()"],
                    env={},
                    pass_fds=[ours.fileno()],
                    start_new_session=True,
                )
                NOTES.joinpath("leaver.pid").write_text(str(leaver.pid))
            connection.sendall(known.setdefault(name, word).encode())


def hold(note: str) -> None:
    """Let somebody else take the port, and note who."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(PORT)],
        env={},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert holder.stdout is not None
    NOTES.joinpath(note).write_text(holder.stdout.readline().decode())


def ask(text: str) -> str:
    """One question to the server."""
    with socket.create_connection(("127.0.0.1", PORT)) as connection:
        connection.sendall(text.encode())
        return connection.recv(1000).decode()


def ready() -> None:
    """Ask until it answers."""
    if KIND == "unaskable":
        sys.exit("this is no question")
    while KIND not in {"elsewhere", "silent"}:
        try:
            ask("hello there")
        except OSError:
            time.sleep(0.01)
        else:
            return


if __name__ == "__main__":
    {"serve": serve, "ready": ready}[sys.argv[-1]]()
