"""The compatibility table for a terminal, and for a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from plugpull.matrix.explain import explain
from plugpull.matrix.gridlines import STYLES, grid_lines
from plugpull.matrix.summary import summarise

if TYPE_CHECKING:
    from plugpull.matrix.counts import Counts
    from plugpull.matrix.explain import Block
    from plugpull.matrix.records import Collected

__all__ = [
    "headline",
    "headline_lines",
    "matrix_console",
    "print_table",
    "section_lines",
    "table_lines",
]

#: Columns of a pipe: wide enough for a table, narrow enough for the log of a CI service.
PIPE_WIDTH = 120

#: Ids that one reason has beneath the table; the files have all of them.
MOST_IDS = 8


def matrix_console(*, terminal: bool | None = None) -> Console:
    """A console on standard output. Colour as the terminal, ``NO_COLOR`` and rich's rules say.

    Args:
        terminal: Whether somebody else, who collects our output, prints it on a terminal. Its
            width is then in ``COLUMNS``.
    """
    known = sys.stdout.isatty() or "COLUMNS" in os.environ
    width = None if known else PIPE_WIDTH
    return Console(force_terminal=terminal, highlight=False, width=width)


def print_table(collected: Collected, console: Console, *, results: Path | None = None) -> None:
    """Print headline, tables, reasons, and what it all comes to.

    Args:
        collected: What the collector found.
        console: Where. Its width decides on the layout.
        results: The folder of the reports, to be named at the end.
    """
    for line in table_lines(collected, console.width, results=results):
        console.print(_encodable(line, console.encoding), soft_wrap=True, highlight=False)


def table_lines(collected: Collected, width: int, *, results: Path | None = None) -> list[Text]:
    """All lines. None is longer than ``width`` but for ids and links."""
    lines = [*headline_lines(collected, width), Text(), *section_lines(collected, width)]
    for block in explain(collected):
        lines += [*_block_lines(block, width), Text()]
    return lines + _closing(collected, width, results)


def section_lines(collected: Collected, width: int) -> list[Text]:
    """The tables alone, each section followed by an empty line."""
    lines = []
    for section in summarise(collected):
        lines.append(Text(section.scenario or "without any result", style="bold underline"))
        for grid in section.grids:
            lines += [Text(), *grid_lines(grid, width)]
        lines.append(Text())
    return lines


def headline(collected: Collected) -> Text:
    """The counts, in one line."""
    begin, parts = _counted(collected)
    return begin + Text(", ").join(parts)


def headline_lines(collected: Collected, width: int) -> list[Text]:
    """The counts in as many lines as they take; no count is broken."""
    begin, parts = _counted(collected)
    lines = [begin]
    for at, part in enumerate(parts):
        more = part if at + 1 == len(parts) else part + Text(",")
        # All but the begin of a line have a space before them.
        first = lines[-1].plain.endswith(" ")
        if not first and len(lines[-1]) + 1 + len(more) > width:
            lines.append(Text("          "))
            first = True
        lines[-1] += more if first else Text(" ") + more
    return lines


def _counted(collected: Collected) -> tuple[Text, list[Text]]:
    """How the headline begins, and its counts."""
    counts = collected.counts
    cells = f"{counts.ran} of {counts.cells} cells ran"
    line = Text.assemble(("plugpull", "bold"), f"  {cells}: ")
    parts = [
        Text(f"{counts.passed} PASS", STYLES["PASS"] if counts.passed else "dim"),
        Text(f"{counts.failed} FAIL{_expected(counts)}", STYLES[_failed(counts)]),
        Text(f"{counts.errors} ERROR", STYLES["ERROR"] if counts.errors else "dim"),
        Text(f"{counts.not_run} not run", STYLES["ERROR"] if counts.not_run else "dim"),
    ]
    if counts.expected is not None:
        parts.insert(3, Text(f"{counts.stale} stale", STYLES["FAIL"] if counts.stale else "dim"))
    if counts.excluded:
        parts.append(Text(f"{counts.excluded} excluded", "dim"))
    if collected.problems:
        left_out = len(collected.problems)
        text = f"{left_out} file{'s' * (left_out != 1)} left out"
        parts.append(Text(text, STYLES["ERROR"]))
    if counts.earlier:
        parts.append(Text(f"and {counts.earlier} measured earlier", "dim"))
    return line, parts


def _expected(counts: Counts) -> str:
    return "" if counts.expected is None else f" ({counts.expected} expected)"


def _failed(counts: Counts) -> str:
    """The kind of style for the number of FAILs."""
    if counts.unexpected:
        return "FAIL"
    return "expected" if counts.failed else ""


def _closing(collected: Collected, width: int, results: Path | None) -> list[Text]:
    code, reason = collected.judgement
    style = "bold green" if code == 0 else "bold red"
    lines = headline_lines(collected, width)
    said = [Text(each) for each in _filled(f"exit code {code}: {reason}", width, "", "  ")]
    said[0].stylize(style, 0, len(f"exit code {code}"))
    lines += said
    if results is not None:
        lines.append(Text(f"written to {results / 'matrix.json'} and matrix.md", style="dim"))
    return lines


def _block_lines(block: Block, width: int) -> list[Text]:
    lines = [Text(block.title, style=STYLES[block.kind] if block.kind else "bold")]
    for entry in block.entries:
        lines += [Text(each) for each in _filled(entry.text, width, "  ", "    ")]
        shown = entry.ids if len(entry.ids) <= MOST_IDS else entry.ids[: MOST_IDS - 1]
        lines += [Text(f"      {identity}", style="cyan") for identity in shown]
        if len(shown) < len(entry.ids):
            rest = len(entry.ids) - len(shown)
            lines.append(Text(f"      and {rest} more, all of them in matrix.md", style="cyan"))
        for word in entry.words:
            lines += [Text(each, style="dim") for each in _filled(word, width, "      | ")]
    return lines


def _filled(text: str, width: int, first: str, others: str | None = None) -> list[str]:
    """A text in lines. Links and ids stay whole, so that they can be copied."""
    return wrap(
        text,
        max(width, 40),
        initial_indent=first,
        subsequent_indent=first if others is None else others,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def _encodable(line: Text, encoding: str) -> Text:
    """The line as the terminal can show it. An exotic locale must not hide a table."""
    try:
        line.plain.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        plain = line.plain.replace("\u2500", "-").encode("ascii", "replace").decode("ascii")
        return Text(plain, style=line.style, spans=line.spans)
    return line
