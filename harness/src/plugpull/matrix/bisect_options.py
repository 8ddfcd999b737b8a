"""What may stand behind ``--`` of ``nox -s bisect``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

from plugpull.errors import UsageError
from plugpull.matrix.options import MatrixOptions, parse_options

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["BisectOptions", "parse_bisect_options"]

#: Options that mean here what they mean for the matrix: they are handed on.
_HANDED_ON = ("matrix", "results", "repeat", "timeout", "as_of")


@dataclass(frozen=True, slots=True)
class BisectOptions:
    """The posargs of ``bisect``.

    Attributes:
        framework: As given: a name, or a whole id.
        what: What is followed; ``""`` if it stands in the id.
        start, end: The two ends of the range, as given.
        python: ``major.minor``; ``None`` takes the newest that both ends can run under.
        path: A local clone whose commits are searched; ``None`` searches releases.
        cwd: The folder in which a relative path starts.
        pre: Whether pre-releases between the ends are tried.
        matrix: What the matrix's own options say.
    """

    framework: str
    what: str
    start: str
    end: str
    python: str | None
    path: str | None
    cwd: Path
    pre: bool
    matrix: MatrixOptions


class _Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are ours to report."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(
            f"options after --: {message}", then="nox -s bisect -- --help lists the options"
        )


def parse_bisect_options(posargs: Sequence[str], *, root: Path, cwd: Path) -> BisectOptions:
    """Read the posargs.

    Args:
        posargs: What stood behind ``--``.
        root: The checkout.
        cwd: The folder in which nox was started. Paths that the user typed start there.

    Raises:
        UsageError: An option is unknown, missing, or has a value that cannot be meant.
        SystemExit: ``--help`` was given, and has been printed.
    """
    given = _parser().parse_args(list(posargs))
    handed: list[str] = ["--all"]
    for name in _HANDED_ON:
        value = getattr(given, name)
        if value is not None:
            handed += [f"--{name.replace('_', '-')}", value]
    if given.python is not None:
        handed += ["--python", given.python]
    handed += ["--fresh"] if given.fresh else []
    handed += ["--download-python"] if given.download_python else []
    return BisectOptions(
        framework=given.framework,
        what=given.what,
        start=given.start.strip(),
        end=given.end.strip(),
        python=given.python,
        path=_clone(given.path) if given.path else None,
        cwd=cwd,
        pre=given.pre,
        matrix=parse_options(handed, root=root, cwd=cwd, session="bisect"),
    )


def _clone(text: str) -> str:
    """A path that reads as one: ``clone`` is a folder here, never a version."""
    return text if text.startswith(("/", "./", "../", "~/", "git+")) else f"./{text}"


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="nox -s bisect --",
        description="Find the release (or the commit) with which a verdict changed.",
        epilog="exit status: 0 it was found; 1 it is one of several that could not be told apart; "
        "2 an error, also where nothing changed",
        allow_abbrev=False,
    )
    parser.add_argument("framework", metavar="FRAMEWORK", help="for example langgraph; or an id")
    parser.add_argument(
        "what",
        nargs="?",
        default="",
        metavar="WHAT",
        help="a scenario, or any part of a result's id: kill-mid-tool/sync+no-key/after-effect",
    )
    parser.add_argument("--from", dest="start", required=True, metavar="A", help="the older end")
    parser.add_argument("--to", dest="end", default="", metavar="B", help="the newer end")
    parser.add_argument("--path", metavar="CLONE", help="search the commits of a local clone")
    parser.add_argument("--python", metavar="X.Y", help="under this Python (default: the newest)")
    parser.add_argument("--pre", action="store_true", help="try pre-releases as well")
    parser.add_argument("--as-of", metavar="DATE", help="see no package that came later")
    parser.add_argument("--repeat", metavar="N", help="first runs of what depends on timing")
    parser.add_argument("--timeout", metavar="SECONDS", help="limit for one agent process")
    parser.add_argument("--fresh", action="store_true", help="use nothing measured earlier")
    parser.add_argument("--matrix", metavar="FILE", help="another matrix.toml")
    parser.add_argument("--results", metavar="DIR", help="another folder for results")
    parser.add_argument(
        "--download-python", action="store_true", help="let uv fetch a Python that is not there"
    )
    return parser
