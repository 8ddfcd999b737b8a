"""The reference agent, killed wherever it can be."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_bench import REFERENCE, Bench, Forker, spawn
from agent_checks import CHECKS, SWEEPS


@pytest.fixture
def forker() -> Iterator[Forker]:
    """Starts agents as forks."""
    with Forker(REFERENCE) as forker:
        yield forker


@pytest.mark.parametrize("name", [name for name in CHECKS if name not in SWEEPS])
def test_holds(tmp_path: Path, name: str) -> None:
    """Each run is a process of its own, started as a user starts it."""
    CHECKS[name](Bench(tmp_path, REFERENCE, spawn))


@pytest.mark.parametrize("name", SWEEPS)
def test_holds_wherever_it_dies(tmp_path: Path, forker: Forker, name: str) -> None:
    """Killed after every single statement, and at every line of the code that publishes."""
    CHECKS[name](Bench(tmp_path, REFERENCE, forker))
