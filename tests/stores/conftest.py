"""A lab whose agents are forks, and the way from a toy to its results."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from plugpull.lab import Lab
    from plugpull.scenarios.base import Scenario
    from plugpull.subject import Subject
    from plugpull.verdicts import Result

sys.path.append(str(Path(__file__).parents[1] / "scenarios"))

TOY = Path(__file__).parent / "toys" / "store.py"


# Imported where they are needed: the tests are run for every mutant, and quickly.
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
def store(tmp_path: Path) -> Callable[..., Subject]:
    """A toy of this kind."""

    def make(kind: str, **fields: Any) -> Subject:
        from plugpull.subject import Subject

        given = {"inspects": True, "refusals": (re.compile("^RefusedError"),), **fields}
        subject = Subject.for_program(TOY, target=kind, **given)
        return replace(subject, argv=(sys.executable, str(TOY), kind, str(tmp_path)))

    return make


@pytest.fixture
def run_all() -> Callable[[Lab, Scenario, Subject], list[Result]]:
    """Every result of a scenario, as a cell has them."""

    def run(lab: Lab, scenario: Scenario, subject: Subject) -> list[Result]:
        from plugpull.runner import Runner, Selection

        selection = Selection(timing_repeat=2)
        return list(Runner(lab, selection)._run_scenario(scenario, subject))  # noqa: SLF001 - the seam

    return run
