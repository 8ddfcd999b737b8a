"""Measuring an upgrade table: each version saves its runs, and goes on with those of all others."""

from __future__ import annotations

import contextlib
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.files import temporary_folder
from plugpull.matrix.freshness import state_folder
from plugpull.matrix.manifests import UPGRADE
from plugpull.matrix.prepared import prepared
from plugpull.matrix.uvrun import gist

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.results import CellFile
    from plugpull.matrix.upgrade_cells import UpgradePlan
    from plugpull.matrix.upgrade_options import UpgradeOptions

__all__ = ["Work", "folder_for_states", "keep", "measure_pairs", "resume", "save"]


@dataclass(slots=True)
class Work:
    """What has been measured so far, and what could not be.

    Attributes:
        saved: What each cell came to when it saved its runs and went on with them itself.
        resumed: What each cell came to with the others' runs.
        states: Where each cell's states are.
        failed: Why a cell has nothing to show.
    """

    saved: dict[str, CellFile] = field(default_factory=dict)
    resumed: dict[str, CellFile] = field(default_factory=dict)
    states: dict[str, Path] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def measure_pairs(asked: UpgradePlan, options: UpgradeOptions, work: Work, states: Path) -> None:
    """Let every version of the pairs save its runs, and then go on with the others'."""
    cells = {cell.session: cell for pair in asked.pairs for cell in pair}
    for cell in cells.values():
        save(cell, asked, options, work, states)
    for cell in cells.values():
        others = [saves for saves, goes_on in asked.pairs if goes_on.session == cell.session]
        places = [work.states[one.session] for one in others if one.session in work.states]
        if places and cell.session not in work.failed:
            resume(asked, cell, places, options, work)


def save(cell: Cell, asked: UpgradePlan, options: UpgradeOptions, work: Work, states: Path) -> None:
    """Save a cell's runs in a folder of its own below ``states``."""
    own = states / cell.session
    arguments = ["--save-states", str(states), "--state-version", cell.version]
    file = _core(cell, asked, options, work, arguments)
    if file is None:
        return
    work.saved[cell.session] = file
    if own.is_dir():
        work.states[cell.session] = own


def keep(new: Path, place: Path) -> None:
    """Put each new state in the place of an earlier one; what was not saved anew stays.

    Raises:
        PlugpullError: It cannot be written there.
    """
    for state in sorted(new.glob("*/*")):
        there = place / state.relative_to(new)
        half = there.with_name(f".{there.name}.new")
        try:
            shutil.rmtree(half, ignore_errors=True)
            shutil.copytree(state, half, symlinks=True)
            if there.exists():
                shutil.rmtree(there)
            half.replace(there)
        except OSError as error:
            shutil.rmtree(half, ignore_errors=True)
            # A copy names each file that failed, and why; the first will do.
            each = error.args[0] if isinstance(error, shutil.Error) else None
            reason = each[0][2] if each else error.strerror or error
            raise PlugpullError(
                f"{there} cannot be written: {reason}",
                then="make room there, or name another folder: --states DIR",
            ) from error


def resume(
    asked: UpgradePlan,
    cell: Cell,
    places: Iterable[Path],
    options: UpgradeOptions,
    work: Work,
) -> None:
    """Let a cell go on with what lies in some folders."""
    arguments = [word for place in places for word in ("--states", str(place))]
    file = _core(cell, asked, options, work, arguments)
    if file is not None:
        work.resumed[cell.session] = file


def _core(
    cell: Cell, asked: UpgradePlan, options: UpgradeOptions, work: Work, arguments: list[str]
) -> CellFile | None:
    """What the harness in a cell reports; ``None``, and the reason on record, if it cannot."""
    words = ["--scenario", UPGRADE, *arguments]
    words += [word for name in options.variants for word in ("--variant", name)]
    if options.matrix.timeout is not None:
        words += ["--timeout", str(options.matrix.timeout)]
    if options.matrix.keep:
        kept = Path(options.matrix.results) / "upgrade" / "kept" / cell.session
        words += ["--keep", str(kept)]
    try:
        with prepared(asked.plan, cell) as ready:
            file = ready.core(words)
    except UsageError:
        raise
    except PlugpullError as error:
        work.failed[cell.session] = f"{error.what}: {gist(error.why)}" if error.why else error.what
        print(f"{cell.session}: {work.failed[cell.session]}", file=sys.stderr, flush=True)
        return None
    if not file.raw:
        work.failed[cell.session] = "nothing was run: the release supports none of the variants"
        return None
    return file


@contextlib.contextmanager
def folder_for_states(root: Path) -> Iterator[Path]:
    """A folder for what is saved and resumed within one run."""
    with temporary_folder(state_folder(root).root / "states") as folder:
        yield folder
