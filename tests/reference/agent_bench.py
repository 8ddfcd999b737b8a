"""Work folders with a task in them, and two ways to start the agent there.

A real process for each run is what a user has. The checks that need hundreds of runs, or that are
made on many changed copies of the agent, start it as a fork instead.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

REFERENCE = Path(__file__).resolve().parents[2] / "targets" / "reference"
RIGS = Path(__file__).resolve().parent / "rigs"

TASK = "t1"
NOTES = "Line one\nLine two\n\nLine three\nLine four\n"
SUMMARY = "Line one\nLine two\nLine three"
PLAN = {
    "goal": "Report on the notes",
    "steps": [
        {"tool": "fetch", "input": {"path": "input/notes.txt"}},
        {"tool": "summarize", "input": {"from": 0}},
        {"tool": "write_artifact", "input": {"from": 1}},
    ],
}
KILLED = -signal.SIGKILL
#: Seconds after which something that has to come has not come.
PATIENCE = 30.0


class Running(Protocol):
    """A process that was started."""

    pid: int

    def wait(self) -> int:
        """Its exit status, negative for a signal."""


Launcher = Callable[[list[str], dict[str, str], Path, Path, Path], Running]
"""Starts a Python program: its arguments, environment, folder, and files for what it prints."""


def spawn(argv: list[str], env: dict[str, str], cwd: Path, out: Path, err: Path) -> Running:
    """A process of its own."""
    with out.open("wb") as stdout, err.open("wb") as stderr:
        return subprocess.Popen(
            [sys.executable, *argv],
            env=env,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )


class Forker:
    """A launcher that forks a process which has imported the agent; a context manager.

    Args:
        agent: The folder of the agent's program.
    """

    def __init__(self, agent: Path) -> None:
        self._agent = agent

    def __enter__(self) -> Forker:
        self._server = subprocess.Popen(
            [sys.executable, str(RIGS / "forker.py"), str(self._agent)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()

    def __call__(
        self, argv: list[str], env: dict[str, str], cwd: Path, out: Path, err: Path
    ) -> Running:
        """See :data:`Launcher`."""
        request = {"argv": argv, "env": env, "cwd": str(cwd), "out": str(out), "err": str(err)}
        return _Forked(self.ask(request), self)

    def ask(self, request: dict[str, Any]) -> int:
        """What the server answers to a request."""
        assert self._server.stdin
        assert self._server.stdout
        self._server.stdin.write(json.dumps(request) + "\n")
        return int(self._server.stdout.readline())


@dataclass(slots=True)
class _Forked:
    pid: int
    forker: Forker

    def wait(self) -> int:
        return self.forker.ask({"wait": self.pid})


@dataclass(frozen=True, slots=True)
class Ended:
    """What a run of the agent came to."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Lab:
    """A work folder, and the agent that works in it.

    Attributes:
        work: The folder, with ``state.db``, ``plan.json``, ``input`` and ``artifacts``.
        agent: The folder of the agent's program.
        launcher: Starts it.
    """

    work: Path
    agent: Path
    launcher: Launcher

    @property
    def database(self) -> Path:
        """The agent's database."""
        return self.work / "state.db"

    def start(self, *arguments: str, rig: str = "", **env: str) -> Running:
        """Start the agent's command, perhaps in a rig (see ``rigs/agent_rig.py``)."""
        outer = {k: v for k, v in os.environ.items() if not k.startswith(("AGENT_", "OLLAMA_"))}
        command = ["--db", str(self.database), *arguments]
        if rig:
            env["AGENT_RIG"] = rig
            program = [str(RIGS / "agent_rig.py"), str(self.agent)]
        else:
            program = [str(self.agent / "agent.py")]
        env = {**outer, "AGENT_ARTIFACTS": str(self.work / "artifacts"), **env}
        out, err = self._outputs()
        return self.launcher([*program, *command], env, self.work, out, err)

    def call(self, *arguments: str, rig: str = "", **env: str) -> Ended:
        """Start it, and wait for its end."""
        returncode = self.start(*arguments, rig=rig, **env).wait()
        out, err = self._outputs()
        return Ended(returncode, out.read_text("utf-8"), err.read_text("utf-8"))

    def run(self, *, rig: str = "", **env: str) -> Ended:
        """Let it work on the task."""
        return self.call("run", TASK, rig=rig, **env)

    def query(self, statement: str) -> list[tuple[Any, ...]]:
        """Ask the database, past the agent."""
        with closing(sqlite3.connect(self.database)) as connection:
            return connection.execute(statement).fetchall()

    def events(self) -> list[tuple[str, int | None, str, dict[str, Any]]]:
        """Kind, step, run and data of each event."""
        rows = self.query(
            f"SELECT kind, step_idx, run_id, data FROM events WHERE task_id = '{TASK}' ORDER BY seq"
        )
        return [(kind, step, run, json.loads(data)) for kind, step, run, data in rows]

    def steps_of(self, kind: str) -> list[int | None]:
        """The steps that have such an event, in their order."""
        return [step for found, step, _, _ in self.events() if found == kind]

    def artifacts(self) -> dict[str, str]:
        """What is published, by name; drafts are not."""
        folder = self.work / "artifacts"
        files = sorted(folder.glob("*.md")) if folder.is_dir() else []
        return {path.name: path.read_text(encoding="utf-8") for path in files}

    def output(self, step: int) -> dict[str, Any] | None:
        """What is stored of a step's tool."""
        ((text,),) = self.query(f"SELECT output FROM steps WHERE idx = {step}")
        return None if text is None else json.loads(text)

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Poll for something that has to come."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, "it never came"
            time.sleep(0.01)

    def _outputs(self) -> tuple[Path, Path]:
        return self.work / "stdout.txt", self.work / "stderr.txt"


@dataclass(slots=True)
class Bench:
    """Makes work folders for one agent.

    Attributes:
        folder: Where.
        agent: The folder of the agent's program.
        launcher: Starts it.
        stride: A sweep over every place to die at leaves out all but each so-many-th.
    """

    folder: Path
    agent: Path
    launcher: Launcher
    stride: int = 1
    _templates: dict[str, Path] = field(default_factory=dict)
    _count: int = 0

    def empty(self) -> Lab:
        """A folder with notes and a plan, and no task yet."""
        self._count += 1
        work = self.folder / f"{self._count}"
        (work / "input").mkdir(parents=True)
        (work / "input" / "notes.txt").write_text(NOTES, encoding="utf-8")
        (work / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
        return Lab(work, self.agent, self.launcher)

    def created(self) -> Lab:
        """A folder with a task that was never run."""
        return self._copy("created", self.empty, _create, 0)

    def killed_at(self, point: str, step: int) -> Lab:
        """A folder with a task whose process died at a point of a step."""
        at = f"{point}:{step}"

        return self._copy(at, self.created, lambda lab: lab.run(AGENT_CRASH_AT=at), KILLED)

    def _copy(
        self, name: str, begin: Callable[[], Lab], make: Callable[[Lab], Ended], status: int
    ) -> Lab:
        if name not in self._templates:
            lab = begin()
            ended = make(lab)
            assert ended.returncode == status, (ended.returncode, ended.stderr)
            self._templates[name] = lab.work
        self._count += 1
        work = self.folder / f"{self._count}"
        shutil.copytree(self._templates[name], work)
        return Lab(work, self.agent, self.launcher)


def _create(lab: Lab) -> Ended:
    return lab.call("create", TASK, "plan.json")
