"""What a fork server runs: import a framework once, then fork for every agent.

``python -m plugpull.processes.fork_server FD MODULE...``. On the socket ``FD`` it reads one line of
JSON per agent and writes what happens: ``ready``, ``started``, ``ended``. The exit status it
reports is what ``waitpid`` gave it; an agent has no way to reach this socket.

A forked child leaves the server's loop and runs the program at the top level of this module. It
ends as a script does: an exception is printed and gives status 1, threads are joined, exit handlers
run, output is flushed. Only the interpreter's own dismantling is left out, as multiprocessing's
forked children leave it out: taking a framework apart costs up to a second, and nobody is there to
see it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
import traceback
import types
from pathlib import Path
from typing import Any

__all__: list[str] = []

Json = dict[str, Any]


def _import_all(modules: list[str]) -> str:
    """Import everything; the traceback of the first failure, or ``""``."""
    for module in modules:
        try:
            importlib.import_module(module)
        except Exception:  # noqa: BLE001 - whatever a framework raises, the cold start will show it
            return f"importing {module} failed:\n{traceback.format_exc()}"
    return ""


def _thread_count() -> int:
    """Threads as the kernel counts them: a C extension's are not in Python's list."""
    return len(list(Path("/proc/self/task").iterdir()))


class _Server:
    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._wake, self._waker = os.pipe()
        for end in (self._wake, self._waker):
            os.set_blocking(end, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        self._children: set[int] = set()
        self._unread = b""

    def say(self, **message: Any) -> None:
        self._control.sendall(json.dumps(message).encode() + b"\n")

    def serve(self) -> Json | None:
        """The request, in a forked child; ``None``, in the server, once the harness is gone."""
        while True:
            watched: list[Any] = [self._control, self._wake]
            ready, _, _ = select.select(watched, [], [])
            if self._wake in ready:
                os.read(self._wake, 4096)
                self._collect()
            if self._control not in ready:
                continue
            received = self._control.recv(65536)
            if not received:
                self._kill_children()
                return None
            self._unread += received
            while b"\n" in self._unread:
                line, _, self._unread = self._unread.partition(b"\n")
                request: Json = json.loads(line)
                if self._fork():
                    return request

    def _fork(self) -> bool:
        """``True`` in the child."""
        leads, leader = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(leads)
            os.setsid()
            os.write(leader, b"x")
            os.close(leader)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(self._wake)
            os.close(self._waker)
            self._control.close()
            return True
        os.close(leader)
        # The child leads its own process group before anybody hears of it; a kill by group
        # number would otherwise reach this server.
        os.read(leads, 1)
        os.close(leads)
        self._children.add(pid)
        self.say(kind="started", pid=pid)
        return False

    def _collect(self) -> None:
        while self._children:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self._children.discard(pid)
            self.say(kind="ended", pid=pid, status=os.waitstatus_to_exitcode(status))

    def _kill_children(self) -> None:
        for pid in self._children:
            try:
                os.killpg(pid, signal.SIGKILL)
            except OSError:
                continue


def _become(request: Json) -> types.CodeType:
    """Turn this forked child into the process that was asked for, up to its first line."""
    for descriptor, path in enumerate((os.devnull, request["output"], request["errors"])):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND
        opened = os.open(path, flags, 0o644)
        os.dup2(opened, descriptor)
        os.close(opened)
    # Made anew as the interpreter makes them: the server's own were opened on /dev/null.
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", closefd=False, errors="backslashreplace", buffering=1)  # noqa: SIM115
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    program = request["program"]
    sys.argv = [program, *request["arguments"]]
    sys.path[0] = str(Path(program).parent)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=program, __builtins__=__builtins__, __spec__=None)
    sys.modules["__main__"] = main
    return compile(Path(program).read_bytes(), program, "exec")


def _run(code: types.CodeType) -> int:
    """Run a program in the module that it takes for ``__main__``; its exit status."""
    try:
        exec(code, sys.modules["__main__"].__dict__)  # noqa: S102 - running it is what is asked
    except SystemExit as leaving:
        if leaving.code is None or isinstance(leaving.code, int):
            return leaving.code or 0
        print(leaving.code, file=sys.stderr)
        return 1
    except BaseException as error:  # noqa: BLE001 - printed as Python prints what ends a program
        trace = error.__traceback__
        # Without this frame, so that the traceback is the one that a cold start would print.
        sys.excepthook(type(error), error, trace.tb_next if trace else None)
        return 1
    return 0


def _end(status: int) -> None:
    """End this process as the interpreter would, up to the point where it takes itself apart."""
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 - as multiprocessing does
    atexit._run_exitfuncs()  # noqa: SLF001 - the same
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    _control = socket.socket(fileno=int(sys.argv[1]))
    _control.set_inheritable(False)
    _failed = _import_all(sys.argv[2:])
    _server = _Server(_control)
    # Frozen objects are never looked at by a child's collector, so their pages stay shared.
    gc.collect()
    gc.freeze()
    _server.say(kind="ready", failed=_failed, threads=_thread_count())
    _request = _server.serve()
    if _request is not None:
        _end(_run(_become(_request)))
