"""``nox -s upgrade`` and ``nox -s record-states``: runs saved by one version, resumed by another.

Each version is run twice at most, in its cell's own environment: once to save its runs, and once to
go on with what all the others have saved.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import ERROR_EXIT, UsageError
from plugpull.matrix.filing import now
from plugpull.matrix.handover import check_writable
from plugpull.matrix.index import OnlineIndex
from plugpull.matrix.upgrade_cells import plan_upgrade
from plugpull.matrix.upgrade_entries import facts_of, paired, place_of, recorded
from plugpull.matrix.upgrade_options import parse_upgrade_options
from plugpull.matrix.upgrade_report import print_upgrade, write_upgrade
from plugpull.matrix.upgrade_table import UpgradeTable
from plugpull.matrix.upgrade_work import Work, folder_for_states, keep, measure_pairs, resume, save
from plugpull.saved_states import find_states

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.index import Index

__all__ = ["record_states", "upgrade"]


def upgrade(posargs: Sequence[str], *, root: Path, cwd: Path, index: Index | None = None) -> int:
    """Make the table of who goes on with whose runs, print and file it; the exit code.

    Args:
        posargs: What stood behind ``--``.
        root: The checkout.
        cwd: The folder in which nox was started.
        index: Where releases are looked up. The one that uv installs from if not given.

    Raises:
        PlugpullError: Something is wrong with what was asked for.
    """
    options = parse_upgrade_options("upgrade", posargs, root=root, cwd=cwd)
    if options.states is not None and options.pairs:
        raise UsageError(
            "--states and --pairs exclude each other",
            why="every recorded state is gone on with by every version",
            then="leave --pairs away, and name the versions with --versions",
        )
    if options.states is not None:
        # Before any environment is made: a state that is damaged is known to be so now.
        find_states([options.states], options.framework)
    results = Path(options.matrix.results) / "upgrade"
    check_writable(results)
    asked = plan_upgrade(options, root=root, index=index or OnlineIndex())
    work = Work()
    if options.states is not None:
        for cell in asked.alone:
            resume(asked, cell, [options.states], options, work)
        entries = list(recorded(asked, work))
    else:
        with folder_for_states(root) as states:
            measure_pairs(asked, options, work, states)
        entries = list(paired(asked, work))
    table = UpgradeTable(
        framework=asked.framework,
        title=asked.title,
        versions=asked.versions,
        entries=tuple(entries),
        skipped=asked.skipped,
        created=now(),
        cells=facts_of(work),
        strict=options.matrix.strict,
        recorded=options.states is not None,
    )
    write_upgrade(table, results)
    print_upgrade(table, results)
    return table.exit_code


def record_states(
    posargs: Sequence[str], *, root: Path, cwd: Path, index: Index | None = None
) -> int:
    """Save a run of each version at each fault point, and keep it; the exit code.

    Raises:
        PlugpullError: Something is wrong with what was asked for.
    """
    options = parse_upgrade_options("record-states", posargs, root=root, cwd=cwd)
    place = options.states
    if place is None:
        raise UsageError("record-states needs a folder")
    check_writable(place, "--states")
    asked = plan_upgrade(options, root=root, index=index or OnlineIndex())
    work = Work()
    with folder_for_states(root) as new:
        for cell in asked.alone:
            save(cell, asked, options, work, new)
            keep(new / cell.session, place / cell.session)
    attributes = place / ".gitattributes"
    if place.is_dir() and not attributes.exists():
        # A state is worth something only byte for byte.
        attributes.write_text("* -text\n", encoding="utf-8")
    good = 0
    for cell in asked.alone:
        for raw in work.saved[cell.session].raw if cell.session in work.saved else ():
            good += raw["verdict"] != "ERROR"
            print(f"{raw['verdict']:5} {cell.id}/{place_of(raw)}  {raw['detail']}")
    bad = [f"{cell}: {reason}" for cell, reason in work.failed.items()]
    bad += [f"{one.saves}: {one.reason}" for one in asked.skipped]
    for line in bad:
        print(f"ERROR {line}", file=sys.stderr)
    print(f"{good} states of {asked.framework} are in {place}")
    wrong = any(raw["verdict"] == "ERROR" for file in work.saved.values() for raw in file.raw)
    return ERROR_EXIT if bad or wrong or not good else 0
