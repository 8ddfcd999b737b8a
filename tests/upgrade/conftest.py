"""A lab for the toys of this folder."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from plugpull.lab import Lab

TESTS = Path(__file__).parents[1]
# Warm labs, and environments with two versions.
sys.path.append(str(TESTS / "scenarios"))


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """A lab with the limits that a user gets."""
    from broken_worlds import warm
    from plugpull.lab import Lab

    with Lab() as lab:
        yield warm(lab)


@pytest.fixture
def impatient_lab() -> Iterator[Lab]:
    """A lab for a toy that hangs."""
    from broken_worlds import HANGS_AFTER, warm
    from plugpull.lab import Lab, Limits

    with Lab(Limits(HANGS_AFTER)) as lab:
        yield warm(lab)


@pytest.fixture(scope="module")
def states(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What version 1.0 saves of a run that is all right; every kind is all right under it."""
    from saving import save

    folder = tmp_path_factory.mktemp("states")
    assert {one.verdict for one in save(lab, "goes-on", folder)} == {"PASS"}
    return folder
