"""Restate's server, which the npm package ``@restatedev/restate-server`` ships as a program.

https://docs.restate.dev/server/configuration

``serve`` becomes the server; ``ready`` asks it until it answers. At its start it asks once, at
GitHub, whether there is a newer release; no setting turns that off, and nothing depends on it.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

from settings import ADMIN, INGRESS

PAUSE = 0.05


def program() -> str:
    """The server's program: the one in this environment, else any other."""
    packages = Path(sys.prefix) / "node_modules" / "@restatedev"
    beside = sorted(packages.glob("restate-server-*/bin/restate-server"))
    found = str(beside[0]) if beside else shutil.which("restate-server")
    if found is None:
        sys.exit("there is no server of Restate here, or npm has none for this system")
    return found


def serve() -> None:
    """Become the server: everything on loopback, its state in the folder that we were given."""
    node = f"127.0.0.1:{os.environ['PLUGPULL_PORT_NODE']}"
    settings = {
        "RESTATE_ADMIN__BIND_ADDRESS": ADMIN,
        "RESTATE_INGRESS__BIND_ADDRESS": INGRESS,
        "RESTATE_BIND_ADDRESS": node,
        "RESTATE_ADVERTISED_ADDRESS": f"http://{node}",
        "RESTATE_BASE_DIR": str(Path(os.environ["PLUGPULL_SERVICE_DIR"]) / "restate"),
        "RESTATE_DEFAULT_NUM_PARTITIONS": "1",
        "RESTATE_DISABLE_TELEMETRY": "true",
        "RESTATE_LISTEN_MODE": "tcp",
        "RESTATE_LOG_FILTER": "error",
        "RESTATE_LOG_DISABLE_ANSI_CODES": "true",
    }
    os.execve(  # noqa: S606 - no shell is wanted
        program(), [program(), "--no-logo"], {**os.environ, **settings}
    )


def ready() -> None:
    """Ask until both sides of it answer."""
    for question in (f"http://{ADMIN}/health", f"http://{INGRESS}/restate/health"):
        while not answers(question):
            time.sleep(PAUSE)


def answers(question: str) -> bool:
    """Whether there is an answer that says that all is well."""
    try:
        with urllib.request.urlopen(question, timeout=5) as answer:  # noqa: S310 - loopback
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


if __name__ == "__main__":
    {"serve": serve, "ready": ready}[sys.argv[-1]]()
