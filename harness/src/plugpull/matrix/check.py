"""``nox -s check``: what a branch, a working tree or a wheel fixes, and what it breaks.

Base and head run under the same Pythons, with the same companions and one cut-off, in cells like
the matrix's own.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.matrix.cellrun import run_cell
from plugpull.matrix.check_options import parse_check_options
from plugpull.matrix.check_plan import FOLDER, plan_check
from plugpull.matrix.check_repeats import repeat_differences
from plugpull.matrix.check_report import CheckReport, print_check, write_check
from plugpull.matrix.check_rows import Unprepared, side_by_side
from plugpull.matrix.freshness import pair_of, selected_pairs
from plugpull.matrix.handover import check_writable
from plugpull.matrix.index import OnlineIndex
from plugpull.matrix.interpreters import Missing
from plugpull.matrix.results import BadFile, CellFile, read_cell_file
from plugpull.matrix.selection import result_selected
from plugpull.matrix.uvrun import gist

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.check_plan import CheckPlan
    from plugpull.matrix.check_rows import Row
    from plugpull.matrix.index import Index
    from plugpull.matrix.results import Result

__all__ = ["check"]


def check(posargs: Sequence[str], *, root: Path, cwd: Path, index: Index | None = None) -> int:
    """Compare, print and file the difference; the exit code.

    Args:
        posargs: What stood behind ``--``.
        root: The checkout.
        cwd: The folder in which nox was started.
        index: Where releases are looked up. The one that uv installs from if not given.

    Raises:
        PlugpullError: Something is wrong with what was asked for.
    """
    options = parse_check_options(posargs, root=root, cwd=cwd)
    results = Path(options.matrix.results) / FOLDER
    check_writable(results)
    asked = plan_check(options, root=root, index=index or OnlineIndex(), say=_say)
    _say(f"{asked.framework.name}: {asked.head.label} against {asked.base}, {asked.why}")
    rows: list[Row] = []
    unprepared: list[Unprepared] = []
    files: dict[str, tuple[CellFile, CellFile]] = {}
    for pair in asked.pairs:
        # Both first: a version that cannot run need not be waited for.
        broken = [one for cell in pair if (one := _unable(asked, cell)) is not None]
        ran = [] if broken else _run_pair(asked, pair, root)
        broken += [one for one in ran if isinstance(one, Unprepared)]
        unprepared += broken
        base, head = pair
        match ran:
            case [CellFile() as before, CellFile() as after]:
                files[base.python] = (before, after)
                sides = _results(asked, base, before), _results(asked, head, after)
                rows += side_by_side(base.python, *sides)
    cells = {base.python: (base, head) for base, head in asked.pairs}
    rows = repeat_differences(rows, cells, asked.plan, most=options.most_runs, say=_say)
    report = CheckReport.of(asked, options, rows, unprepared, files)
    page = write_check(report, results)
    print_check(report, page)
    return report.exit_code


def _unable(asked: CheckPlan, cell: Cell) -> Unprepared | None:
    reason = asked.plan.not_run(cell)
    if reason is None:
        return None
    missing = isinstance(asked.plan.interpreter(cell), Missing)
    excused = cell.excluded is not None or (
        missing and asked.plan.options.skip_missing_interpreters
    )
    return Unprepared(cell.python, cell.version, reason, excused)


def _run_pair(asked: CheckPlan, pair: tuple[Cell, Cell], root: Path) -> list[CellFile | Unprepared]:
    """What both came to; the second is left alone if there is nothing to compare it with."""
    found: list[CellFile | Unprepared] = []
    for cell in pair:
        found.append(_run(asked, cell, root))
        if isinstance(found[-1], Unprepared):
            break
    return found


def _run(asked: CheckPlan, cell: Cell, root: Path) -> CellFile | Unprepared:
    outcome = run_cell(asked.plan, cell, root)
    _say(f"{cell.id}: {outcome.skip_reason or outcome.summary}")
    try:
        file = read_cell_file(asked.plan.result_file(cell))
    except BadFile as error:
        return Unprepared(cell.python, cell.version, str(error), excused=False)
    if file.error:
        return Unprepared(cell.python, cell.version, gist(file.error), excused=False)
    return file


def _results(asked: CheckPlan, cell: Cell, file: CellFile) -> list[Result]:
    everything = file.results(framework=cell.framework, version=cell.version, python=cell.python)
    # The file keeps what earlier checks asked of the same cell.
    pairs = selected_pairs(asked.plan, cell, asked.plan.root)
    return [
        result
        for result in everything
        if pair_of(result.raw) in pairs
        and result_selected(asked.only, result.id, framework=cell.framework, asked=cell.asked)
    ]


def _say(line: str) -> None:
    print(f"plugpull: {line}", file=sys.stderr, flush=True)
