"""What may stand behind ``--`` of ``nox -s check``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from plugpull.errors import UsageError
from plugpull.matrix.options import MatrixOptions, parse_options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["CheckOptions", "parse_check_options"]

#: On each side, so many runs at most tell two shares of failures apart.
MOST_RUNS = 40


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """What is asked of a check. One of ``ref``, ``path`` and ``wheel`` is given.

    Attributes:
        framework: The framework's name, or its distribution's.
        ref: A branch, a tag, a commit or any other ref of the repository.
        path: A folder, to be checked as it stands.
        wheel: A wheel or an sdist.
        repo: The repository's address or path; ``None`` for the declared one.
        subdirectory: The package's folder in the checkout; ``None`` for the declared one.
        members: Other packages of the checkout, as ``NAME@FOLDER``.
        base: What it is compared with, written like a version in ``matrix.toml``; ``None`` for the
            release that the branch grew from.
        most_runs: How often a verdict that depends on timing is tried on each side at most.
        matrix: What a check has in common with the matrix.
        cwd: The folder in which nox was started.
    """

    framework: str
    ref: str | None
    path: str | None
    wheel: str | None
    repo: str | None
    subdirectory: str | None
    members: tuple[str, ...]
    base: str | None
    most_runs: int
    matrix: MatrixOptions
    cwd: Path


class _Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are ours to report."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(
            f"options after --: {message}", then="nox -s check -- --help lists the options"
        )


def parse_check_options(posargs: Sequence[str], *, root: Path, cwd: Path) -> CheckOptions:
    """Read the posargs.

    Args:
        posargs: What stood behind ``--``.
        root: The checkout.
        cwd: The folder in which nox was started.

    Raises:
        UsageError: An option is unknown or has a value that cannot be meant.
        SystemExit: ``--help`` was given, and has been printed.
    """
    given = _parser().parse_args(list(posargs))
    shared = []
    for name in ("python", "matrix", "results", "timeout", "as_of", "repeat"):
        value = getattr(given, name)
        for each in value if isinstance(value, list) else [value] if value is not None else []:
            shared += [f"--{name.replace('_', '-')}", each]
    for name in ("all", "fresh", "keep", "skip_missing_interpreters", "download_python"):
        shared += [f"--{name.replace('_', '-')}"] if getattr(given, name) else []
    if given.repo is not None and given.ref is None:
        raise UsageError("--repo says where a --ref is, and there is none", then="add --ref REF")
    if given.wheel is not None and (given.subdirectory or given.member):
        raise UsageError("--subdirectory and --with speak of a checkout, and a wheel has none")
    return CheckOptions(
        framework=given.framework,
        ref=given.ref,
        path=given.path,
        wheel=given.wheel,
        repo=given.repo,
        subdirectory=given.subdirectory,
        members=tuple(given.member),
        base=given.base,
        most_runs=given.most_runs,
        matrix=replace(
            parse_options(shared, root=root, cwd=cwd, session="check"), only=tuple(given.only)
        ),
        cwd=cwd,
    )


def _parser() -> _Parser:
    parser = _Parser(
        prog="nox -s check --",
        description="What a branch, a working tree or a wheel of a framework fixes and what it "
        "breaks, against the release it grew from.",
        allow_abbrev=False,
    )
    parser.add_argument("framework", metavar="FRAMEWORK", help="for example openai-agents")
    head = parser.add_argument_group("what is checked: one of")
    one = head.add_mutually_exclusive_group(required=True)
    one.add_argument("--ref", help="a branch, tag, commit or refs/pull/N/head of the repository")
    one.add_argument("--path", metavar="DIR", help="a clone or folder as it stands")
    one.add_argument("--wheel", metavar="FILE", help="a wheel, or an sdist")
    where = parser.add_argument_group("where it is")
    where.add_argument(
        "--repo", metavar="URL|PATH", help="the repository (default: as matrix.toml says)"
    )
    where.add_argument(
        "--subdirectory", metavar="DIR", help="the package's folder below the top of the checkout"
    )
    where.add_argument(
        "--with",
        dest="member",
        action="append",
        default=[],
        metavar="NAME@DIR",
        help="another package of the same checkout that is under test too; repeatable",
    )
    against = parser.add_argument_group("what it is compared with")
    against.add_argument(
        "--base",
        metavar="VERSION",
        help="written as in matrix.toml (default: the release that the branch grew from)",
    )
    against.add_argument(
        "--as-of", metavar="DATE", help="as of when both see packages (default: today)"
    )
    which = parser.add_argument_group("what runs")
    which.add_argument(
        "--python", action="append", metavar="X.Y", help="only this Python; repeatable"
    )
    which.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="SCENARIO[/VARIANT[/POINT]]",
        help="only this, or a glob; repeatable",
    )
    which.add_argument("--all", action="store_true", help="every scenario on every Python")
    which.add_argument("--matrix", metavar="FILE", help="another matrix.toml")
    how = parser.add_argument_group("how")
    how.add_argument("--fresh", action="store_true", help="measure again what is known already")
    how.add_argument("--repeat", metavar="N", help="first runs of a variant that depends on timing")
    how.add_argument(
        "--most-runs",
        type=_number,
        default=MOST_RUNS,
        metavar="N",
        help="tell shares of failures apart with so many runs at most (default: %(default)s)",
    )
    how.add_argument("--timeout", metavar="SECONDS", help="limit for one agent process")
    how.add_argument("--keep", action="store_true", help="keep the work folders of every FAIL")
    how.add_argument("--results", metavar="DIR", help="another folder for results")
    how.add_argument("--skip-missing-interpreters", action="store_true", help="go on without them")
    how.add_argument(
        "--download-python", action="store_true", help="let uv fetch a Python that is not there"
    )
    return parser


def _number(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)
