"""The bodies of the sessions ``tests-X.Y``, ``lint`` and ``bench``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError
from plugpull.matrix.ownenv import LINT_PYTHONS, check_environment, own_python

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nox import Session

__all__ = ["bench", "lint", "run_tests"]

#: What is checked for its types: everything that runs without a framework being installed.
TYPED = (
    "harness/src",
    "targets/control",
    "targets/reference",
    "benchmarks",
    "noxfile.py",
)


def run_tests(session: Session, root: Path, python: str) -> None:
    """Run the project's own tests on one Python. That Python missing is an error here."""
    interpreter = _environment(session, root, "tests", [python])
    _run(session, interpreter, "pytest", *session.posargs)


def lint(session: Session, root: Path) -> None:
    """Run the linters. All of them speak, even if the first complains."""
    python = _environment(session, root, "lint", LINT_PYTHONS)
    typed = [path for path in TYPED if (root / path).exists()]
    checks = [("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy", *typed)]
    failed = [" ".join(check) for check in checks if not _passes(session, python, *check)]
    if failed:
        session.error(f"not clean: {'; '.join(failed)}")


def bench(session: Session, root: Path) -> None:
    """Run every benchmark."""
    python = _environment(session, root, "tests", LINT_PYTHONS)
    for benchmark in sorted((root / "benchmarks").glob("*.py")):
        session.run(
            str(python),
            str(benchmark),
            env=check_environment(python),
            include_outer_env=False,
            external=True,
        )


def _passes(session: Session, python: Path, *check: str) -> bool:
    from nox.command import CommandFailed  # noqa: PLC0415 - only inside nox

    try:
        _run(session, python, *check)
    except CommandFailed:
        return False
    return True


def _run(session: Session, python: Path, module: str, *arguments: str) -> None:
    session.run(
        str(python),
        "-m",
        module,
        *arguments,
        env=check_environment(python),
        include_outer_env=False,
        external=True,
    )


def _environment(session: Session, root: Path, kind: str, pythons: Sequence[str]) -> Path:
    try:
        return own_python(root, kind, pythons)
    except PlugpullError as error:
        session.error(str(error))
