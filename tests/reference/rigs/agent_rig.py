"""Runs the reference agent's command as it is, and does one thing to it.

``AGENT_RIG`` says what:

``statement:N``
    SIGKILL right after the N-th statement that SQLite has executed.
``line:FILE:N``
    SIGKILL before the N-th line that is run in a file of that name.
``calls:LOG``
    Note each file that is synced (``fsync INODE``) and each that is linked (``link INODE``).

Usage: ``python agent_rig.py AGENT_FOLDER ARGUMENT...``
"""

from __future__ import annotations

import os
import runpy
import signal
import sqlite3
import sys
from pathlib import Path


def die() -> None:
    """As a crash does it."""
    os.kill(os.getpid(), signal.SIGKILL)


def kill_after_statement(number: int) -> None:
    """Count what connections execute."""
    done = 0
    connect = sqlite3.connect

    class Counting(sqlite3.Connection):
        def execute(self, *arguments):
            nonlocal done
            cursor = super().execute(*arguments)
            done += 1
            if done == number:
                die()
            return cursor

    sqlite3.connect = lambda *given, **named: connect(*given, factory=Counting, **named)


def kill_before_line(name: str, number: int) -> None:
    """Count the lines that are run in a file."""
    seen = 0

    def in_file(_frame, event, _argument):
        nonlocal seen
        if event == "line":
            seen += 1
            if seen == number:
                die()
        return in_file

    def everywhere(frame, _event, _argument):
        return in_file if frame.f_code.co_filename.endswith(name) else None

    sys.settrace(everywhere)


def note_calls(log: Path) -> None:
    """Have the calls noted before they are made."""
    fsync, link = os.fsync, os.link

    def note(what: str, inode: int) -> None:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(f"{what} {inode}\n")

    def noted_fsync(handle):
        number = handle if isinstance(handle, int) else handle.fileno()
        note("fsync", os.fstat(number).st_ino)
        fsync(handle)

    def noted_link(source, *rest, **named):
        note("link", os.stat(source).st_ino)  # noqa: PTH116 - as the agent may call it
        link(source, *rest, **named)

    os.fsync, os.link = noted_fsync, noted_link


if __name__ == "__main__":
    kind, _, where = os.environ["AGENT_RIG"].partition(":")
    if kind == "statement":
        kill_after_statement(int(where))
    elif kind == "line":
        name, _, number = where.partition(":")
        kill_before_line(f"/{name}", int(number))
    elif kind == "calls":
        note_calls(Path(where))
    folder = sys.argv[1]
    sys.argv[:] = [str(Path(folder) / "agent.py"), *sys.argv[2:]]
    sys.path[0] = folder
    runpy.run_path(sys.argv[0], run_name="__main__")
