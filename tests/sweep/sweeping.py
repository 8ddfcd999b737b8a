"""What the tests of kill-sweep share: the toys, and short ways of sweeping them."""

from __future__ import annotations

import sys
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

from plugpull.lab import Lab
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.runner import Runner, Selection
from plugpull.scenarios.base import Settings, Unfaulted
from plugpull.scenarios.kill_sweep import KillSweep
from plugpull.subject import Subject
from plugpull.verdicts import Result

TOYS = Path(__file__).parent / "toys"
#: For what has to hang. Everything else in such a test has to be over sooner, so it is not short.
HANGS_AFTER = 4.0

CALLS = ["tea", "milk", "sugar", "bread", "butter", "jam"]

#: One call, both sides of its effect: enough to see what a resume gets wrong.
ONE_CALL = Settings(points="k1", moments=0)
SINGLE = (BEFORE_EFFECT, AFTER_EFFECT)


def batches(**settings: str) -> Subject:
    """The six-call agent; what it is set to is described in its program."""
    return Subject.for_program(
        TOYS / "batches.py",
        target="batches",
        environment={f"TOY_{name.upper()}": value for name, value in settings.items()},
        inspects=True,
    )


def planted(kind: str, folder: Path, **fields: Any) -> Subject:
    """An agent with a planted defect, or in strange surroundings."""
    subject = Subject.for_program(TOYS / "planted.py", target=kind, inspects=True, **fields)
    argv = (sys.executable, str(TOYS / "planted.py"), kind, str(folder))
    return replace(subject, argv=argv)


class _Only(KillSweep):
    """The sweep, at some of its fault points."""

    def __init__(self, points: Collection[str]) -> None:
        self._points = points

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        found = super().unfaulted(lab, subject, settings)
        return replace(found, cases=tuple(c for c in found.cases if c.kill_point in self._points))


def sweep(
    lab: Lab, subject: Subject, settings: Settings | None = None, points: Collection[str] = ()
) -> list[Result]:
    """Every result, those of a run that cannot be judged included.

    Args:
        lab: Where it happens.
        subject: What is swept.
        settings: Without random moments, if there are none.
        points: Fault points; all of them, if there are none.
    """
    runner = Runner(lab, Selection(settings=settings or Settings(moments=0)))
    scenario = _Only(points) if points else KillSweep()
    return list(runner._run_scenario(scenario, subject))  # noqa: SLF001 - the seam of interest


def at(results: list[Result], *points: str) -> dict[tuple[str, str | None], str]:
    """Verdict and outcome by fault point and detail; of some fault points, if any are named."""
    return {
        (one.kill_point, one.point_detail): f"{one.verdict} {one.outcome or ''}".strip()
        for one in results
        if not points or one.kill_point in points
    }
