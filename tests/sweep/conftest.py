"""A lab whose agents are forks of a process that has imported what they need, where that works."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from plugpull.lab import Lab, Limits
from plugpull.processes.environment import child_environment
from plugpull.processes.fork_launcher import ForkLauncher, ForkUnavailable
from plugpull.processes.strays import MARKER_VARIABLE
from sweeping import HANGS_AFTER

PRELOAD = ("plugpull", "random", "uuid", "shutil", "concurrent.futures.thread")

# The workshop in which the package is broken on purpose is the harness's.


def warm(lab: Lab) -> Lab:
    """Start agents as forks, which costs a tenth; macOS starts them afresh."""
    environment = child_environment({MARKER_VARIABLE: lab.marker}, ())
    try:
        launcher = ForkLauncher(PRELOAD, environment, lab.guardian, lab.limits.unfaulted)
    except ForkUnavailable:
        return lab
    lab.use(launcher, launcher.server_pids)
    return lab


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A lab with the limits that a user gets."""
    with Lab() as lab:
        yield warm(lab)


@pytest.fixture
def impatient_lab() -> Iterator[Lab]:
    """A lab for toys that hang."""
    with Lab(Limits(HANGS_AFTER)) as lab:
        yield warm(lab)
