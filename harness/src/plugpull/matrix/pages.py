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

    from plugpull.matrix.plan import Plan
    from plugpull.matrix.records import CellRecord, Collected

__all__ = ["BEGIN", "END", "results_page", "with_table", "write_pages"]

BEGIN = "<!-- table: begin (made by nox -s docs) -->"
END = "<!-- table: end -->"

_ABOUT = (
    "The versions and the Python are those that were imported and run, not those that were asked "
    "for. `results/matrix.json` of such a run has every installed distribution and the evidence "
    "of every verdict."
)

#: Columns of the table in the README: what GitHub shows without a scroll bar.
_WIDTH = 120


def write_pages(plan: Plan, root: Path) -> list[Path]:
    """Make the pages from the last run of the whole matrix.

    Args:
        plan: The run's plan.
        root: The checkout.

    Returns:
        What was written.

    Raises:
        PlugpullError: Nothing ran, or the README has lost its marks.
        UsageError: The declaration or a manifest has a mistake.
    """
    collected = collect(plan)
    if not any(record.state == RAN for record in collected.cells):
        raise PlugpullError(
            "there are no results to make pages from", then="run nox -s matrix first"
        )
    readme = root / "README.md"
    targets = root / "targets"
    declaration = read_declaration(Path(plan.options.matrix), targets)
    names = list(dict.fromkeys(record.framework for record in collected.cells))
    sections = portraits(declaration, targets, root / "docs" / "findings", names)
    frameworks = framework_part(collected, sections, declaration.left_out)
    pages = {
        root / "docs" / "results.md": results_page(collected, frameworks),
        readme: with_table(readme.read_text(encoding="utf-8"), collected),
    }
    for path, text in pages.items():
        write_whole(path, text)
    return list(pages)


def results_page(collected: Collected, frameworks: Sequence[str] = ()) -> str:
    """The frameworks, the table, and under it what each cell was measured with."""
    lines = [
        markdown(collected, title="Results", between=frameworks).rstrip("\n"),
        "",
        "## How this was measured",
        "",
        "```console",
        "$ nox -s matrix",
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
