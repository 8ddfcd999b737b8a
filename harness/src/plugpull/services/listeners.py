"""Who listens on what, as the kernel tells it: what a server says about itself proves nothing."""

from __future__ import annotations

import ipaddress
import os
import sys
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Listener", "group_of", "listeners"]

_LISTENING = "0A"
_SOCKET = "socket:["


@dataclass(frozen=True, slots=True)
class Listener:
    """A socket that takes TCP connections.

    Attributes:
        address: What it is bound to.
        port: Its port.
        pid: Who holds it; ``None`` for a process that we may not look at.
    """

    address: str
    port: int
    pid: int | None

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine can reach it."""
        address = ipaddress.ip_address(self.address)
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback

    def __str__(self) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{host}:{self.port}"


def listeners() -> list[Listener] | None:
    """Every listening TCP socket of this machine; ``None`` where the system does not tell."""
    if sys.platform != "linux":
        return None
    bound: dict[str, tuple[str, int]] = {}
    for table in ("tcp", "tcp6"):
        bound |= _listening(Path(f"/proc/net/{table}"))
    owners = _owners(set(bound))
    return [Listener(address, port, owners.get(inode)) for inode, (address, port) in bound.items()]


def group_of(pid: int | None) -> int | None:
    """The process group of a process, ``None`` if it has gone or was not known."""
    try:
        return None if pid is None else os.getpgid(pid)
    except ProcessLookupError:
        return None


def _listening(table: Path) -> dict[str, tuple[str, int]]:
    """Inode of each listening socket, with what it is bound to."""
    found = {}
    try:
        lines = table.read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return {}
    for line in lines:
        fields = line.split()
        if fields[3] == _LISTENING:
            address, _, port = fields[1].partition(":")
            found[fields[9]] = (_address(address), int(port, 16))
    return found


def _address(text: str) -> str:
    """The kernel prints an address as 32-bit words in the machine's own byte order."""
    words = [bytes.fromhex(text[at : at + 8]) for at in range(0, len(text), 8)]
    if sys.byteorder == "little":
        words = [word[::-1] for word in words]
    return str(ipaddress.ip_address(b"".join(words)))


def _owners(inodes: set[str]) -> dict[str, int]:
    owners = {}
    for process in Path("/proc").iterdir():
        if not process.name.isdigit():
            continue
        try:
            for handle in (process / "fd").iterdir():
                target = str(handle.readlink())
                if target.startswith(_SOCKET) and target[len(_SOCKET) : -1] in inodes:
                    owners[target[len(_SOCKET) : -1]] = int(process.name)
        except OSError:
            continue  # It has ended, or belongs to somebody else.
    return owners
