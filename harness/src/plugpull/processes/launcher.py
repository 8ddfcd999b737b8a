"""The one seam through which an agent is started, and the plain way of doing it.

A launcher takes a :class:`Command` and gives an :class:`AgentProcess`. It knows no scenario and no
fault, so another way of starting an agent is one more class with the same method.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from plugpull.processes.guardian import Guardian

__all__ = [
    "LOST",
    "AgentProcess",
    "CannotStart",
    "Command",
    "Launcher",
    "SpawnLauncher",
    "kill_group",
]

#: The status of a process whose end nobody could observe, because what would have told us was
#: killed. No process ends with it, and nothing may be judged by it.
LOST = -999


@dataclass(frozen=True, slots=True)
class Command:
    """What is to be started.

    Attributes:
        argv: The command line, verb included.
        environment: The whole environment, nothing is added to it.
        directory: Working directory.
        output: File that takes standard output; an agent never gets ours.
        errors: File that takes standard error.
        program: The Python program in ``argv``, where it is one that a launcher may also run
            in a process that has imported its framework already. ``None`` for any other command.
        generation: 0 before the fault and 1 after it. Processes of two generations share no
            state of their interpreter, in particular no hash seed.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    directory: Path
    output: Path
    errors: Path
    program: Path | None = None
    generation: int = 0


class CannotStart(Exception):
    """The command is not there, the system will not execute it, or how it ended is not known."""


class AgentProcess(Protocol):
    """A started agent: the leader of a process group of its own."""

    @property
    def pid(self) -> int:
        """Process id, which is the id of its process group too."""

    def poll(self) -> int | None:
        """Exit status, negative for a signal, or ``None`` while it runs."""

    def wait(self, seconds: float) -> int | None:
        """Exit status, or ``None`` if it still runs after that time."""


class Launcher(Protocol):
    """A way of starting agents."""

    @property
    def name(self) -> str:
        """How evidence names it."""

    def launch(self, command: Command) -> AgentProcess:
        """Start ``command`` as the leader of a new process group.

        Raises:
            CannotStart: With the system's reason.
        """

    def close(self) -> None:
        """Give up whatever is kept for further starts."""


def kill_group(pid: int) -> None:
    """SIGKILL for a whole process group, so that no wrapper keeps the agent alive."""
    # PermissionError is macOS's answer for a group of zombies: nothing is left to kill.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


class _SpawnedProcess:
    def __init__(self, popen: subprocess.Popen[bytes]) -> None:
        self._popen = popen

    @property
    def pid(self) -> int:
        return self._popen.pid

    def poll(self) -> int | None:
        return self._popen.poll()

    def wait(self, seconds: float) -> int | None:
        try:
            return self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


class SpawnLauncher:
    """Starts every agent as a fresh process, the way a shell would."""

    name = "spawn"

    def __init__(self, guardian: Guardian) -> None:
        self._guardian = guardian

    def launch(self, command: Command) -> AgentProcess:
        """Start ``command``.

        Raises:
            CannotStart: With the system's reason.
        """
        try:
            with command.output.open("ab") as output, command.errors.open("ab") as errors:
                popen = subprocess.Popen(
                    command.argv,
                    env=dict(command.environment),
                    cwd=command.directory,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    start_new_session=True,
                )
        except OSError as error:
            raise CannotStart(error.strerror or str(error)) from error
        self._guardian.watch(popen.pid)
        return _SpawnedProcess(popen)

    def close(self) -> None:
        """Nothing is kept."""
