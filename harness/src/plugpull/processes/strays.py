"""Processes that left an agent's process group, found by a marker in their environment.

A child that starts a session of its own is not in the group that a kill reaches. Every process of
a run is started with ``PLUGPULL_RUN`` set to a text that is unique to this harness, and a child
inherits it, so asking the kernel for the environment of every process finds the ones that got
away. A process that also empties its environment cannot be found like this; that limit is
documented.

Standard library only and no import of plugpull: the guardian runs this file by itself.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MARKER_VARIABLE", "Stray", "find_strays", "kill_strays"]

#: Environment variable that carries the marker.
MARKER_VARIABLE = "PLUGPULL_RUN"

# A process can start another one while it is being looked at; each round finds what the last
# round's processes left behind.
_ROUNDS = 5


@dataclass(frozen=True)
class Stray:
    """A process of ours outside every group of ours.

    Attributes:
        pid: Process id.
        command: Its command line, as the kernel shows it.
        group: Its process group.
    """

    pid: int
    command: str
    group: int


def find_strays(marker: str, spare: frozenset[int] = frozenset()) -> list[Stray]:
    """Every process that carries ``marker``, apart from the pids to ``spare`` and this one."""
    spared = spare | {os.getpid()}
    return [stray for stray in _processes(f"{MARKER_VARIABLE}={marker}") if stray.pid not in spared]


def kill_strays(marker: str, spare: frozenset[int] = frozenset()) -> list[Stray]:
    """SIGKILL for every stray; returns the ones that were found."""
    killed: dict[int, Stray] = {}
    for _ in range(_ROUNDS):
        found = find_strays(marker, spare)
        if not found:
            break
        for stray in found:
            # One that is dying, or that becomes another program, has no words for a moment.
            if stray.command or stray.pid not in killed:
                killed[stray.pid] = stray
            with contextlib.suppress(OSError):
                os.kill(stray.pid, signal.SIGKILL)
    return list(killed.values())


def _processes(setting: str) -> Iterator[Stray]:
    if sys.platform == "linux":
        yield from _linux_processes(setting.encode())
    else:
        yield from _ps_processes(setting)


def _linux_processes(setting: bytes) -> Iterator[Stray]:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            # Empty for a zombie, which is dead already; unreadable for another user's process.
            if setting not in (entry / "environ").read_bytes().split(b"\0"):
                continue
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").strip()
            group = os.getpgid(int(entry.name))
        except OSError:
            continue
        yield Stray(int(entry.name), command.decode(errors="replace"), group)


def _ps_processes(setting: str) -> Iterator[Stray]:
    # BSD's ps: E adds the environment behind the command.
    answer = subprocess.run(
        ["/bin/ps", "-axEww", "-o", "pid=,pgid=,command="],
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    for line in answer.stdout.splitlines():
        pid, group, command = (*line.split(None, 2), "", "", "")[:3]
        if setting in command.split() and pid.isdigit():
            yield Stray(int(pid), command.split(f" {MARKER_VARIABLE}=")[0], int(group))
