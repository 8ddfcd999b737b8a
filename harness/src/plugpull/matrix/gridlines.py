"""Drawing one grid of the table: how wide its columns are, and what stands in each line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rich.text import Text

from plugpull.matrix.model import Grid, Group, Mark, Row

__all__ = ["STYLES", "grid_lines"]

#: Spaces between columns, and between groups of them.
GAP, GROUP_GAP = 2, 3
INDENT = 2

#: How a verdict looks.
STYLES = {
    "PASS": "green",
    "FAIL": "bold red",
    "ERROR": "bold magenta",
    "expected": "yellow",
    "": "dim",
}


@dataclass(frozen=True, slots=True)
class _Layout:
    """How wide the columns of a grid are.

    Attributes:
        names, pythons: Widths of the two columns of labels.
        heads: The lines of each column's head, group after group.
        widths: The width of each column, group after group.
    """

    names: int
    pythons: int
    heads: tuple[tuple[tuple[str, ...], ...], ...]
    widths: tuple[tuple[int, ...], ...]

    @property
    def labels(self) -> int:
        return INDENT + self.names + GAP + self.pythons

    @property
    def total(self) -> int:
        return self.labels + sum(GROUP_GAP + _span(widths) for widths in self.widths)


def _span(widths: Sequence[int]) -> int:
    return sum(widths) + GAP * (len(widths) - 1)


def grid_lines(grid: Grid, width: int) -> list[Text]:
    """The grid in as few tables as fit: first with whole heads, then with heads in several lines.

    Where even those do not fit, the groups are dealt out to several tables under each other, each
    with its own labels, so that a column can always be read downwards.
    """
    for tables in range(1, max(len(grid.groups), 1) + 1):
        parts = _dealt(grid, tables)
        for broken in (False, True):
            layouts = [_layout(part, broken=broken) for part in parts]
            widest = max(layout.total for layout in layouts) + _remarks_width(grid)
            if widest <= width or (broken and tables >= len(grid.groups)):
                lines = []
                for number, (part, layout) in enumerate(zip(parts, layouts, strict=True)):
                    lines += [Text()] if number else []
                    lines += _across(part, layout, width)
                return lines
    return []


def _dealt(grid: Grid, tables: int) -> list[Grid]:
    """The groups in ``tables`` parts of about the same size, in their order."""
    if tables <= 1:
        return [grid]
    size = -(-len(grid.groups) // tables)
    parts = []
    column = 0
    for at in range(0, len(grid.groups), size):
        groups = grid.groups[at : at + size]
        end = column + sum(len(group.points) for group in groups)
        # A row without results has said so in the first table.
        rows = [row for row in grid.rows if row.marks or not at]
        parts.append(Grid(groups, tuple(replace(r, marks=r.marks[column:end]) for r in rows)))
        column = end
    return parts


def _layout(grid: Grid, *, broken: bool) -> _Layout:
    names = max((len(row.name) for row in grid.rows), default=0)
    pythons = max((len(row.pythons) for row in grid.rows), default=0)
    heads, widths = [], []
    start = 0
    for group in grid.groups:
        end = start + len(group.points)
        own_heads = [_broken(point) if broken else (point,) for point in group.points]
        own = [max(map(len, head)) for head in own_heads]
        for row in grid.rows:
            marks = row.marks[start:end]
            if marks and _one_for_all(marks) is None:
                own = [max(*pair) for pair in zip(own, (len(m.text) for m in marks), strict=True)]
        needed = max(
            [len(group.label)]
            + [len(one.text) for row in grid.rows if (one := _one_for_all(row.marks[start:end]))]
        )
        own[-1] += max(0, needed - _span(own))
        heads.append(tuple(own_heads))
        widths.append(tuple(own))
        start = end
    return _Layout(names, pythons, tuple(heads), tuple(widths))


def _broken(point: str) -> tuple[str, ...]:
    """``before-effect`` in two lines: a reader finds the hyphen at the end of the first."""
    parts = point.split("-")
    return (*(f"{part}-" for part in parts[:-1]), parts[-1])


def _one_for_all(marks: Sequence[Mark]) -> Mark | None:
    """What a whole group says that has no verdict: it is written once, across its columns."""
    if marks and not marks[0].kind and all(mark == marks[0] for mark in marks):
        return marks[0]
    return None


def _across(grid: Grid, layout: _Layout, width: int) -> list[Text]:
    lines = _heads(grid.groups, layout)
    before: Row | None = None
    for row in grid.rows:
        if before is not None and before.framework != row.framework:
            lines.append(Text())
        line = _labels(row, layout)
        if row.status is not None:
            line.append(" " * GROUP_GAP)
            line.append(_clipped(row.status.text, width - len(line)), STYLES[row.status.kind])
        start = 0
        for widths in layout.widths if row.marks else ():
            marks = row.marks[start : start + len(widths)]
            line.append(" " * GROUP_GAP)
            one = _one_for_all(marks)
            if one is not None:
                line.append(one.text.ljust(_span(widths)), STYLES[one.kind])
            else:
                for at, (mark, space) in enumerate(zip(marks, widths, strict=True)):
                    line.append(" " * GAP if at else "")
                    line.append(mark.text, STYLES[mark.kind])
                    line.append(" " * (space - len(mark.text)))
            start += len(widths)
        line.append(_remarks(row), "dim italic")
        line.rstrip()
        lines.append(line)
        before = row
    return lines


def _heads(groups: Sequence[Group], layout: _Layout) -> list[Text]:
    lines = []
    if any(group.label for group in groups):
        line = Text(" " * layout.labels)
        for group, widths in zip(groups, layout.widths, strict=True):
            line.append(" " * GROUP_GAP)
            line.append(group.label.ljust(_span(widths)), "bold")
        lines.append(line)
    height = max((len(head) for heads in layout.heads for head in heads), default=0)
    for at in range(height):
        line = Text(" " * layout.labels)
        for heads, widths in zip(layout.heads, layout.widths, strict=True):
            line.append(" " * GROUP_GAP)
            for place, (head, space) in enumerate(zip(heads, widths, strict=True)):
                # Heads stand on the table: the shorter ones start further down.
                skipped = height - len(head)
                text = head[at - skipped] if at >= skipped else ""
                line.append(" " * GAP if place else "")
                line.append(text.ljust(space), "dim")
        lines.append(line)
    if groups:
        rule = Text(" " * INDENT + "\u2500" * (layout.labels - INDENT), style="dim")
        for widths in layout.widths:
            rule.append(" " * GROUP_GAP + "\u2500" * _span(widths), "dim")
        lines.append(rule)
    for line in lines:
        line.rstrip()
    return lines


def _labels(row: Row, layout: _Layout) -> Text:
    line = Text(" " * INDENT)
    line.append(row.framework, "bold")
    line.append(f" {row.version}".ljust(layout.names - len(row.framework) + GAP))
    line.append(row.pythons.ljust(layout.pythons))
    if row.earlier:
        line.stylize("dim")
    return line


def _remarks(row: Row) -> str:
    return f"{' ' * GROUP_GAP}{', '.join(row.remarks)}" if row.remarks else ""


def _remarks_width(grid: Grid) -> int:
    return max((len(_remarks(row)) for row in grid.rows), default=0)


def _clipped(text: str, space: int) -> str:
    return text if len(text) <= space else f"{text[: max(space - 3, 8)].rstrip()}..."
