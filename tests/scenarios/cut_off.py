"""What the tests of faults around one tool call and of cut-off turns share: toys, and running."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_worlds import HANGS_AFTER, TOYS, words
from plugpull.lab import Ended, Lab, Trial
from plugpull.runner import Runner, Selection
from plugpull.scenarios.base import Scenario, Settings
from plugpull.subject import Subject
from plugpull.verdicts import Result

__all__ = ["HANGS_AFTER", "hurry", "order", "results", "talk", "the_error", "words"]

#: Seconds for a toy that hangs in any case.
SHORTLY = 0.3
REFUSALS = (re.compile("^NOISE"),)


def order(flags: str, folder: Path, **fields: Any) -> Subject:
    """A toy that charges, and keeps its history."""
    return _toy("order.py", flags, folder, **fields)


def talk(flags: str, folder: Path, **fields: Any) -> Subject:
    """A toy that holds a conversation."""
    return _toy("talk.py", flags, folder, **fields)


def results(lab: Lab, scenario: Scenario, subject: Subject, **settings: Any) -> list[Result]:
    """Every result of a scenario, an unusable run without a fault included."""
    runner = Runner(lab, Selection(settings=Settings(**settings)))
    return list(runner._run_scenario(scenario, subject))  # noqa: SLF001 - the seam of interest


def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait less for who goes on than for who starts: a toy that hangs there does so for ever."""
    run = Trial.run

    def run_shortly(trial: Trial, verb: str, limit: float, *, generation: int = 0) -> Ended:
        waits = SHORTLY if verb in {"resume", "next-turn"} else limit
        return run(trial, verb, waits, generation=generation)

    monkeypatch.setattr(Trial, "run", run_shortly)


def the_error(found: list[Result]) -> str:
    """The detail of an ERROR that is the same at every fault point."""
    assert set(words(found)) == {"ERROR"}, [one.detail for one in found]
    assert len({one.detail for one in found}) == 1
    return found[0].detail


def _toy(program: str, flags: str, folder: Path, **fields: Any) -> Subject:
    subject = Subject.for_program(TOYS / program, target=flags, **{"inspects": True, **fields})
    return replace(subject, argv=(sys.executable, str(TOYS / program), flags, str(folder)))
