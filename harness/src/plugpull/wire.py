"""Lines of JSON over a Unix socket: what the provider and the Session store speak with an agent.

A request is one line, an answer is one line, and a connection may carry several in turn. A
connection that closes without an answer is the failure an application sees when the service at
the other end goes away.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plugpull.peer import peer_pid

__all__ = ["Connection", "Server", "call"]

Json = dict[str, Any]

#: A request longer than this is not one that an agent meant to send.
LONGEST_LINE = 64 * 1024 * 1024


def call(path: str, request: Json) -> Json:
    """Send one request over a connection of its own and return the answer.

    Raises:
        ConnectionError: The other side closed the call without an answer.
    """
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(path)
        client.sendall(json.dumps(request).encode() + b"\n")
        with client.makefile("rb") as reader:
            line = reader.readline()
    if not line.endswith(b"\n"):
        msg = "the call was closed without an answer"
        raise ConnectionError(msg)
    answer: Json = json.loads(line)
    return answer


class Connection:
    """The server's end of one connection, with the kernel's word on who is at the other end."""

    def __init__(self, client: socket.socket) -> None:
        self._socket = client
        self._reader = client.makefile("rb")
        #: Process id of the caller as the kernel gives it, ``None`` where it gives none.
        self.pid = peer_pid(client)

    def read_line(self) -> bytes:
        """The next request, or ``b""`` once the other side has gone."""
        try:
            return self._reader.readline(LONGEST_LINE)
        except (OSError, ValueError):
            # ValueError: closed by the server, from another thread, in this very moment.
            return b""

    def answer(self, message: Json) -> None:
        """Send an answer; a caller that has gone in the meantime is no error of ours."""
        with contextlib.suppress(OSError):
            self._socket.sendall(json.dumps(message).encode() + b"\n")

    def is_open(self) -> bool:
        """Whether any process still holds the other end."""
        return self.wait_closed(0) is None

    def wait_closed(self, seconds: float) -> float | None:
        """Seconds until nobody held the other end any more, ``None`` if somebody still does."""
        begun = time.monotonic()
        poller = select.poll()
        try:
            # A hang-up and nothing else: a caller that has sent more than was read, or that has
            # closed its sending half only (``nc -N``), still waits for its answer. On macOS a
            # closed half is a hang-up too, which makes an ERROR there and never a wrong verdict.
            poller.register(self._socket, select.POLLHUP)
        except ValueError:
            # We closed it ourselves.
            return 0.0
        while True:
            left = seconds - (time.monotonic() - begun)
            found = poller.poll(max(0.0, left) * 1000)
            if any(event & (select.POLLHUP | select.POLLERR) for _, event in found):
                return time.monotonic() - begun
            if left <= 0:
                return None
            if found:
                # Woken by something else; not to be asked again at once.
                threading.Event().wait(min(left, 0.005))

    def close(self) -> None:
        """Close our end; a call that has no answer yet fails in the caller."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._reader.close()
            self._socket.close()


class Server:
    """Listens on a Unix socket and hands every connection to ``serve`` in a thread of its own.

    Args:
        path: Where the socket is made. At most about 100 bytes, a limit of the kernel.
        serve: Called with each connection; the connection is closed when it returns.

    Raises:
        OSError: The socket cannot be made.
    """

    def __init__(self, path: Path, serve: Callable[[Connection], None]) -> None:
        self.path = path
        self._serve = serve
        self._lock = threading.Lock()
        self._connections: set[Connection] = set()
        self._closed = False
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._listener.bind(str(path))
            self._listener.listen(128)
        except OSError:
            self._listener.close()
            raise
        self._acceptor = threading.Thread(target=self._accept, name=f"accept {path.name}")
        self._acceptor.daemon = True
        self._acceptor.start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                with self._lock:
                    if self._closed:
                        return
                # Out of descriptors, say: a server that gave up would make its callers hang.
                threading.Event().wait(0.05)
                continue
            with self._lock:
                if self._closed:
                    client.close()
                    return
                connection = Connection(client)
                self._connections.add(connection)
            threading.Thread(target=self._run, args=(connection,), daemon=True).start()

    def _run(self, connection: Connection) -> None:
        try:
            self._serve(connection)
        finally:
            connection.close()
            with self._lock:
                self._connections.discard(connection)

    def close(self) -> None:
        """Stop listening and close every connection."""
        with self._lock:
            self._closed = True
            connections = list(self._connections)
        # shutdown() is what wakes a thread blocked in accept() on Linux; close() alone does not.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in connections:
            connection.close()
        self._acceptor.join(timeout=5)
        with contextlib.suppress(OSError):
            self.path.unlink()
