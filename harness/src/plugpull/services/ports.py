"""Free ports on the loopback interface."""

from __future__ import annotations

import contextlib
import secrets
import socket

__all__ = ["LOOPBACK", "free_ports", "is_taken"]

LOOPBACK = "127.0.0.1"

# Below the ports that systems hand out for outgoing connections: none of those can take one of
# ours between the look and the use. Another server can; whoever starts one has to expect it.
_FIRST, _LAST = 20000, 32000
_TRIES = 1000


def free_ports(count: int) -> tuple[int, ...]:
    """So many different ports that nobody listens on.

    Raises:
        OSError: There are none, or there is no loopback interface.
    """
    found: list[int] = []
    for _ in range(_TRIES):
        if len(found) == count:
            break
        port = _FIRST + secrets.randbelow(_LAST - _FIRST)
        if port not in found and not is_taken(port):
            found.append(port)
    if len(found) < count:
        msg = f"no free port between {_FIRST} and {_LAST} on {LOOPBACK}"
        raise OSError(msg)
    return tuple(found)


def is_taken(port: int) -> bool:
    """Whether somebody holds the port, on the loopback interface or on all of them."""
    with contextlib.closing(socket.socket()) as trial:
        # As servers do it: what an ended connection left behind holds no port.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((LOOPBACK, port))
        except OSError:
            return True
    return False
