"""What a manifest says about the server that a framework needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["FOLDER_VARIABLE", "PORT_NAME", "READY_WITHIN", "ServiceSpec", "port_variable"]

#: The environment variable that names the server's own folder.
FOLDER_VARIABLE = "PLUGPULL_SERVICE_DIR"

#: What a port may be called.
PORT_NAME = re.compile(r"[a-z][a-z0-9_]*")
#: Seconds that a server has to become ready, where its manifest does not say.
READY_WITHIN = 120.0


@dataclass(frozen=True, slots=True)
class ServiceSpec:
    """A server, as far as the harness has to know it.

    Attributes:
        program: The Python program that knows the server. Its verb ``serve`` becomes the server;
            its verb ``ready`` asks until the server answers, and ends with 0 then.
        ports: What the ports are called that it needs.
        ready_within: Seconds it has to become ready. They decide no verdict.
        remedy: What a person does about a server that does not start.
        environment: Set for the server.
    """

    program: Path
    ports: tuple[str, ...] = ()
    ready_within: float = READY_WITHIN
    remedy: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


def port_variable(name: str) -> str:
    """The environment variable that carries a port: ``PLUGPULL_PORT_GRPC``."""
    return f"PLUGPULL_PORT_{name.upper()}"
