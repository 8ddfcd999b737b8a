"""What a check found: the counts, the exit code, the lines on the terminal, and the files."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from plugpull.errors import ERROR_EXIT
from plugpull.matrix.check_facts import command_to_repeat, differing_packages
from plugpull.matrix.check_markdown import check_markdown
from plugpull.matrix.check_rows import (
    COULD_NOT,
    FIXED,
    NEW,
    REGRESSED,
    TIMING,
    UNCHANGED,
    Row,
    Unprepared,
)
from plugpull.matrix.files import write_json, write_whole
from plugpull.matrix.model import pythons_label

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plugpull.matrix.cells import Origin
    from plugpull.matrix.check_options import CheckOptions
    from plugpull.matrix.check_plan import CheckPlan
    from plugpull.matrix.results import CellFile

__all__ = ["CheckReport", "Line", "print_check", "write_check"]

#: Something got worse.
REGRESSION_EXIT = 1
#: What matters most comes first.
ORDER = (REGRESSED, COULD_NOT, TIMING, FIXED, NEW, UNCHANGED)


@dataclass(frozen=True, slots=True)
class Line:
    """Rows that say the same under several Pythons.

    Attributes:
        state: What became of them.
        pythons: For example ``3.10-3.13``.
        name: ``SCENARIO/VARIANT/POINT[/DETAIL]``.
        base, head: The verdicts, for people. ``-`` for a version that was not asked.
        reason: The newest one.
        rows: The rows.
    """

    state: str
    pythons: str
    name: str
    base: str
    head: str
    reason: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class CheckReport:
    """A finished check.

    Attributes:
        framework: The framework's name.
        head: The version that was checked, as in ids.
        origin: Where that comes from.
        notes: Remarks about it.
        base: What it was compared with.
        why: Why that.
        as_of: The one cut-off (RFC 3339, UTC).
        created: When this was planned.
        rows: Every result of both.
        unprepared: What has no results.
        packages: Other packages that differ between the two, by Python: name to both versions.
        most_runs: How often what depends on timing was tried at most.
        command: Repeats it.
    """

    framework: str
    head: str
    origin: Origin
    notes: tuple[str, ...]
    base: str
    why: str
    as_of: str
    created: str
    rows: tuple[Row, ...]
    unprepared: tuple[Unprepared, ...]
    packages: dict[str, dict[str, tuple[str, str]]]
    most_runs: int
    command: str

    @classmethod
    def of(
        cls,
        asked: CheckPlan,
        options: CheckOptions,
        rows: Sequence[Row],
        unprepared: Sequence[Unprepared],
        files: dict[str, tuple[CellFile, CellFile]],
    ) -> CheckReport:
        """Put it together."""
        ours = {wheel.name for cell in asked.plan.cells for wheel in cell.resolution.wheels}
        differing = {
            python: differing_packages(base, head, ours) for python, (base, head) in files.items()
        }
        return cls(
            framework=asked.framework.name,
            head=asked.head.label,
            origin=asked.head.origin,
            notes=asked.head.notes,
            base=asked.base,
            why=asked.why,
            as_of=asked.as_of,
            created=asked.plan.created,
            rows=tuple(rows),
            unprepared=tuple(unprepared),
            packages={python: found for python, found in differing.items() if found},
            most_runs=options.most_runs,
            command=command_to_repeat(asked, options),
        )

    @property
    def counts(self) -> Counter[str]:
        """How many rows are in each state."""
        return Counter(row.state for row in self.rows)

    @property
    def headline(self) -> str:
        """The counts in words."""
        counts = self.counts
        broken = counts[COULD_NOT] + sum(not one.excused for one in self.unprepared)
        parts = [f"{counts[FIXED]} fixed", f"{counts[REGRESSED]} regressed"]
        parts += [f"{counts[name]} {name}" for name in (TIMING, NEW) if counts[name]]
        parts += [f"{broken} {COULD_NOT}"] if broken else []
        return ", ".join([*parts, f"{counts[UNCHANGED]} unchanged"])

    @property
    def exit_code(self) -> int:
        """2 if something has no verdict, else 1 if something regressed, else 0."""
        compared = any(row.state != COULD_NOT for row in self.rows)
        broken = self.counts[COULD_NOT] or any(not one.excused for one in self.unprepared)
        if broken or not compared:
            return ERROR_EXIT
        return REGRESSION_EXIT if self.counts[REGRESSED] else 0

    @property
    def lines(self) -> list[Line]:
        """The rows, those that agree under several Pythons as one, what matters first."""
        groups: dict[tuple[str, str, str, str], list[Row]] = {}
        for row in self.rows:
            base, head = (side.shown if side else "-" for side in (row.base, row.head))
            groups.setdefault((row.state, row.name, base, head), []).append(row)
        lines = [
            Line(
                state=state,
                pythons=pythons_label([row.python for row in rows]),
                name=name,
                base=base,
                head=head,
                reason=rows[-1].reason,
                rows=tuple(rows),
            )
            for (state, name, base, head), rows in groups.items()
        ]
        return sorted(lines, key=lambda line: ORDER.index(line.state))

    def to_json(self) -> dict[str, Any]:
        """One key per attribute, with what becomes of each row."""
        data = asdict(self)
        data["counts"] = dict(self.counts)
        data["exit_code"] = self.exit_code
        data["rows"] = [
            {**asdict(row), "state": row.state, "reason": row.reason} for row in self.rows
        ]
        return {"check": 1, **data}


def print_check(report: CheckReport, page: Path) -> None:
    """Print the difference: what changed, and how many did not."""
    print(f"{report.framework} {report.head} against {report.base} ({report.why})")
    for note in report.notes:
        print(f"  {note}")
    for line in report.lines:
        if line.state == UNCHANGED:
            continue
        print(f"{line.state:17} py{line.pythons}/{line.name}: {line.base} -> {line.head}")
        if line.reason:
            print(f"{'':17} {line.reason}")
    for one in report.unprepared:
        state = "not compared" if one.excused else COULD_NOT
        print(f"{state:17} {one.version} on Python {one.python}: {one.reason}")
    for python, found in report.packages.items():
        names = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in found.items())
        print(f"{'also different':17} on Python {python}: {names}")
    if not report.rows and not report.unprepared:
        print("nothing was compared: neither version is asked any of this")
    print(report.headline)
    print(f"for the pull request: {page}")


def write_check(report: CheckReport, folder: Path) -> Path:
    """Write the block for the pull request and the same as JSON; the block's path."""
    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", f"{report.framework}-{report.head}")
    write_json(folder / f"{name}.json", report.to_json())
    write_whole(folder / f"{name}.md", check_markdown(report))
    return folder / f"{name}.md"
