"""A target with a server, made for one test; and what the tests ask about it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from plugpull.services.running import Service

TOYS = Path(__file__).parent / "toys"
REMEDY = "buy more paper"


class Notes:
    """The folder in which the toy server leaves who it is."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def pid(self, name: str = "server") -> int:
        """A process id that it wrote."""
        return int(self.folder.joinpath(f"{name}.pid").read_text())

    def left(self) -> list[int]:
        """Processes of the toy that run; one that was ended at once has written no id."""
        mark = f"TOY_NOTES={self.folder}".encode()
        return [
            int(process.name)
            for process in Path("/proc").glob("[0-9]*")
            if mark in _environment(process) and alive(int(process.name))
        ]

    @property
    def home(self) -> Path:
        """The folder that the server was given."""
        return Path(self.folder.joinpath("folder").read_text())

    @property
    def runs(self) -> list[tuple[str, str]]:
        """Run and verb of each process of the agent."""
        lines = self.folder.joinpath("runs").read_text().splitlines()
        return [(line.split()[0], line.split()[1]) for line in lines]


@pytest.fixture
def notes(tmp_path: Path) -> Iterator[Notes]:
    """A folder for the toy; what it left behind on purpose is ended by its id."""
    folder = tmp_path / "notes"
    folder.mkdir()
    yield Notes(folder)
    for path in folder.glob("*.pid"):
        if path.stem != "server":
            with contextlib.suppress(OSError):
                os.kill(int(path.read_text()), signal.SIGKILL)


@pytest.fixture
def service(notes: Notes) -> Iterator[Callable[..., Service]]:
    """Makes the toy server of some kind, not started yet; ends what the test did not."""
    from plugpull.services.running import Service
    from plugpull.services.spec import ServiceSpec

    made: list[Service] = []

    def make(kind: str, **changes: Any) -> Service:
        environment = {"TOY": kind, "TOY_NOTES": str(notes.folder)}
        fields = {"ports": ("words",), "remedy": REMEDY, "environment": environment, **changes}
        made.append(Service("toy", ServiceSpec(TOYS / "server.py", **fields)))
        return made[-1]

    yield make
    for one in made:
        one.stop()


@contextlib.contextmanager
def started(service: Service) -> Iterator[Service]:
    """The server from its start to its end; one that does not start is what the test is about."""
    from plugpull.services.running import ServiceFailure

    try:
        service.start()
    except ServiceFailure as failure:
        raise AssertionError(str(failure)) from failure
    try:
        yield service
    finally:
        service.stop()


def add_target(targets: Path, notes: Notes, kind: str, agent: str = "", **changes: Any) -> Path:
    """Write the target ``toy``, which needs the toy server of some kind."""
    shutil.copytree(TOYS, targets / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {"TOY": kind, "TOY_NOTES": str(notes.folder)}
    manifest = {
        "name": "toy",
        "title": "Toy",
        "distribution": "plugpull",
        "import": "plugpull",
        "program": "agent.py",
        "env": {**environment, "TOY_AGENT": agent},
        "service": {
            "program": "server.py",
            "ports": ["words"],
            "remedy": REMEDY,
            "env": environment,
        },
        "scenarios": {"kill-mid-tool": {}},
        "variants": [{"name": "default"}],
        **changes,
    }
    (targets / "toy" / "target.json").write_text(json.dumps(manifest))
    return targets


def ask(service: Service, text: str) -> str:
    """One question to the server."""
    port = int(service.variables["PLUGPULL_PORT_WORDS"])
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall(text.encode())
        return connection.recv(1000).decode()


def _environment(process: Path) -> list[bytes]:
    """What the kernel says of a process; nothing, if it has gone or is somebody else's."""
    try:
        return process.joinpath("environ").read_bytes().split(b"\0")
    except OSError:
        return []


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def eventually(true: Callable[[], bool]) -> bool:
    """Whether something becomes true; how long it takes proves nothing."""
    end = time.monotonic() + 60
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def command(*arguments: object) -> list[str]:
    """The command line of plugpull."""
    return [sys.executable, "-m", "plugpull", *map(str, arguments)]
