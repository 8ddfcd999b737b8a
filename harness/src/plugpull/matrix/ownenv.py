"""The environments of our own checks: one for the tests on each Python, one for the linters."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError
from plugpull.matrix.files import FileLock, read_object, write_json
from plugpull.matrix.interpreters import Missing, find_interpreter, scrubbed
from plugpull.matrix.uvrun import run_uv

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LINT_PYTHONS", "TEST_PYTHONS", "check_environment", "own_python"]

#: Every Python that the harness supports, and so is tested on.
TEST_PYTHONS = ("3.10", "3.11", "3.12", "3.13")
#: The linters judge alike under each of these. The first that is there is taken.
LINT_PYTHONS = ("3.13", "3.12", "3.11", "3.10")

#: Installed beside the harness. Linters are pinned: a new rule must not fail an old commit.
NEEDS = {
    "tests": ("nox>=2026.10", "pytest>=8.4"),
    "lint": ("mypy==2.4.1", "nox>=2026.10", "pytest>=8.4", "ruff==0.17.6"),
}

#: Written when an environment is complete: what it was made from.
_STAMP = "plugpull-own.json"


def own_python(root: Path, kind: str, pythons: Sequence[str]) -> Path:
    """The Python of an environment with the checkout's own harness, made if it is not there.

    Args:
        root: The checkout.
        kind: ``tests`` or ``lint``.
        pythons: ``major.minor`` versions that will do, the best first.

    Raises:
        PlugpullError: None of the Pythons is there, or uv cannot make the environment.
    """
    found = [find_interpreter(python) for python in pythons[:1]]
    if isinstance(found[0], Missing):
        found += [find_interpreter(python) for python in pythons[1:]]
    interpreter = next((each for each in found if not isinstance(each, Missing)), None)
    if interpreter is None:
        tried = [line for each in found if isinstance(each, Missing) for line in each.tried]
        raise PlugpullError(
            f"python{pythons[0]} not found",
            why="; ".join(tried),
            then=f"install it, for example: uv python install {pythons[0]}",
        )
    folder = root / ".plugpull" / kind / f"py{interpreter.python}"
    python = folder / "bin" / "python"
    project = root / "harness"
    made_from = {
        "interpreter": interpreter.path,
        "version": interpreter.version,
        "needs": list(NEEDS[kind]),
        "project": hashlib.sha256((project / "pyproject.toml").read_bytes()).hexdigest(),
    }
    with FileLock(folder.with_suffix(".lock")):
        if _stamped(folder / _STAMP) == made_from and python.exists():
            return python
        # A place to stand that is no project: uv would read that project's settings.
        run_uv(
            ["venv", "--clear", "--no-project", "--python", interpreter.path, folder],
            step="venv",
            doing=f"making the environment for {kind}",
            cwd=folder.parent,
        )
        run_uv(
            [
                "pip",
                "install",
                "--python",
                python,
                "--editable",
                f"{project}[matrix]",
                *NEEDS[kind],
            ],
            step="sync",
            doing=f"installing what {kind} needs",
            cwd=folder.parent,
        )
        write_json(folder / _STAMP, made_from)
    return python


def check_environment(python: Path) -> dict[str, str]:
    """The variables our own checks run with: the user's, less what makes a Python another one.

    nox's own variables are left out too, because the tests start nox themselves.
    """
    kept = {
        name: value
        for name, value in scrubbed(os.environ).items()
        if not name.startswith(("NOX", "PLUGPULL_"))
    }
    kept["PATH"] = os.pathsep.join([str(python.parent), kept.get("PATH", os.defpath)])
    kept["VIRTUAL_ENV"] = str(python.parent.parent)
    return kept


def _stamped(path: Path) -> object:
    try:
        return read_object(path)
    except (OSError, ValueError):
        return None
