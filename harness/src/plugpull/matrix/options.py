"""What may stand behind ``--`` of ``nox -s matrix``: one frozen value, or one clear error."""

from __future__ import annotations

import argparse
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from plugpull.errors import UsageError
from plugpull.matrix.entries import is_as_of
from plugpull.matrix.references import anchored

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MatrixOptions", "parse_options"]

#: The file of expectations, where it is looked for beside the declaration.
EXPECTATIONS = "expectations.toml"
#: Where a baseline is recorded if nothing else is said, below the checkout.
BASELINE = "baseline.json"
#: Where the results go if nothing else is said, below the checkout.
RESULTS = "results"


@dataclass(frozen=True, slots=True)
class MatrixOptions:
    """The posargs of ``matrix``, ``list``, ``collect`` and the cells' sessions.

    Attributes:
        only: Prefixes or globs over result ids. Empty selects everything.
        python: ``major.minor`` versions to stay within. Empty selects all declared ones.
        add: ``(name, entry)`` of versions that the declaration does not have.
        matrix: The declaration's absolute path.
        results: The absolute path of the folder for results.
        as_of: As of when packages are seen. ``None`` leaves it to the declaration.
        repeat: How often a timing-dependent variant runs. ``None`` leaves it to the declaration.
        strict: Whether a FAIL makes the exit code 1.
        compare: The absolute path of an earlier ``matrix.json`` to compare with.
        baseline: The absolute path that ``record`` writes to.
        expectations: The absolute path of the file of expectations; ``None`` if there is none.
        fresh: Whether every selected cell runs, whatever is known already.
        all: Whether the scenarios outside the default selection run too.
        keep: Whether the work folders of every FAIL are kept.
        skip_missing_interpreters: Whether a missing Python leaves the exit code alone.
        timeout: Seconds for one agent process. ``None`` leaves it to the harness.
        download_python: Whether uv may fetch a Python that is not there.
    """

    only: tuple[str, ...] = ()
    python: tuple[str, ...] = ()
    add: tuple[tuple[str, str], ...] = ()
    matrix: str = ""
    results: str = ""
    as_of: str | None = None
    repeat: int | None = None
    strict: bool = False
    compare: str | None = None
    baseline: str = ""
    expectations: str | None = None
    fresh: bool = False
    all: bool = False
    keep: bool = False
    skip_missing_interpreters: bool = False
    timeout: float | None = None
    download_python: bool = False

    @property
    def selects(self) -> bool:
        """Whether anything here decides which cells there are."""
        return bool(self.only or self.python or self.add)

    def to_json(self) -> dict[str, Any]:
        """A JSON object that :meth:`from_json` takes back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MatrixOptions:
        """The options that :meth:`to_json` wrote. Unknown keys are left out."""
        known = {field.name for field in fields(cls)}
        values = {name: value for name, value in data.items() if name in known}
        values["only"] = tuple(data["only"])
        values["python"] = tuple(data["python"])
        values["add"] = tuple((name, version) for name, version in data["add"])
        return cls(**values)


class _Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are ours to report."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(
            f"options after --: {message}", then=f"{self.prog} --help lists the options"
        )


def parse_options(
    posargs: Sequence[str], *, root: Path, cwd: Path | None = None, session: str = "matrix"
) -> MatrixOptions:
    """Read the posargs.

    Args:
        posargs: What stood behind ``--``.
        root: The checkout. Defaults are below it.
        cwd: The folder in which nox was started. Paths that the user typed start there.
        session: Whose options they are, for the errors.

    Raises:
        UsageError: An option is unknown or has a value that cannot be meant.
        SystemExit: ``--help`` was given, and has been printed.
    """
    start = root if cwd is None else cwd
    given = _parser(session).parse_args(list(posargs))
    matrix = start / given.matrix if given.matrix else root / "matrix.toml"
    beside = matrix.parent / EXPECTATIONS
    expectations = start / given.expectations if given.expectations else beside
    return MatrixOptions(
        only=tuple(given.only),
        python=tuple(given.python),
        add=tuple((name, anchored(entry, start)) for name, entry in given.add),
        matrix=str(matrix),
        results=str(start / given.results if given.results else root / RESULTS),
        as_of=given.as_of,
        repeat=given.repeat,
        strict=given.strict,
        compare=str(start / given.compare) if given.compare else None,
        baseline=str(start / given.baseline if given.baseline else root / BASELINE),
        expectations=str(expectations) if given.expectations or beside.exists() else None,
        fresh=given.fresh,
        all=given.all,
        keep=given.keep,
        skip_missing_interpreters=given.skip_missing_interpreters,
        timeout=given.timeout,
        download_python=given.download_python,
    )


def _parser(session: str) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"nox -s {session} --",
        description="Which cells run, how, and what the exit code says.",
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
