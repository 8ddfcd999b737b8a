"""What the tests of the harness share: the toys, and short ways of running them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from plugpull.lab import Lab
from plugpull.runner import Report, Runner, Selection
from plugpull.scenarios.base import Case, Scenario, Settings
from plugpull.scenarios.kill_mid_tool import KillMidTool
from plugpull.subject import Subject
from plugpull.verdicts import Result

HERE = Path(__file__).parent
TOOLS = HERE / "toys" / "tools.py"
SESSIONS = HERE / "toys" / "sessions.py"
TARGETS = HERE.parents[1] / "targets"

#: For what has to hang. Everything else in such a test has to be over sooner, so it is not short.
HANGS_AFTER = 4.0


def tool(kind: str, *more: object) -> str:
    """The command of a toy of kill-mid-tool, as a user would give it to ``--agent``."""
    return " ".join([sys.executable, str(TOOLS), kind, *map(str, more)])


def agent(command: str, **fields: object) -> Subject:
    """A subject for a command that has no spaces within its words."""
    return Subject(target=command, argv=tuple(command.split()), **fields)  # type: ignore[arg-type]


def session(kind: str, *more: object, **fields: object) -> Subject:
    """A toy of lost-session-write."""
    return agent(" ".join([sys.executable, str(SESSIONS), kind, *map(str, more)]), **fields)


def run_agent(lab: Lab, command: str, **selection: object) -> Report:
    """Everything that ``--agent COMMAND`` runs."""
    return Runner(lab, Selection(**selection)).run_agent(command)  # type: ignore[arg-type]


def run_all(lab: Lab, scenario: Scenario, subject: Subject, writes: str = "staged") -> list[Result]:
    """Every result of a scenario, an unusable run without a fault included."""
    runner = Runner(lab, Selection(settings=Settings(writes)))
    return list(runner._run_scenario(scenario, subject))  # noqa: SLF001 - the seam of interest


def kill_at(lab: Lab, subject: Subject, point: str) -> Result:
    """kill-mid-tool at one fault point."""
    scenario = KillMidTool()
    unfaulted = scenario.unfaulted(lab, subject, Settings())
    return scenario.try_case(lab, subject, unfaulted, Case(point))


def alive(pid: int) -> bool:
    """Whether a process runs; a zombie does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in {"Z", "X"}


def reaped(pid: int) -> bool:
    """Whether a process has gone for good: even its zombie, which keeps the process group."""
    try:
        os.getpgid(pid)
    except ProcessLookupError:
        return True
    return False


def command_line(
    *arguments: object,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run ``plugpull`` as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "plugpull", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        cwd=directory,
        env={**os.environ, **(environment or {})},
    )


def eventually(true: Callable[[], bool]) -> bool:
    """Whether something becomes true; how long it takes proves nothing."""
    end = time.monotonic() + 60
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True
