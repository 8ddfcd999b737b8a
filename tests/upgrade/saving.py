"""Saves runs of a toy under one version and goes on with them under another one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from plugpull.lab import Lab
from plugpull.saved_states import find_states
from plugpull.scenarios.base import Settings
from plugpull.scenarios.resume_after_upgrade import ResumeAfterUpgrade
from plugpull.subject import Subject
from plugpull.verdicts import Result

__all__ = ["POINTS", "go_on", "save", "toy", "words"]

TOY = Path(__file__).parent / "toys" / "upgraded.py"
POINTS = ("killed-before-effect", "killed-after-effect", "paused")


def toy(kind: str, version: str) -> Subject:
    """An agent of that kind on that version."""
    return Subject.for_program(
        TOY,
        target=f"toy {version}",
        environment={"TOY": kind, "TOY_VERSION": version},
        inspects=True,
        worlds={"framework-changed": re.compile("saved by version")},
    )


def save(lab: Lab, kind: str, folder: Path, version: str = "1.0") -> list[Result]:
    """Save a run at each fault point; what its own version comes to with it."""
    settings = Settings(save_states=folder, framework="toy", version=version)
    return _run(lab, toy(kind, version), settings)


def go_on(lab: Lab, kind: str, folder: Path, version: str = "2.0") -> list[Result]:
    """Go on with what was saved in a folder."""
    settings = Settings(framework="toy", version=version, states=find_states([folder], "toy"))
    return _run(lab, toy(kind, version), settings)


def words(results: list[Result]) -> dict[str, str]:
    """Verdict and outcome by fault point."""
    return {one.kill_point: f"{one.verdict} {one.outcome or ''}".strip() for one in results}


def _run(lab: Lab, subject: Subject, settings: Settings) -> list[Result]:
    scenario = ResumeAfterUpgrade()
    unfaulted = scenario.unfaulted(lab, subject, replace(settings))
    return [scenario.try_case(lab, subject, unfaulted, case) for case in unfaulted.cases]
