"""What may stand behind ``--`` of ``nox -s upgrade`` and ``nox -s record-states``."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from plugpull.errors import UsageError
from plugpull.matrix.options import MatrixOptions, parse_options

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["UpgradeOptions", "parse_upgrade_options"]

#: Where recorded states are kept if nothing else is said, below the checkout.
STATES = "states"


@dataclass(frozen=True, slots=True)
class UpgradeOptions:
    """What is asked of an upgrade table, or of recorded states.

    Attributes:
        framework: The framework's name.
        versions: Entries as in ``matrix.toml``, instead of the declared ones. Empty for those.
        pairs: ``all``, ``neighbours`` or ``A:B``. Empty leaves it to the declaration.
        variants: Names; empty for all.
        states: The folder of recorded states; ``None`` to save anew.
        python: ``major.minor`` to stay with; ``None`` takes the newest that both support.
        matrix: What the two sessions have in common with the matrix.
        work_from: The folder in which relative paths start.
    """

    framework: str
    versions: tuple[str, ...]
    pairs: tuple[str, ...]
    variants: tuple[str, ...]
    states: Path | None
    python: str | None
    matrix: MatrixOptions
    work_from: Path


class _Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are ours to report."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"options after --: {message}", then=f"{self.prog} --help lists them")


def parse_upgrade_options(
    session: str, posargs: Sequence[str], *, root: Path, cwd: Path
) -> UpgradeOptions:
    """Read the posargs of one of the two sessions.

    Args:
        session: ``upgrade`` or ``record-states``.
        posargs: What stood behind ``--``.
        root: The checkout.
        cwd: The folder in which nox was started.

    Raises:
        UsageError: An option is unknown or has a value that cannot be meant.
        SystemExit: ``--help`` was given, and has been printed.
    """
    given = _parser(session).parse_args(list(posargs))
    shared = ["--python", given.python] if given.python else []
    for name in ("matrix", "results", "timeout", "as-of"):
        value = getattr(given, name.replace("-", "_"), None)
        if value is not None:
            shared += [f"--{name}", value]
    shared += [f"--{name}" for name in ("strict", "keep") if getattr(given, name, False)]
    shared += ["--download-python"] if given.download_python else []
    upgrade = session == "upgrade"
    default = None if upgrade else root / STATES
    return UpgradeOptions(
        framework=given.framework,
        versions=tuple(given.versions),
        pairs=tuple(_listed(given.pairs)) if upgrade else (),
        variants=tuple(given.variant),
        states=cwd / Path(given.states).expanduser() if given.states else default,
        python=given.python,
        matrix=parse_options(shared, root=root, cwd=cwd, session=session),
        work_from=cwd,
    )


def _listed(texts: Sequence[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _parser(session: str) -> _Parser:
    upgrade = session == "upgrade"
    parser = _Parser(
        prog=f"nox -s {session} --",
        description=(
            "Which version goes on with runs that another version has saved."
            if upgrade
            else "Save runs of released versions, for later versions to go on with."
        ),
        allow_abbrev=False,
    )
    parser.add_argument("framework", metavar="FRAMEWORK", help="for example openai-agents")
    parser.add_argument(
        "--versions",
        nargs="+",
        default=[],
        metavar="VERSION",
        help="instead of the declared ones, written as in matrix.toml",
    )
    if upgrade:
        parser.add_argument(
            "--pairs",
            nargs="+",
            default=[],
            metavar="A:B",
            help="saved by A, gone on with by B; or all, or neighbours (default: what matrix.toml "
            "says, else all)",
        )
    parser.add_argument(
        "--states",
        metavar="DIR",
        help="go on with recorded states instead of saving new ones"
        if upgrade
        else f"where to keep them (default: {STATES})",
    )
    parser.add_argument(
        "--variant", action="append", default=[], metavar="NAME", help="this one only; repeatable"
    )
    parser.add_argument(
        "--python", metavar="X.Y", help="under this Python (default: the newest that both support)"
    )
    parser.add_argument("--matrix", metavar="FILE", help="another matrix.toml")
    parser.add_argument("--as-of", metavar="DATE", help="as of when packages are seen")
    parser.add_argument("--timeout", metavar="SECONDS", help="limit for one agent process")
    parser.add_argument(
        "--download-python", action="store_true", help="let uv fetch a Python that is not there"
    )
    if upgrade:
        parser.add_argument("--results", metavar="DIR", help="another folder for results")
        parser.add_argument("--strict", action="store_true", help="exit with 1 if anything is FAIL")
        parser.add_argument(
            "--keep", action="store_true", help="keep the work folder of every FAIL"
        )
    return parser
