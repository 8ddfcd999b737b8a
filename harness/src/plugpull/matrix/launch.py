"""What nox was asked for, and the plan that follows: once in the parent, read in its children.

nox reads ``noxfile.py`` in every process it starts. The parent plans, writes the plan to a file and
names that file in the environment; a child reads it and looks nothing up. Listing needs no plan.
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.asking import Wanted, named_sessions, wanted
from plugpull.matrix.described import Described, declared_cells, other_names, planned_cells
from plugpull.matrix.handover import (
    PLAN_VARIABLE,
    check_writable,
    hand_on,
    part,
    show_terminal,
    state_file,
)
from plugpull.matrix.lifeline import guard_parent, guard_worker
from plugpull.matrix.older import pythons_of
from plugpull.matrix.options import MatrixOptions, parse_options
from plugpull.matrix.plan import Plan, read_plan

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

__all__ = ["Described", "Launch", "launch"]

#: Tells the sessions' processes that a table follows, which shows a cell without verdicts.
COLLECTED_VARIABLE = "PLUGPULL_COLLECTED"

#: Sessions that are always there and look at the plan.
_SETTLED = ("matrix", "list", "collect", "docs", "record")
#: What looks at the last run, and at its plan.
_LOOKING_BACK = (["collect"], ["docs"], ["record"])


@dataclass(frozen=True, slots=True)
class Launch:
    """What this process knows when it defines the sessions.

    Attributes:
        root: The checkout.
        options: The posargs, if they are the matrix's.
        plan: The plan, if anything needs it.
        cells: The sessions of cells to define.
        parallel: How many sessions run at once; ``None`` leaves it to nox.
        chosen: The sessions to run where nox was given none by name but a Python.
        alone: Whether a single session was asked for, so that it may decide the exit code.
    """

    root: Path
    options: MatrixOptions
    plan: Plan | None
    cells: tuple[Described, ...]
    parallel: int | None = None
    chosen: tuple[str, ...] = ()
    alone: bool = False

    @property
    def collected(self) -> bool:
        """Whether a table follows, in which a cell without verdicts is shown as such."""
        return COLLECTED_VARIABLE in os.environ

    @property
    def pending(self) -> tuple[str, ...]:
        """The sessions that ``matrix`` waits for."""
        return self.plan.pending if self.plan is not None else ()

    def need(self) -> Plan:
        """The plan, for a session that cannot do without.

        Raises:
            PlugpullError: There is none, which is a mistake of ours.
        """
        if self.plan is None:
            raise PlugpullError("this session was started without a plan")
        return self.plan


def launch(root: Path, own_sessions: Collection[str]) -> Launch:
    """Find out what is wanted and plan it. Ends nox with 2 if that cannot be done.

    Args:
        root: The checkout.
        own_sessions: Names of the sessions that are no cells and need no plan.
    """
    try:
        return _launch(root, wanted(), own_sessions)
    except PlugpullError as error:
        sys.stdout.flush()
        print(f"plugpull: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


def _launch(root: Path, asked: Wanted | None, own_sessions: Collection[str]) -> Launch:
    if asked is None or asked.list_sessions or asked.usage:
        return _listing(root, asked)
    if asked.parallel_worker:
        guard_worker()
        return _worker(root, asked.sessions or ())
    if os.name != "posix":
        raise PlugpullError("plugpull needs Linux or macOS: it kills processes by signals")
    from plugpull.matrix.index import uv_settings  # noqa: PLC0415 - not in a worker

    guard_parent()
    for name in (PLAN_VARIABLE, COLLECTED_VARIABLE):
        os.environ.pop(name, None)
    os.environ.update(uv_settings(os.environ))
    names = named_sessions(asked)
    if names is not None and set(names) <= set(own_sessions):
        several = len(names) > 1 or "tests" in names
        return Launch(root, MatrixOptions(), None, (), _processors() if several else None)
    return _parent(root, asked, names, own_sessions)


def _parent(
    root: Path, asked: Wanted, names: Sequence[str] | None, own_sessions: Collection[str]
) -> Launch:
    cwd = Path(asked.invoked_from)
    # One session around the matrix alone has its own page; with others, the matrix's is right.
    session = names[0] if names is not None and len(names) == 1 else ""
    session = session if session in _SETTLED else "matrix"
    options = parse_options(asked.posargs, root=root, cwd=cwd, session=session)
    if names is not None and "matrix" in names and asked.pythons:
        raise UsageError(
            "-p chooses among the cells' own sessions",
            then=f"nox -s matrix -- --python {asked.pythons[0]}",
        )
    if options.compare:
        # Before any cell runs: a file that nothing can be compared with is a mistake known now.
        from plugpull.matrix.compare import read_baseline  # noqa: PLC0415

        read_baseline(options.compare)
    if names in _LOOKING_BACK:
        last = _last_plan(root, options)
        if last is not None:
            return Launch(root, options, last, ())
    plan = _make_plan(root, options, {*pythons_of(names or ()), *(asked.pythons or ())})
    cells = planned_cells(plan, names or ())
    by_name = {cell.session: cell for cell in cells}
    if names is not None:
        unknown = [n for n in names if n not in {*by_name, *own_sessions, *_SETTLED}]
        if unknown:
            _refuse(plan, unknown[0], [*_SETTLED, *own_sessions, *by_name])
    jobs = None
    if names is None or set(names) - {"list", "collect", "docs", "record", *own_sessions}:
        plan = _pending(plan, names, by_name)
        check_writable(plan.results)
        hand_on(plan, root)
        show_terminal()
        whole = names is None or "matrix" in names
        if names is not None and whole:
            _announce(plan)
            os.environ[COLLECTED_VARIABLE] = "1"
            atexit.register(part, plan, time.time())
        # A single session is run in this process, where its exit code is exact.
        if len(plan.pending if whole else names or ()) > (0 if whole else 1):
            # A cell leaves a fifth of a processor idle: it waits for downloads, deaths, servers.
            jobs = _processors() + 1
    chosen = tuple(by_name) if names is None and asked.pythons else ()
    alone = names is not None and len(names) == 1
    return Launch(root, options, plan, tuple(cells), jobs, chosen, alone)


def _worker(root: Path, names: Collection[str]) -> Launch:
    if PLAN_VARIABLE not in os.environ:
        return Launch(root, MatrixOptions(), None, ())  # tests or lint
    plan = read_plan(Path(os.environ[PLAN_VARIABLE]), root)
    return Launch(root, plan.options, plan, tuple(planned_cells(plan, names)))


def _make_plan(root: Path, options: MatrixOptions, pythons: Collection[str]) -> Plan:
    # Imports that only the planning process needs; every session's process pays for the others.
    from plugpull.manifest import read_manifest  # noqa: PLC0415
    from plugpull.matrix.index import OnlineIndex  # noqa: PLC0415
    from plugpull.matrix.planning import make_plan  # noqa: PLC0415

    plan = make_plan(options, root=root, index=OnlineIndex(), pythons_named=pythons)
    # The harness reads them again in each cell, and would find a mistake only there.
    for target in dict.fromkeys(cell.target for cell in plan.cells):
        read_manifest(root / "targets" / target)
    return plan


def _last_plan(root: Path, options: MatrixOptions) -> Plan | None:
    """The last run's plan with this time's wishes about reporting; ``None`` to make a new one."""
    path = state_file(root, "plan.json")
    defaults = parse_options((), root=root)
    if options.selects or options.matrix != defaults.matrix or not path.exists():
        return None
    plan = read_plan(path, root)
    results = plan.results if options.results == defaults.results else Path(options.results)
    merged = replace(
        plan.options,
        strict=options.strict or plan.options.strict,
        compare=options.compare or plan.options.compare,
        baseline=options.baseline,
        expectations=options.expectations or plan.options.expectations,
        skip_missing_interpreters=(
            options.skip_missing_interpreters or plan.options.skip_missing_interpreters
        ),
        results=str(results),
    )
    return replace(plan, options=merged, results=results)


def _pending(plan: Plan, names: Sequence[str] | None, by_name: dict[str, Described]) -> Plan:
    from plugpull.matrix.freshness import needs_run  # noqa: PLC0415 - the parent alone asks

    if names is None or "matrix" in names:
        return plan.with_pending(needs_run)
    described = [by_name[name] for name in names if name in by_name]
    return plan.with_pending(needs_run, {one.leads_to or one.session for one in described})


def _announce(plan: Plan) -> None:
    able = sum(plan.not_run(cell) is None for cell in plan.cells)
    run = len(plan.pending)
    parts = [
        f"{run} to run",
        f"{able - run} up to date",
        f"{len(plan.cells) - able} that cannot run",
    ]
    shown = ", ".join(part for part in parts if not part.startswith("0 ")) or "none"
    cells = f"{len(plan.cells)} cell{'s' * (len(plan.cells) != 1)}"
    print(f"plugpull: {cells}: {shown}", file=sys.stderr, flush=True)


def _refuse(plan: Plan, name: str, known: Collection[str]) -> None:
    from plugpull.matrix.tables import suggestion  # noqa: PLC0415

    for cell in plan.cells:
        reason = plan.not_run(cell)
        if reason is not None and name in {cell.session, *other_names(cell)}:
            raise UsageError(f"{name}: {reason}", then="nox -s list shows every cell and why")
    raise UsageError(
        f"there is no session {name}", then=suggestion(name, known) or "nox -l lists them"
    )


def _listing(root: Path, asked: Wanted | None) -> Launch:
    """The sessions as far as the declaration tells: no network, no interpreter, no plan."""
    from plugpull.matrix.declaration import read_declaration  # noqa: PLC0415

    posargs = asked.posargs if asked is not None else ()
    cwd = Path(asked.invoked_from) if asked is not None else root
    options = parse_options(posargs, root=root, cwd=cwd)
    declaration = read_declaration(Path(options.matrix), root / "targets")
    cells = declared_cells(declaration)
    by_python = asked is not None and asked.pythons and named_sessions(asked) is None
    chosen = tuple(cell.session for cell in cells) if by_python else ()
    return Launch(root, options, None, tuple(cells), chosen=chosen)


def _processors() -> int:
    """The processors this process may use, which in a container are fewer than there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
