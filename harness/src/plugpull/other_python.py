"""Another interpreter to resume under: whether a target can run there, asked before a run."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from plugpull import probe
from plugpull.errors import UsageError
from plugpull.lab import Lab
from plugpull.processes.launcher import CannotStart
from plugpull.scenarios.changed_world import FRAMEWORK_CHANGED
from plugpull.subject import Subject
from plugpull.target import Manifest

__all__ = ["version_under"]


def version_under(lab: Lab, manifest: Manifest, version: str, python: Path) -> str:
    """The framework's version under ``python``, which has to be another one than ``version``.

    Raises:
        UsageError: It is the same; plugpull or the framework cannot be imported there; or the
            target does not say what a refusal has to name.
    """
    if FRAMEWORK_CHANGED not in manifest.worlds:
        raise UsageError(
            f"{manifest.name} cannot be resumed under --other-python",
            why=f"its manifest has no {FRAMEWORK_CHANGED} among its worlds",
            then="leave --other-python away, or say there what a refusal has to name",
        )
    beside = str(manifest.program.parent)
    _ask(lab, python, ("plugpull", beside, "plugpull"), "plugpull", "./harness")
    names = shlex.join([manifest.distribution, *manifest.companions])
    question = (manifest.distribution, beside, manifest.module)
    found = _ask(lab, python, question, manifest.name, names)
    if found == version:
        raise UsageError(
            f"--other-python {python} has {manifest.name} {found}, and so has {sys.executable}",
            why="framework-changed resumes under another version than the run was saved under",
            then="name an interpreter with another version",
        )
    return found


def _ask(lab: Lab, python: Path, question: Sequence[str], name: str, install: str) -> str:
    """The version of a distribution whose module ``python`` can import.

    Raises:
        UsageError: It cannot, with the reason.
    """
    *words, module = question
    subject = Subject(target=name, argv=(str(python), probe.__file__, *words), inspects=True)
    with lab.trial(subject) as trial:
        try:
            ended = trial.run(module, lab.limits.unfaulted)
        except CannotStart as reason:
            raise UsageError(f"--other-python {python} cannot be started: {reason}") from reason
        try:
            if ended.returncode == 0:
                return str(trial.reported()["version"])
            said = ended.stderr.strip() or f"it ended with {ended.returncode}"
        except (OSError, ValueError, KeyError):
            said = "it ended with 0 and answered nothing: is it a Python?"
    raise UsageError(
        f"--other-python {python} cannot import {name}",
        why=said.splitlines()[-1],
        then=f"install it there: {python} -m pip install {install}",
    )
