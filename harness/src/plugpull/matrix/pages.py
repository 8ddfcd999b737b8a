"""The pages that are made from a run: ``docs/results.md``, and the table in the README."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from plugpull.errors import PlugpullError
from plugpull.matrix.collect import collect
from plugpull.matrix.declaration import read_declaration
from plugpull.matrix.files import write_whole
from plugpull.matrix.framework_part import framework_part, portraits
from plugpull.matrix.markdown import markdown
from plugpull.matrix.records import RAN
from plugpull.matrix.selection import EVERYWHERE
from plugpull.matrix.table import headline, section_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.options import MatrixOptions
    from plugpull.matrix.plan import Plan
    from plugpull.matrix.records import CellRecord, Collected

__all__ = ["BEGIN", "END", "page_of", "results_page", "with_table", "write_page"]

BEGIN = "<!-- table: begin (made by nox -s docs) -->"
END = "<!-- table: end -->"

_ABOUT = (
    "The versions and the Python are those that were imported and run, not those that were asked "
    "for. `results/matrix.json` of such a run has every installed distribution and the evidence "
    "of every verdict."
)

#: Columns of the table in the README: what GitHub shows without a scroll bar.
_WIDTH = 120


def page_of(options: MatrixOptions, root: Path) -> Path:
    """The page that a run with these options makes.

    The README shows what its first command prints; ``docs/results.md`` has everything, so it comes
    from a run of everything that is declared (``--all``).

    Raises:
        PlugpullError: The run was a part of the matrix.
    """
    if options.selects:
        raise PlugpullError(
            "the last run was a part of the matrix, and the pages show the whole",
            why="it was given --only, --python or --add",
            then="run nox -s matrix for the README, or nox -s matrix -- --all for docs/results.md",
        )
    return root / "docs" / "results.md" if options.all else root / "README.md"


def write_page(plan: Plan, root: Path) -> Path:
    """Make the page that belongs to the last run.

    Args:
        plan: The run's plan.
        root: The checkout.

    Returns:
        What was written.

    Raises:
        PlugpullError: The run was a part of the matrix, nothing ran, or the README has lost its
            marks.
        UsageError: The declaration or a manifest has a mistake.
    """
    page = page_of(plan.options, root)
    collected = collect(plan)
    if not any(record.state == RAN for record in collected.cells):
        raise PlugpullError(
            "there are no results to make a page from", then="run nox -s matrix first"
        )
    if not plan.options.all:
        text = with_table(page.read_text(encoding="utf-8"), collected)
    else:
        targets = root / "targets"
        declaration = read_declaration(Path(plan.options.matrix), targets)
        names = list(dict.fromkeys(record.framework for record in collected.cells))
        sections = portraits(declaration, targets, root / "docs" / "findings", names)
        parts = framework_part(collected, sections, declaration.left_out)
        text = results_page(collected, parts)
    write_whole(page, text)
    return page


def results_page(collected: Collected, frameworks: Sequence[str] = ()) -> str:
    """The frameworks, the table, and under it what each cell was measured with."""
    lines = [
        markdown(collected, title="Results", between=frameworks).rstrip("\n"),
        "",
        "## How this was measured",
        "",
        "```console",
        "$ nox -s matrix -- --all",
        "```",
        "",
        _ABOUT,
        "",
        "| cell | Python | SQLite | system | dependencies as of | measured |",
        "| --- | --- | --- | --- | --- | --- |",
        *(_row(record) for record in collected.cells if record.state == RAN),
    ]
    return "\n".join(lines) + "\n"


def with_table(text: str, collected: Collected) -> str:
    """A page with the terminal's table between the two marks.

    Raises:
        PlugpullError: The marks are not there.
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise PlugpullError(f"README.md has no place for the table: it needs {BEGIN} and {END}")
    # One scenario: with all of them the page would be a table and nothing else.
    first, *_ = EVERYWHERE
    base = [result for result in collected.results if result.scenario == first]
    table = [
        headline(collected),
        Text(),
        *section_lines(replace(collected, results=tuple(base)), _WIDTH),
    ]
    body = "\n".join(line.plain.rstrip() for line in table).rstrip("\n")
    others = dict.fromkeys(
        result.scenario for result in collected.results if result.scenario != first
    )
    more = (
        f" And so on for {', '.join(others)}: [docs/results.md](docs/results.md)." if others else ""
    )
    when = f"\nMeasured on {collected.created[:10]} by the first command.{more}\n"
    return f"{before}{BEGIN}\n```text\n{body}\n```\n{when}{END}{after}"


def _row(record: CellRecord) -> str:
    facts = record.facts or {}
    columns = (
        f"{record.framework} {facts.get('version', record.version)}",
        facts.get("python", record.python),
        facts.get("sqlite_version", ""),
        str(facts.get("platform", "")).partition("-")[0],
        facts.get("as_of") or "",
        record.measured_at,
    )
    return "| " + " | ".join(str(column) for column in columns) + " |"
