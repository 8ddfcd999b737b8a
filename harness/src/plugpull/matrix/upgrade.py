"""``nox -s upgrade`` and ``nox -s record-states``: runs saved by one version, resumed by another.

Each version is run twice at most, in its cell's own environment: once to save its runs, and once to
go on with what all the others have saved.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.errors import ERROR_EXIT, PlugpullError, UsageError
from plugpull.matrix.filing import now
from plugpull.matrix.freshness import state_folder
from plugpull.matrix.handover import check_writable
from plugpull.matrix.index import OnlineIndex
from plugpull.matrix.manifests import UPGRADE
from plugpull.matrix.prepared import prepared
from plugpull.matrix.upgrade_cells import UpgradePlan, plan_upgrade
from plugpull.matrix.upgrade_options import UpgradeOptions, parse_upgrade_options
from plugpull.matrix.upgrade_report import print_upgrade, write_upgrade
from plugpull.matrix.upgrade_table import Entry, UpgradeTable
from plugpull.matrix.uvrun import gist
from plugpull.saved_states import find_states

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.index import Index
    from plugpull.matrix.results import CellFile

__all__ = ["record_states", "upgrade"]

_FROM = "from-"


@dataclass(slots=True)
class _Work:
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
    work = _Work()
    if options.states is not None:
        for cell in asked.alone:
            _resume(asked, cell, [options.states], options, work)
        entries = list(_recorded(asked, work))
    else:
        with _folder_for_states(root) as states:
            _measure_pairs(asked, options, work, states)
        entries = list(_paired(asked, work))
    table = UpgradeTable(
        framework=asked.framework,
        title=asked.title,
        versions=asked.versions,
        entries=tuple(entries),
        skipped=asked.skipped,
        created=now(),
        cells=_facts(work),
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
    check_writable(place)
    asked = plan_upgrade(options, root=root, index=index or OnlineIndex())
    work = _Work()
    with _folder_for_states(root) as new:
        for cell in asked.alone:
            _save(cell, asked, options, work, new)
            _keep(new / cell.session, place / cell.session)
    attributes = place / ".gitattributes"
    if not attributes.exists():
        # A state is worth something only byte for byte.
        attributes.write_text("* -text\n", encoding="utf-8")
    good = 0
    for cell in asked.alone:
        for raw in work.saved[cell.session].raw if cell.session in work.saved else ():
            good += raw["verdict"] != "ERROR"
            print(f"{raw['verdict']:5} {cell.id}/{_place(raw)}  {raw['detail']}")
    bad = [f"{cell}: {reason}" for cell, reason in work.failed.items()]
    bad += [f"{one.saves}: {one.reason}" for one in asked.skipped]
    for line in bad:
        print(f"ERROR {line}", file=sys.stderr)
    print(f"{good} states of {asked.framework} are in {place}")
    wrong = any(raw["verdict"] == "ERROR" for file in work.saved.values() for raw in file.raw)
    return ERROR_EXIT if bad or wrong or not good else 0


# -- measuring -------------------------------------------------------------------------------------


def _measure_pairs(asked: UpgradePlan, options: UpgradeOptions, work: _Work, states: Path) -> None:
    cells = {cell.session: cell for pair in asked.pairs for cell in pair}
    for cell in cells.values():
        _save(cell, asked, options, work, states)
    for cell in cells.values():
        others = [saves for saves, goes_on in asked.pairs if goes_on.session == cell.session]
        places = [work.states[one.session] for one in others if one.session in work.states]
        if places and cell.session not in work.failed:
            _resume(asked, cell, places, options, work)


def _save(
    cell: Cell, asked: UpgradePlan, options: UpgradeOptions, work: _Work, states: Path
) -> None:
    own = states / cell.session
    arguments = ["--save-states", str(states), "--state-version", cell.version]
    file = _core(cell, asked, options, work, arguments)
    if file is None:
        return
    work.saved[cell.session] = file
    if own.is_dir():
        work.states[cell.session] = own


def _keep(new: Path, place: Path) -> None:
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
            raise PlugpullError(
                f"{there} cannot be written: {error.strerror or error}",
                then="make room there, or name another folder: --states DIR",
            ) from error


def _resume(
    asked: UpgradePlan,
    cell: Cell,
    places: Iterable[Path],
    options: UpgradeOptions,
    work: _Work,
) -> None:
    arguments = [word for place in places for word in ("--states", str(place))]
    file = _core(cell, asked, options, work, arguments)
    if file is not None:
        work.resumed[cell.session] = file


def _core(
    cell: Cell, asked: UpgradePlan, options: UpgradeOptions, work: _Work, arguments: list[str]
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
def _folder_for_states(root: Path) -> Iterator[Path]:
    """A folder for what is saved and resumed within one run."""
    parent = state_folder(root).root / "states"
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=parent) as name:
        yield Path(name)


# -- putting together ------------------------------------------------------------------------------


def _paired(asked: UpgradePlan, work: _Work) -> Iterable[Entry]:
    """One entry for each pair, variant and fault point; the diagonal from those that saved."""
    cells = {cell.session: cell for pair in asked.pairs for cell in pair}
    for cell in cells.values():
        for raw in work.saved[cell.session].raw if cell.session in work.saved else ():
            yield _entry(cell.version, cell, raw)
        if cell.session in work.failed:
            yield Entry.broken(cell.version, cell, work.failed[cell.session])
    for saves, goes_on in asked.pairs:
        yield from _of_pair(saves, goes_on, work)


def _of_pair(saves: Cell, goes_on: Cell, work: _Work) -> Iterable[Entry]:
    for cell in (saves, goes_on):
        if cell.session in work.failed:
            reason = f"{cell.version}: {work.failed[cell.session]}"
            yield Entry.broken(saves.version, goes_on, reason)
            return
    own = work.saved[saves.session].raw
    there = work.resumed[goes_on.session].raw if goes_on.session in work.resumed else ()
    for raw in own:
        place = (raw.get("variant"), raw["kill_point"])
        found = next((one for one in there if _is_from(one, saves.version, place)), None)
        if found is not None:
            yield _entry(saves.version, goes_on, found)
        elif raw["verdict"] == "ERROR":
            broken = {
                **raw,
                "detail": f"{saves.version} saved nothing: {raw['detail']}",
                "point_detail": f"{_FROM}{saves.version}",
            }
            yield _entry(saves.version, goes_on, broken)
        else:
            detail = f"{goes_on.version} has no variant {place[0]}"
            yield Entry.not_tried(saves.version, goes_on, str(place[0]), str(place[1]), detail)


def _is_from(raw: dict[str, Any], version: str, place: tuple[Any, Any]) -> bool:
    if (raw.get("variant"), raw["kill_point"]) != place:
        return False
    # An ERROR of the whole scenario stands without the version that saved.
    return raw.get("point_detail") in {f"{_FROM}{version}", None}


def _recorded(asked: UpgradePlan, work: _Work) -> Iterable[Entry]:
    """One entry for each recorded state and version that goes on."""
    for cell in asked.alone:
        if cell.session in work.failed:
            yield Entry.broken("every state", cell, work.failed[cell.session])
        for raw in work.resumed[cell.session].raw if cell.session in work.resumed else ():
            detail = raw.get("point_detail") or ""
            yield _entry(detail.removeprefix(_FROM) or "every state", cell, raw)


def _entry(saves: str, goes_on: Cell, raw: dict[str, Any]) -> Entry:
    return Entry(
        saved_by=saves,
        resumed_by=goes_on.version,
        cell=goes_on.id,
        python=goes_on.python,
        variant=str(raw.get("variant") or "default"),
        point=str(raw["kill_point"]),
        verdict=str(raw["verdict"]),
        outcome=str(raw.get("outcome") or ""),
        detail=str(raw["detail"]),
        raw=raw,
    )


def _place(raw: dict[str, Any]) -> str:
    return f"{raw['scenario']}/{raw.get('variant')}/{raw['kill_point']}"


def _facts(work: _Work) -> dict[str, dict[str, Any]]:
    facts = {name: file.cell for name, file in {**work.saved, **work.resumed}.items()}
    return {**facts, **{name: {"error": why} for name, why in work.failed.items()}}
