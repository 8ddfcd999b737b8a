"""What may stand behind ``--`` of ``nox -s matrix``: one frozen value, or one clear error."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.matrix.option_pages import BASELINE, EXPECTATIONS, matrix_parser
from plugpull.matrix.references import anchored

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MatrixOptions", "parse_options"]

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


def parse_options(
    posargs: Sequence[str], *, root: Path, cwd: Path | None = None, session: str = "matrix"
) -> MatrixOptions:
    """Read the posargs.

    Args:
        posargs: What stood behind ``--``.
        root: The checkout. Defaults are below it.
        cwd: The folder in which nox was started. Paths that the user typed start there.
        session: Whose options they are, for the errors and the page of ``--help``.

    Raises:
        UsageError: An option is unknown or has a value that cannot be meant.
        SystemExit: ``--help`` was given, and has been printed.
    """
    start = root if cwd is None else cwd
    given = matrix_parser(session).parse_args(list(posargs))
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
