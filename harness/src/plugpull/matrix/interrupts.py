"""Being stopped: Ctrl-C and SIGTERM end what was started, and what was started ends with us."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from typing import TYPE_CHECKING, Any

from plugpull.errors import INTERRUPTED_EXIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

__all__ = ["TERMINATED_EXIT", "Interrupts", "Supervised"]

#: Stopped by SIGTERM, as a shell reports it.
TERMINATED_EXIT = 143
#: Seconds a process gets to end what it started itself, before it is killed with its group.
GRACE = 3.0
#: Lines of output that are kept for a report.
KEPT_LINES = 60


class Interrupts(contextlib.AbstractContextManager["Interrupts"]):
    """Turns the first SIGINT or SIGTERM into an exception, and later ones into nothing.

    The clean-up that follows the first one is short and must not be interrupted itself. Outside
    the main thread this does nothing: only that thread may handle signals.

    Attributes:
        received: The signal that came, 0 if none did.
    """

    def __init__(self) -> None:
        self.received = 0
        self._held = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._handle)
        return self

    def __exit__(self, *exc_info: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Let a few steps happen together: a signal that comes meanwhile takes effect after."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        if self.received:
            self._stop()

    def _handle(self, number: int, _frame: object) -> None:
        if self.received:
            return
        self.received = number
        if not self._held:
            self._stop()

    def _stop(self) -> None:
        if self.received == signal.SIGTERM:
            raise SystemExit(TERMINATED_EXIT)
        raise KeyboardInterrupt(INTERRUPTED_EXIT)


class Supervised:
    """A process in a session of its own that does not outlive this one, even if it is SIGKILLed.

    A watcher waits on a pipe that only we hold. When we are gone without a word, it kills the
    process's group.

    Args:
        command: What to start.
        env: All of its environment variables.
        cwd: Where.
        keeps: Descriptors it inherits. A lock among them stays locked while it lives.
        relay: Called with every line it writes to standard error.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: dict[str, str],
        cwd: Path,
        keeps: Sequence[int] = (),
        relay: Any = None,
    ) -> None:
        self.tail: list[str] = []
        self._relay = relay
        self._process = subprocess.Popen(
            command,
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            pass_fds=tuple(keeps),
        )
        try:
            self._watcher = subprocess.Popen(
                ["/bin/sh", "-c", 'read -r _ || kill -s KILL -- "-$1"', "sh", str(self.pid)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError:
            self._kill_group()
            raise
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process's id, and its group's."""
        return self._process.pid

    def wait(self) -> int:
        """Wait for its end and return its exit code. Stop it if we are interrupted meanwhile."""
        try:
            return self._process.wait()
        except BaseException:
            self.stop()
            raise
        finally:
            self._release()

    def stop(self) -> None:
        """Ask it to end, then make it."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._kill_group()
            self._process.wait()

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    def _release(self) -> None:
        """Tell the watcher that all is well."""
        pipe = self._watcher.stdin
        if pipe is not None:
            with contextlib.suppress(BrokenPipeError):
                pipe.write(b"\n")
                pipe.close()
        self._watcher.wait()
        # Somebody who left the group may hold the other end: no reason to wait for him.
        self._reader.join(1.0)

    def _read(self) -> None:
        stream = self._process.stderr
        if stream is None:
            return
        with stream:
            for raw in stream:
                line = raw.decode("utf-8", "replace").rstrip()
                self.tail = [*self.tail[-KEPT_LINES + 1 :], line]
                if self._relay is not None:
                    self._relay(line)
