"""A lab whose agents are forks of a process that has imported what they need, where that works."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugpull.lab import Lab


# Imported where they are needed: the tests that need no lab are run for every mutant, and quickly.
@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A lab with the limits that a user gets."""
    from broken_worlds import warm
    from plugpull.lab import Lab

    with Lab() as lab:
        yield warm(lab)


@pytest.fixture
def impatient_lab() -> Iterator[Lab]:
    """A lab for toys that hang."""
    from broken_worlds import HANGS_AFTER, warm
    from plugpull.lab import Lab, Limits

    with Lab(Limits(HANGS_AFTER)) as lab:
        yield warm(lab)


@pytest.fixture
def hasty_lab() -> Iterator[Lab]:
    """A lab for toys whose first process hangs: nothing has to be over sooner than that."""
    from plugpull.lab import Lab, Limits

    with Lab(Limits(0.2)) as lab:
        yield lab
