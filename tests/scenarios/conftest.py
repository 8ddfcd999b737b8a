"""A lab whose agents are forks of a process that has imported what they need, where that works."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from broken_worlds import HANGS_AFTER, warm
from plugpull.lab import Lab, Limits

# The workshop in which mutants are made.
sys.path.append(str(Path(__file__).parents[1] / "mutants"))


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
