"""Who is at the other end of a Unix socket, as the kernel knows it.

Linux answers ``SO_PEERCRED`` (unix(7)), macOS ``LOCAL_PEERPID`` (sys/un.h); a process cannot
choose what it answers, so this counts as proof where a process id in a message does not.
"""

from __future__ import annotations

import socket
import struct
import sys

__all__ = ["peer_pid"]

# From macOS's <sys/un.h>; the socket module has no names for them.
_SOL_LOCAL = 0
_LOCAL_PEERPID = 2


def peer_pid(connection: socket.socket) -> int | None:
    """Process id that connected, or ``None`` where the platform does not tell."""
    if sys.platform == "linux":
        credentials = connection.getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")
        )
        pid: int = struct.unpack("3i", credentials)[0]
        return pid or None
    if sys.platform == "darwin":
        try:
            answer = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERPID, struct.calcsize("i"))
        except OSError:
            return None
        return int(struct.unpack("i", answer)[0]) or None
    return None
