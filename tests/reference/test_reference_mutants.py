"""That the checks see what they are for: each guard of the agent taken away in a copy of it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_bench import Bench, Forker
from agent_checks import CHECKS, SWEEPS
from agent_mutants import MUTANTS, Mutant

# Of a sweep that should stay green only one place in its middle is tried, and of three steps the
# first and the last: each of some thousand runs costs a hundredth of a second.
STRIDE = 30
TRIED = {name: check for name, check in CHECKS.items() if not name.endswith(":1]")}

_MEMORY = Path("/dev/shm")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory, where there is one: a thousand runs wait for the disk many times each."""
    within = _MEMORY if os.access(_MEMORY, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="plugpull-", dir=within) as name:
        yield Path(name)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_turns_these_checks_red_and_no_others(folder: Path, mutant: Mutant) -> None:
    """What a guard keeps from happening is seen by the checks that are about it, and only there."""
    agent = mutant.make(folder)
    red: dict[str, str] = {}
    with Forker(agent) as forker:
        bench = Bench(folder, agent, forker)
        for name, check in TRIED.items():
            bench.stride = STRIDE if name in SWEEPS and name not in mutant.red else 1
            try:
                check(bench)
            except AssertionError as error:
                red[name] = str(error)
    assert set(red) == mutant.red, red
