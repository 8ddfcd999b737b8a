"""The options behind ``--`` of the matrix and of the sessions around it, and their ``--help``."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import NoReturn

from plugpull.errors import UsageError
from plugpull.matrix.entries import is_as_of

__all__ = ["BASELINE", "EXPECTATIONS", "matrix_parser"]

#: The file of expectations, where it is looked for beside the declaration.
EXPECTATIONS = "expectations.toml"
#: Where a baseline is recorded if nothing else is said, below the checkout.
BASELINE = "baseline.json"

_ABOUT = {
    "list": "Every cell, scheduled or not, and why. Nothing is installed, and nothing runs.",
    "collect": "The table of the last run once more, with that run's options and these. Whoever "
    "chooses cells gets the table of those. Its exit code is exact.",
    "record": "Keep the verdicts of the last run in one small file, to compare later runs with.",
    "docs": "Make docs/results.md and the README's table from the last run.",
}
_CELLS = ("--only", "--python", "--add", "--as-of", "--matrix")
#: What a session looks at. The others take the matrix's options, so that nox can run them with it,
#: and leave them alone.
_HEEDED = {
    "list": {*_CELLS, "--all", "--download-python"},
    "collect": {
        *_CELLS,
        "--results",
        "--strict",
        "--expectations",
        "--compare",
        "--skip-missing-interpreters",
    },
    "record": {*_CELLS, "--results", "--baseline"},
    "docs": {"--matrix", "--results"},
}


class _Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are ours to report."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(
            f"options after --: {message}", then=f"{self.prog} --help lists the options"
        )


def matrix_parser(session: str) -> argparse.ArgumentParser:
    """The parser of one session. All sessions take all options; its page shows what it heeds."""
    parser = _Parser(
        prog=f"nox -s {session} --",
        description=_ABOUT.get(session, "Which cells run, how, and what the exit code says."),
        allow_abbrev=False,
    )
    which = parser.add_argument_group("which cells")
    which.add_argument(
        "--only",
        action="append",
        default=[],
        type=_selector,
        metavar="PREFIX-OR-GLOB",
        help="a framework (langgraph), or the front of an id, whole parts only "
        "(langgraph-1.2.11/py3.13/kill-mid-tool), or a glob; repeatable",
    )
    which.add_argument(
        "--python",
        action="append",
        default=[],
        type=_python,
        metavar="X.Y",
        help="only this Python; repeatable",
    )
    which.add_argument(
        "--add",
        action="append",
        default=[],
        type=_addition,
        metavar="NAME@VERSION",
        help="a version that the declaration does not have: a release, a range, latest, "
        "git+URL@REF, a folder, a wheel; NAME==VERSION is the same; repeatable",
    )
    which.add_argument(
        "--as-of",
        type=_as_of,
        metavar="DATE",
        help="as of when packages are seen: YYYY-MM-DD (its end), today, or release",
    )
    which.add_argument("--matrix", type=_path, metavar="FILE", help="another matrix.toml")
    which.add_argument("--all", action="store_true", help="every scenario on every cell")
    how = parser.add_argument_group("how they run")
    how.add_argument("--fresh", action="store_true", help="run cells again that are up to date")
    how.add_argument(
        "--repeat", type=_count, metavar="N", help="runs of a variant that depends on timing"
    )
    how.add_argument(
        "--timeout", type=_seconds, metavar="SECONDS", help="limit for one agent process"
    )
    how.add_argument("--keep", action="store_true", help="keep the work folders of every FAIL")
    how.add_argument(
        "--download-python", action="store_true", help="let uv fetch a Python that is not there"
    )
    then = parser.add_argument_group("what becomes of the results")
    then.add_argument("--results", type=_path, metavar="DIR", help="another folder for results")
    then.add_argument(
        "--strict",
        action="store_true",
        help="exit with 1 if anything is FAIL; with expectations, anything unexpected or stale",
    )
    then.add_argument(
        "--expectations",
        type=_path,
        metavar="FILE",
        help=f"which FAILs are known, and why (default: {EXPECTATIONS} beside the matrix.toml)",
    )
    then.add_argument(
        "--compare", type=_path, metavar="FILE", help="an earlier matrix.json to compare with"
    )
    then.add_argument(
        "--baseline",
        type=_path,
        metavar="FILE",
        help=f"where nox -s record writes the last run's verdicts (default: {BASELINE})",
    )
    then.add_argument(
        "--skip-missing-interpreters",
        action="store_true",
        help="show a Python that is not there, and leave the exit code alone",
    )
    heeded = _HEEDED.get(session)
    # argparse has no other way to ask a parser for its options.
    for action in parser._actions:  # noqa: SLF001
        if heeded is not None and action.option_strings[0] not in {*heeded, "-h"}:
            action.help = argparse.SUPPRESS
    return parser


def _selector(text: str) -> str:
    if not text.strip("/ "):
        raise argparse.ArgumentTypeError("an empty selector selects nothing")
    return text.strip().rstrip("/")


def _python(text: str) -> str:
    if re.fullmatch(r"[0-9]+\.[0-9]+", text) is None:
        raise argparse.ArgumentTypeError(f"write {text!r} as major.minor, for example 3.13")
    return text


def _addition(text: str) -> tuple[str, str]:
    found = re.fullmatch(r"\s*([^\s@=<>~!]+)\s*(?:==|@|(?=[<>~!]))\s*(\S.*)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"write {text!r} as NAME==VERSION or NAME@VERSION")
    return found[1], found[2].strip()


def _as_of(text: str) -> str:
    if not is_as_of(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not release, today or like 2026-03-15")
    return text


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("a path cannot be empty")
    return Path(text).expanduser()


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above zero")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above zero")
    return seconds
