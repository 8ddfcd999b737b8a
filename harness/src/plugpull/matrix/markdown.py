"""The compatibility table as GitHub Markdown, from the same model as the terminal's."""

from __future__ import annotations

from html import escape
from itertools import chain
from typing import TYPE_CHECKING

from plugpull.matrix.explain import explain
from plugpull.matrix.summary import summarise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.explain import Block
    from plugpull.matrix.model import Grid, Mark, Row
    from plugpull.matrix.records import Collected

__all__ = ["code", "escaped", "markdown", "prose"]


def markdown(
    collected: Collected,
    *,
    title: str = "plugpull: compatibility table",
    between: Sequence[str] = (),
) -> str:
    """The whole page.

    Args:
        collected: What it is about.
        title: What stands above it.
        between: Lines of Markdown between the headline's numbers and the tables.
    """
    counts = collected.counts
    status, reason = collected.judgement
    known = "" if counts.expected is None else f" ({counts.expected} expected)"
    stale = [] if counts.expected is None else [f"**{counts.stale} stale**"]
    numbers = [
        f"**{counts.passed} PASS**",
        f"**{counts.failed} FAIL**{known}",
        f"**{counts.errors} ERROR**",
        *stale,
        f"**{counts.not_run} not run**",
    ]
    if counts.excluded:
        numbers.append(f"{counts.excluded} excluded")
    if counts.earlier:
        numbers.append(f"and {counts.earlier} measured earlier")
    planned = collected.created or "at an unknown time"
    lines = [
        f"# {title}",
        "",
        f"{counts.ran} of {counts.cells} cells ran: {', '.join(numbers)}.",
        "",
        f"Planned {planned}. Exit code {status}: {escaped(reason)}.",
        "",
        *between,
    ]
    for section in summarise(collected):
        lines += [f"## {section.scenario or 'Without any result'}", ""]
        for grid in section.grids:
            lines += [*_grid(grid), ""]
    for block in explain(collected):
        lines += [*_block(block), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _grid(grid: Grid) -> list[str]:
    # Markdown has one line of heads, so the variant stands above the fault point in it.
    heads = [
        f"{escaped(group.label)}<br>{escaped(point)}" if group.label else escaped(point)
        for group in grid.groups
        for point in group.points
    ]
    heads = heads or [""]
    remarks = any(row.remarks for row in grid.rows)
    titles = ["framework", "Python", *heads, *([""] if remarks else [])]
    lines = [_line(titles), _line(["---"] * len(titles))]
    for row in grid.rows:
        cells = [f"{escaped(row.framework)} {escaped(row.version)}", row.pythons]
        cells += _marks(row, len(heads))
        if remarks:
            cells.append(escaped(", ".join(row.remarks)))
        lines.append(_line(cells))
    return lines


def _marks(row: Row, columns: int) -> list[str]:
    if row.status is not None or not row.marks:
        status = _mark(row.status) if row.status else ""
        return [status, *[""] * (columns - 1)]
    return [_mark(mark) for mark in row.marks]


def _mark(mark: Mark) -> str:
    text = escaped(mark.text)
    return f"**{text}**" if mark.kind in {"FAIL", "ERROR"} else text


def _block(block: Block) -> list[str]:
    lines = [f"## {escaped(block.title)}", ""]
    for entry in block.entries:
        lines.append(f"- {escaped(entry.text)}")
        lines += [f"  - {code(identity)}" for identity in entry.ids]
        if entry.words:
            fence = _fence(entry.words)
            lines += ["", f"  {fence}text", *[f"  {word}" for word in entry.words], f"  {fence}"]
    return lines


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    """A text that means nothing to Markdown or to HTML, but for links, which stay links."""
    words = " ".join(text.split()).split(" ")
    return " ".join(word if _is_link(word) else _escaped(word) for word in words)


def _is_link(word: str) -> bool:
    return word.startswith("https://") and not any(character in word for character in "|<>`")


def _escaped(word: str) -> str:
    marked = "".join(f"\\{c}" if c in "\\`*_[]|~#" else c for c in word)
    return escape(marked, quote=False)


def code(text: str) -> str:
    """A text in the font of code, whatever is in it."""
    mark = "``" if "`" in text else "`"
    return f"{mark}{text}{mark}"


def prose(text: str) -> str:
    """A sentence: what stands between backticks is code, all else is text."""
    parts = text.split("`")
    return "".join(code(part) if at % 2 else _escaped_within(part) for at, part in enumerate(parts))


def _escaped_within(part: str) -> str:
    """Escaped, with the blanks at its ends, which part it from the code beside it."""
    inner = escaped(part) if part.strip() else ""
    before, after = " " * part.startswith(" "), " " * part.endswith(" ")
    return f"{before}{inner}{after}" if inner else part


def _fence(words: Sequence[str]) -> str:
    """More backticks than the words have in a row."""
    longest = max(
        (len(run) for run in chain.from_iterable(_backticks(word) for word in words)), default=0
    )
    return "`" * max(3, longest + 1)


def _backticks(word: str) -> list[str]:
    return "".join(c if c == "`" else " " for c in word).split()
