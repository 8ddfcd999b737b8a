"""A server beside the runs: started, asked until it is ready, and ended, whatever happens to us.

It is started once for all trials of a target, in a session of its own: a kill reaches the group of
an agent, and the server is in none of them. It carries a marker and has a guardian of its own, so
that looking for what an agent left behind does not find it, and so that it ends when the harness
dies.

What it says about itself is not believed where the kernel knows better: who listens on its ports,
and on which interfaces.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any

from plugpull.errors import PlugpullError
from plugpull.processes.environment import child_environment
from plugpull.processes.guardian import Guardian
from plugpull.processes.launcher import kill_group
from plugpull.processes.strays import MARKER_VARIABLE, kill_strays
from plugpull.services.listeners import Listener, group_of, listeners
from plugpull.services.ports import free_ports, is_taken
from plugpull.services.spec import FOLDER_VARIABLE, ServiceSpec, port_variable
from plugpull.stderr_tail import tail

__all__ = ["Service", "ServiceFailure"]

#: Somebody else may take a port between our look and the server's start; so often it is tried,
#: each time with other ports.
_STARTS = 3
# Seconds between two looks at whether one of our two children has ended.
_GLANCE = 0.02
# A killed process that the system does not collect within this time is stuck in the kernel.
_DIES_WITHIN = 10.0


class ServiceFailure(PlugpullError):
    """The server did not start, did not become ready, or is not what was asked for."""


class Service:
    """A server. Use it as a context manager: entering starts it, leaving ends it.

    Args:
        name: The target's, for texts.
        spec: What the manifest says of it.

    Attributes:
        facts: What was measured of it, for the cell's record.
    """

    def __init__(self, name: str, spec: ServiceSpec) -> None:
        self.name = name
        self.spec = spec
        self.facts: dict[str, Any] = {"program": spec.program.name}
        self._marker = uuid.uuid4().hex
        self._ports: dict[str, int] = {}
        self._folder: Path | None = None
        self._guardian: Guardian | None = None
        self._server: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Service:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int | None:
        """The server's process id, which is the id of its group too."""
        return self._server.pid if self._server else None

    @property
    def variables(self) -> dict[str, str]:
        """What tells a process where the server is."""
        return {port_variable(name): str(port) for name, port in self._ports.items()}

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises:
            ServiceFailure: It ended, did not answer in time, listens where it must not, or its
                ports belong to somebody else.
        """
        begun = time.monotonic()
        self._guardian = Guardian(self._marker)
        try:
            for attempt in range(1, _STARTS + 1):
                status = self._try_start(begun)
                if status is None:
                    break
                self._end_early(status, may_start_again=attempt < _STARTS)
            self._look_who_listens()
        except BaseException:
            self.stop()
            raise
        self.facts |= {
            "ports": dict(self._ports),
            "starts": attempt,
            "ready_after": round(time.monotonic() - begun, 3),
        }

    def ended(self) -> str | None:
        """That the server has ended, in a sentence with its last words; ``None`` while it runs."""
        if self._server is None or self._listens():
            return None
        try:
            # Its ports are gone a moment before its status is there.
            status = self._server.wait(_DIES_WITHIN)
        except subprocess.TimeoutExpired:
            return f"the server of {self.name} does not listen any more"
        words = self._words("serve").strip()
        return f"the server of {self.name} ended with {status}{': ' if words else ''}{words}"

    def stop(self) -> None:
        """End the server by its id, and whatever it started; name on standard error what stays."""
        self._kill()
        if left := self._left():
            self.facts["left"] = left
            print(
                f"plugpull: the server of {self.name} could not be stopped: {'; '.join(left)}",
                file=sys.stderr,
                flush=True,
            )
        self._ports = {}
        if self._guardian is not None:
            self._guardian.dismiss()
            self._guardian = None

    def _listens(self) -> bool:
        """Whether the server runs and has its ports."""
        running = self._server is not None and self._server.poll() is None
        return running and all(map(is_taken, self._ports.values()))

    def _try_start(self, begun: float) -> int | None:
        """One start with fresh ports and a fresh folder.

        Returns:
            The server's exit status if it ended, ``None`` if it is ready.

        Raises:
            ServiceFailure: It cannot be started, or was not ready in time.
        """
        names = self.spec.ports
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="plugpull-service-"))
            if self._guardian is not None:
                self._guardian.own_folder(self._folder)
            self._ports = dict(zip(names, free_ports(len(names)), strict=True))
            self._server = self._run("serve", self._folder)
            asker = self._run("ready", self._folder)
        except OSError as error:
            raise self._failure(f"cannot be started: {error.strerror or error}") from error
        try:
            return self._wait_ready(self._server, asker, begun + self.spec.ready_within)
        finally:
            kill_group(asker.pid)
            asker.wait()
            self._forget(asker.pid)

    def _wait_ready(
        self, server: subprocess.Popen[bytes], asker: subprocess.Popen[bytes], end: float
    ) -> int | None:
        while time.monotonic() < end:
            status = server.poll()
            if status is not None:
                return status
            try:
                asked = asker.wait(_GLANCE)
            except subprocess.TimeoutExpired:
                continue
            # An answer may have come from whoever else has the port, while ours was ending.
            if asked == 0:
                return server.poll()
            raise self._failure(f"could not be asked: ready ended with {asked}", self._words())
        raise self._failure(f"was not ready within {self.spec.ready_within:g} s", self._words())

    def _run(self, verb: str, folder: Path) -> subprocess.Popen[bytes]:
        environment = child_environment(
            {
                **self.spec.environment,
                **self.variables,
                FOLDER_VARIABLE: str(folder),
                MARKER_VARIABLE: self._marker,
            }
        )
        with (folder / f"{verb}.out").open("ab") as out, (folder / f"{verb}.err").open("ab") as err:
            process = subprocess.Popen(
                [sys.executable, str(self.spec.program), verb],
                env=environment,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        if self._guardian is not None:
            self._guardian.watch(process.pid)
        return process

    def _look_who_listens(self) -> None:
        """Nobody but the server, and on the loopback interface only, as far as the kernel tells.

        Raises:
            ServiceFailure: It is otherwise.
        """
        found = listeners()
        if found is None or self._server is None:
            return
        group = self._server.pid
        ours = [one for one in found if group_of(one.pid) == group]
        if beyond := [str(one) for one in ours if not one.on_loopback]:
            raise self._failure(
                f"listens beyond the loopback interface: {', '.join(sorted(beyond))}"
            )
        held = {one.port for one in ours}
        for name, port in self._ports.items():
            if port in held:
                continue
            other = next((one for one in found if one.port == port), None)
            whose = f"pid {other.pid}, outside its group, does" if other else "nobody does"
            raise self._failure(f"does not listen on its port {name} ({port}): {whose}")
        self.facts["listens"] = sorted(map(str, ours))

    def _end_early(self, status: int, *, may_start_again: bool) -> None:
        """End what is left of a start that came to nothing.

        Raises:
            ServiceFailure: It was not for a port that somebody else has, or that was the last try.
        """
        words = self._words("serve")
        self._kill()
        clash = any(is_taken(port) for port in self._ports.values())
        if not clash or not may_start_again:
            raise self._failure(f"ended with {status} before it was ready", words)

    def _kill(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            kill_group(server.pid)
            try:
                server.wait(_DIES_WITHIN)
            except subprocess.TimeoutExpired:
                # Shown as what could not be stopped.
                self.facts["pid"] = server.pid
            else:
                self._forget(server.pid)
        kill_strays(self._marker)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _left(self) -> list[str]:
        """What still runs: a server that does not die, and whoever has got hold of a port."""
        left = [f"pid {self.facts['pid']} does not end"] if "pid" in self.facts else []
        # Of a port that it never had, somebody else's server is no concern of ours.
        ports = set(self._ports.values()) if "listens" in self.facts else set()
        left += [
            f"pid {one.pid} listens on {one}"
            for one in sorted(listeners() or (), key=_order)
            if one.port in ports
        ]
        return left

    def _forget(self, group: int) -> None:
        if self._guardian is not None:
            self._guardian.forget(group)

    def _words(self, *verbs: str) -> str:
        """The end of what the server wrote, and the one that asked it."""
        if self._folder is None:
            return ""
        said = [tail(self._folder / f"{verb}.err") for verb in verbs or ("serve", "ready")]
        return "\n".join(text.strip() for text in said if text.strip())

    def _failure(self, what: str, words: str = "") -> ServiceFailure:
        return ServiceFailure(f"the server of {self.name} {what}", why=words, then=self.spec.remedy)


def _order(one: Listener) -> tuple[int, str]:
    return one.port, one.address
