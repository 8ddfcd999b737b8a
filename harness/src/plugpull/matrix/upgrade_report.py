"""An upgrade table for a terminal, as Markdown and as JSON."""

from __future__ import annotations

import re
from textwrap import wrap
from typing import TYPE_CHECKING

from plugpull.matrix.files import write_json, write_whole
from plugpull.matrix.upgrade_table import NOT_TRIED

if TYPE_CHECKING:
    from pathlib import Path

    from plugpull.matrix.upgrade_table import Entry, Grid, UpgradeTable

__all__ = ["markdown_lines", "print_upgrade", "write_upgrade"]

#: Random ids, version numbers, and lists of them.
_NUMBERS = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}|\d+(?:\.\d+)*(?:, \d+(?:\.\d+)*)*"
)
_OTHERS = " (and the same with other numbers)"
_STYLES = {"PASS": "green", "refused": "yellow", "FAIL": "red", "ERROR": "magenta"}


def write_upgrade(table: UpgradeTable, folder: Path) -> None:
    """Write ``FRAMEWORK.json`` and ``FRAMEWORK.md``, each whole or not at all."""
    write_json(folder / f"{table.framework}.json", table.to_json())
    write_whole(folder / f"{table.framework}.md", "\n".join(markdown_lines(table)) + "\n")


def print_upgrade(table: UpgradeTable, folder: Path) -> None:
    """Print the grids, the reasons for all that is not PASS, and what it comes to."""
    from rich.box import SIMPLE  # noqa: PLC0415 - slow, and only one session prints this
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    from plugpull.matrix.table import matrix_console  # noqa: PLC0415

    console = matrix_console()
    filled = wrap(headline(table), console.width, subsequent_indent="  ")
    counts = Text("\n".join(filled), style="bold")
    console.print(counts, soft_wrap=True)
    for grid in table.grids:
        shown = Table(title=_title(grid), title_justify="left", box=SIMPLE, title_style="bold")
        shown.add_column("saved by \\ resumed by")
        for column in grid.columns:
            shown.add_column(column)
        for row in grid.rows:
            words = [grid.words.get((row, column), "") for column in grid.columns]
            shown.add_row(row, *(Text(word, style=_style(word)) for word in words))
        console.print(shown)
    for reason, places in reasons(table).items():
        console.print(Text(reason), soft_wrap=True)
        for place, pairs in places.items():
            console.print(Text(f"    {place}: {', '.join(pairs)}", style="cyan"), soft_wrap=True)
    for pair in table.skipped:
        line = f"not run: {pair.saves} to {pair.goes_on}: {pair.reason}"
        console.print(Text(line, style="yellow"), soft_wrap=True)
    console.print(counts, soft_wrap=True)
    ending = f"exit code {table.exit_code}; written to {folder / table.framework}.json and .md"
    console.print(Text(ending, style="dim"), soft_wrap=True)


def headline(table: UpgradeTable) -> str:
    """The counts, in one line."""
    counts = table.counts
    words = [f"{counts[name]} {name}" for name in ("PASS", "refused", "FAIL", "ERROR")]
    if counts[NOT_TRIED]:
        words.append(f"{counts[NOT_TRIED]} {NOT_TRIED}")
    if table.skipped:
        words.append(f"{len(table.skipped)} pairs not run")
    what = "recorded states" if table.recorded else "runs saved by one version"
    return f"{table.framework}: {what}, gone on with by another: {', '.join(words)}"


def markdown_lines(table: UpgradeTable) -> list[str]:
    """The table for a page: grids, then the reasons."""
    lines = [f"## {table.title}: resumed after an upgrade", "", f"{headline(table)}."]
    pythons = sorted({one.python for one in table.entries})
    lines += [f"Python {', '.join(pythons)}; measured {table.created}.", ""]
    for grid in table.grids:
        lines += [f"### {_title(grid)}", ""]
        lines.append(f"| saved by \\ resumed by | {' | '.join(grid.columns)} |")
        lines.append(f"| --- |{' --- |' * len(grid.columns)}")
        for row in grid.rows:
            words = [
                _marked(grid.words.get((row, column), ""), own=row == column)
                for column in grid.columns
            ]
            lines.append(f"| {row} | {' | '.join(words)} |")
        lines.append("")
    found = reasons(table)
    if found:
        lines += ["### What was seen", ""]
    for reason, places in found.items():
        lines.append(f"- {_escaped(reason)}")
        lines += [f"  - {place}: {', '.join(pairs)}" for place, pairs in places.items()]
    lines += [
        f"- not run: {one.saves} to {one.goes_on}: {_escaped(one.reason)}" for one in table.skipped
    ]
    return lines


def reasons(table: UpgradeTable) -> dict[str, dict[str, list[str]]]:
    """Each reason for something else than a plain PASS, with where it was seen.

    Sentences that differ in numbers only stand together under the first of them. Pairs are written
    as ``--pairs`` takes them, by fault point and variant; places with the same pairs are one.
    """
    texts: dict[str, list[str]] = {}
    found: dict[str, dict[str, list[str]]] = {}
    for one in table.entries:
        if one.verdict == "PASS" and one.outcome != "refused":
            continue
        text = f"{one.word}: {_reason(one)}"
        shape = _NUMBERS.sub("#", text)
        seen = texts.setdefault(shape, [])
        if text not in seen:
            seen.append(text)
        place = f"{one.point} ({one.variant})" if one.point else "everything"
        pairs = found.setdefault(shape, {}).setdefault(place, [])
        pairs.append(f"{one.saved_by}:{one.resumed_by}")
    return {
        texts[shape][0] + _OTHERS * (len(texts[shape]) > 1): _merged(places)
        for shape, places in found.items()
    }


def _merged(places: dict[str, list[str]]) -> dict[str, list[str]]:
    by_pairs: dict[tuple[str, ...], list[str]] = {}
    for place, pairs in places.items():
        by_pairs.setdefault(tuple(pairs), []).append(place)
    return {", ".join(names): list(pairs) for pairs, names in by_pairs.items()}


def _reason(entry: Entry) -> str:
    """The sentence without what the id says anyway, so that equal reasons stand together."""
    text = entry.detail.removeprefix(f"saved by {entry.saved_by}: ")
    return text.removeprefix("refused, and says why: ")


def _title(grid: Grid) -> str:
    names = [f"{point} ({variant})" for point, variant in grid.places if point]
    return ", ".join(names) or "no fault point was reached"


def _marked(word: str, *, own: bool) -> str:
    bold = f"**{word}**" if word.startswith(("FAIL", "ERROR")) else word
    return f"({bold})" if own and word else bold


def _style(word: str) -> str:
    return _STYLES.get(word.partition(" ")[0], "dim")


def _escaped(text: str) -> str:
    return " ".join(text.replace("|", "\\|").replace("<", "&lt;").split())
