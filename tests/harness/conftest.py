"""A lab for each test, and the command without a process of its own."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

import pytest
from plugpull.lab import Lab, Limits
from support import HANGS_AFTER, run_agent


@pytest.fixture
def lab() -> Iterator[Lab]:
    """A lab with the limits that a user gets."""
    with Lab() as lab:
        yield lab


@pytest.fixture
def impatient_lab() -> Iterator[Lab]:
    """A lab for toys that hang."""
    with Lab(Limits(HANGS_AFTER)) as lab:
        yield lab


@pytest.fixture
def verdicts(lab: Lab) -> Callable[[str], list[str]]:
    """Verdict and outcome of an agent at both fault points."""

    def run(command: str) -> list[str]:
        return [f"{one.verdict} {one.outcome}" for one in run_agent(lab, command).results]

    return run


@pytest.fixture
def in_process() -> Iterator[Callable[..., int]]:
    """The command without a process of its own; the signal handlers are put back."""
    from plugpull.cli import main

    names = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {name: signal.getsignal(name) for name in names}
    yield lambda *arguments: main([str(one) for one in arguments])
    for name, handler in before.items():
        signal.signal(name, handler)
