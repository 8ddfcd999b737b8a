"""Starts an agent as a fork of a process that has imported its framework already.

Importing a framework costs one to three CPU seconds, a run of it a few hundredths. Forked
processes share one hash seed, so there are two servers with different seeds: one for the processes
before the fault and one for those after it, which therefore share no more than two cold starts
would.

Only Linux: macOS's system libraries do not survive a fork without exec. A server that ends up with
more than one thread after its imports is not used either, because a fork copies only one of them.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from plugpull.processes.guardian import Guardian
from plugpull.processes.launcher import (
    LOST,
    AgentProcess,
    CannotStart,
    Command,
    Launcher,
    SpawnLauncher,
    kill_group,
)

__all__ = ["ForkLauncher", "ForkUnavailable"]

#: Hash seeds of the server before the fault and of the one after it.
_SEEDS = ("1", "2")


class ForkUnavailable(Exception):
    """This target cannot be started by forking; the text says why."""


class _ForkedProcess:
    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._ended = threading.Event()
        self._status: int | None = None

    @property
    def pid(self) -> int:
        return self._pid

    def ended(self, status: int) -> None:
        self._status = status
        self._ended.set()

    def poll(self) -> int | None:
        return self._status if self._ended.is_set() else None

    def wait(self, seconds: float) -> int | None:
        return self._status if self._ended.wait(seconds) else None


class _ForkServer:
    """One server process and the reader of what it says."""

    def __init__(
        self, preload: Sequence[str], environment: Mapping[str, str], seed: str, guardian: Guardian
    ) -> None:
        ours, theirs = socket.socketpair()
        self._guardian = guardian
        self._socket = ours
        self._lock = threading.Lock()
        self._started: dict[int, _ForkedProcess] = {}
        self._answers: dict[str, Any] = {}
        self._news = threading.Condition()
        self._gone = False
        with theirs:
            self._popen = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "plugpull.processes.fork_server",
                    str(theirs.fileno()),
                    *preload,
                ],
                env={**environment, "PYTHONHASHSEED": seed},
                # -m puts the working directory first on sys.path: nothing there may be imported.
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        guardian.watch(self._popen.pid)
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._popen.pid

    def wait_ready(self, seconds: float) -> None:
        ready = self._answer("ready", seconds)
        if ready is None:
            msg = (
                "the fork server ended while it was importing"
                if self._gone
                else f"the imports did not end within {seconds:g} s"
            )
            raise ForkUnavailable(msg)
        if ready["failed"]:
            raise ForkUnavailable(ready["failed"])
        if ready["threads"] != 1:
            msg = f"the imports leave {ready['threads']} threads, and a fork copies only one"
            raise ForkUnavailable(msg)

    def start(self, command: Command) -> _ForkedProcess:
        with self._lock:
            request = {
                "program": str(command.program),
                "arguments": list(command.argv[2:]),
                "environment": dict(command.environment),
                "directory": str(command.directory),
                "output": str(command.output),
                "errors": str(command.errors),
            }
            try:
                self._socket.sendall(json.dumps(request).encode() + b"\n")
            except OSError as error:
                raise CannotStart(f"the fork server has gone: {error}") from error
            answer = self._answer("started")
        if answer is None:
            msg = "the fork server has gone"
            raise CannotStart(msg)
        process: _ForkedProcess = answer
        self._guardian.watch(process.pid)
        return process

    def close(self) -> None:
        self._socket.close()
        kill_group(self._popen.pid)
        self._popen.wait()
        self._guardian.forget(self._popen.pid)
        self._reader.join(timeout=5)

    def _answer(self, kind: str, seconds: float | None = None) -> Any:
        with self._news:
            self._news.wait_for(lambda: kind in self._answers or self._gone, seconds)
            return self._answers.pop(kind, None)

    def _listen(self) -> None:
        with self._socket.makefile("rb") as reader:
            try:
                for line in reader:
                    self._heard(json.loads(line))
            except OSError:
                pass
        with self._news:
            self._gone = True
            self._news.notify_all()
        # Nobody will tell us the status of these any more: without a server there is no parent
        # to collect it.
        for process in self._started.values():
            kill_group(process.pid)
            process.ended(LOST)

    def _heard(self, message: dict[str, Any]) -> None:
        kind = message["kind"]
        if kind == "ended":
            self._started.pop(message["pid"]).ended(message["status"])
            return
        answer: Any = message
        if kind == "started":
            answer = self._started[message["pid"]] = _ForkedProcess(message["pid"])
        with self._news:
            self._answers[kind] = answer
            self._news.notify_all()


class ForkLauncher:
    """Forks what it can, and spawns the rest.

    Args:
        preload: Modules to import once.
        environment: The environment in which they are imported.
        guardian: Told about every process.
        seconds: How long the imports may take.

    Raises:
        ForkUnavailable: With the reason.
    """

    name = "fork"

    def __init__(
        self,
        preload: Sequence[str],
        environment: Mapping[str, str],
        guardian: Guardian,
        seconds: float = 300,
    ) -> None:
        if sys.platform != "linux":
            msg = "forking without exec is safe on Linux only"
            raise ForkUnavailable(msg)
        self._spawn: Launcher = SpawnLauncher(guardian)
        self._servers = [_ForkServer(preload, environment, seed, guardian) for seed in _SEEDS]
        try:
            for server in self._servers:
                server.wait_ready(seconds)
        except ForkUnavailable:
            self.close()
            raise

    @property
    def server_pids(self) -> frozenset[int]:
        """The servers themselves, which are no strays."""
        return frozenset(server.pid for server in self._servers)

    def launch(self, command: Command) -> AgentProcess:
        """Start ``command``, forked when it is a Python program of a target.

        Raises:
            CannotStart: With the system's reason.
        """
        if command.program is None or not Path(command.program).is_file():
            return self._spawn.launch(command)
        return self._servers[command.generation].start(command)

    def close(self) -> None:
        """End the servers and whatever they still run."""
        for server in self._servers:
            server.close()
