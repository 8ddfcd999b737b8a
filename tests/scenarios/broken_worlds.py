"""What the tests of batch-kill and changed-world share: the toys, and ways of running them."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from plugpull.lab import Lab
from plugpull.processes.environment import child_environment
from plugpull.processes.fork_launcher import ForkLauncher, ForkUnavailable
from plugpull.processes.strays import MARKER_VARIABLE
from plugpull.runner import Runner, Selection
from plugpull.scenarios.base import Scenario
from plugpull.scenarios.batch_kill import BatchKill
from plugpull.scenarios.changed_world import ChangedWorld
from plugpull.subject import Subject
from plugpull.verdicts import Result

TOYS = Path(__file__).parent / "toys"
#: For what has to hang. Everything else in such a test has to be over sooner, so it is not short.
HANGS_AFTER = 4.0

BATCH_POINTS = ["between-results", "between-results-recorded"]
WORLD_POINTS = ["tool-schema-changed", "tool-removed", "model-renamed"]

_PRELOAD = ("plugpull", "subprocess", "socket", "signal")


def warm(lab: Lab) -> Lab:
    """Start agents as forks, which costs a tenth; macOS starts them afresh."""
    environment = child_environment({MARKER_VARIABLE: lab.marker}, ())
    try:
        launcher = ForkLauncher(_PRELOAD, environment, lab.guardian, lab.limits.unfaulted)
    except ForkUnavailable:
        return lab
    lab.use(launcher, launcher.server_pids)
    return lab


def batch(kind: str, folder: Path, **fields: Any) -> Subject:
    """A toy of batch-kill."""
    return _toy("batch.py", kind, folder, **{"inspects": True, **fields})


def world(kind: str, folder: Path, **fields: Any) -> Subject:
    """A toy of changed-world, whose refusals have to name the change."""
    worlds = {point: re.compile(point) for point in WORLD_POINTS}
    return _toy("world.py", kind, folder, **{"inspects": True, "worlds": worlds, **fields})


def run_batch(lab: Lab, subject: Subject) -> list[Result]:
    """Every result of batch-kill."""
    return _run(lab, BatchKill(), subject)


def run_world(lab: Lab, subject: Subject) -> list[Result]:
    """Every result of changed-world."""
    return _run(lab, ChangedWorld(), subject)


def words(results: list[Result]) -> list[str]:
    """Verdict and outcome of each result."""
    return [f"{one.verdict} {one.outcome or ''}".strip() for one in results]


def _run(lab: Lab, scenario: Scenario, subject: Subject) -> list[Result]:
    runner = Runner(lab, Selection())
    return list(runner._run_scenario(scenario, subject))  # noqa: SLF001 - the seam of interest


def _toy(program: str, kind: str, folder: Path, **fields: Any) -> Subject:
    subject = Subject.for_program(TOYS / program, target=kind, **fields)
    return replace(subject, argv=(sys.executable, str(TOYS / program), kind, str(folder)))
