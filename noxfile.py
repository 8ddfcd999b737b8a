# /// script
# requires-python = ">=3.10"
# dependencies = [
#     "nox>=2026.10",
#     "packaging>=24.2",
#     "pypi-simple>=1.8",
#     "rich>=13.9",
#     "tomli>=2.2; python_version < '3.11'",
#     "uv>=0.9",
# ]
# ///
"""plugpull: pull the plug on an AI agent in the middle of a run, and see what breaks.

nox -s matrix                                     run what has changed, print the table
nox -s matrix -- --only langgraph --python 3.13   only some cells; --help lists all options
nox -s langgraph-1.2.11-py3.13                    one cell alone
nox -t langgraph                                  all cells of a framework (or -t py3.13)
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import nox

ROOT = Path(__file__).absolute().parent
# The planner's side is used as it stands in the checkout: never another, installed one.
sys.path.insert(0, str(ROOT / "harness" / "src"))

from plugpull.matrix.launch import Described, launch  # noqa: E402
from plugpull.matrix.ownenv import TEST_PYTHONS  # noqa: E402

nox.needs_version = ">=2026.10"
nox.options.default_venv_backend = "none"
nox.options.sessions = ["matrix"]

OWN = (
    "tests",
    *(f"tests-{python}" for python in TEST_PYTHONS),
    "lint",
    "bench",
    "bisect",
    "check",
    "upgrade",
    "record-states",
    "repro",
    "shell",
)
LAUNCH = launch(ROOT, OWN)
nox.options.parallel = LAUNCH.parallel
if LAUNCH.chosen:
    nox.options.sessions = LAUNCH.chosen


@nox.session(requires=LAUNCH.pending)
def matrix(_session: nox.Session) -> None:
    """Run the compatibility matrix: every cell that has changed, then the table."""
    _collect()


@nox.session(name="list", default=False)
def list_(_session: nox.Session) -> None:
    """Print every cell, scheduled or not, and why."""
    from plugpull.matrix.listing import list_cells  # noqa: PLC0415
    from plugpull.matrix.table import matrix_console  # noqa: PLC0415

    list_cells(LAUNCH.need(), matrix_console())


@nox.session(default=False)
def collect(_session: nox.Session) -> None:
    """Print the table of the last run again; ends with its exact exit code."""
    _collect()


@nox.session(default=False)
def record(session: nox.Session) -> None:
    """Record the last run's verdicts as a baseline, for -- --compare."""
    from plugpull.errors import PlugpullError  # noqa: PLC0415
    from plugpull.matrix.baseline import record as body  # noqa: PLC0415

    try:
        session.log(body(LAUNCH.need()))
    except PlugpullError as error:
        print(f"plugpull: {error}", file=sys.stderr)
        sys.exit(error.exit_code)


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Make the README's table from the last run, or docs/results.md if that had --all."""
    from plugpull.errors import PlugpullError  # noqa: PLC0415
    from plugpull.matrix.pages import write_page  # noqa: PLC0415

    try:
        session.log(f"wrote {write_page(LAUNCH.need(), ROOT).relative_to(ROOT)}")
    except PlugpullError as error:
        session.error(str(error))


# The newest Python comes first: it tries the mutants as well, and takes longest.
@nox.session(default=False, requires=[f"tests-{python}" for python in reversed(TEST_PYTHONS)])
def tests(session: nox.Session) -> None:
    """Run plugpull's own tests on every Python; what stands behind -- goes to pytest."""
    session.log(f"passed on Python {', '.join(TEST_PYTHONS)}")


@nox.session(default=False, allow_parallel=True)
def lint(session: nox.Session) -> None:
    """Check style and types: ruff and mypy."""
    from plugpull.matrix.ownchecks import lint as body  # noqa: PLC0415

    body(session, ROOT)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure what forked agents save, as ratios within one run."""
    from plugpull.matrix.ownchecks import bench as body  # noqa: PLC0415

    body(session, ROOT)


@nox.session(default=False)
def bisect(session: nox.Session) -> None:
    """Find the release, or the commit, that changed a verdict."""
    from plugpull.matrix.bisect import bisect as body  # noqa: PLC0415

    _act(session, body)


@nox.session(default=False)
def check(session: nox.Session) -> None:
    """Tell what a branch, a clone or a wheel fixes and breaks, against a release."""
    from plugpull.matrix.check import check as body  # noqa: PLC0415

    _act(session, body)


@nox.session(default=False)
def upgrade(session: nox.Session) -> None:
    """Resume runs that one version saved under another one; --help lists the options."""
    from plugpull.matrix.upgrade import upgrade as body  # noqa: PLC0415

    _act(session, body)


@nox.session(name="record-states", default=False)
def record_states(session: nox.Session) -> None:
    """Keep saved runs of released versions, for a branch to go on with."""
    from plugpull.matrix.upgrade import record_states as body  # noqa: PLC0415

    _act(session, body)


@nox.session(default=False)
def repro(session: nox.Session) -> None:
    """Run one result again, and write a folder that shows it without this checkout."""
    from plugpull.matrix.repro import repro as body  # noqa: PLC0415

    _act(session, body)


@nox.session(default=False)
def shell(session: nox.Session) -> None:
    """Open a shell in a cell's environment, or run a command there."""
    from plugpull.matrix.shell import shell as body  # noqa: PLC0415

    _act(session, body)


def _act(session: nox.Session, body: Callable[..., int]) -> None:
    """Do what has its own options, and end with its own exit code."""
    from plugpull.errors import PlugpullError  # noqa: PLC0415

    try:
        code = body(session.posargs, root=ROOT, cwd=Path(session.invoked_from))
    except PlugpullError as error:
        print(f"plugpull: {error}", file=sys.stderr)
        code = error.exit_code
    if code:
        sys.exit(code)


def _collect() -> None:
    from plugpull.errors import PlugpullError  # noqa: PLC0415
    from plugpull.matrix.collect import collect_and_report  # noqa: PLC0415

    try:
        code = collect_and_report(LAUNCH.need())
    except PlugpullError as error:
        print(f"plugpull: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    if code:
        # nox itself knows only 0 and 1. Without parallel mode this is the exit code.
        sys.exit(code)


def _define_tests(python: str) -> None:
    def body(session: nox.Session) -> None:
        from plugpull.matrix.ownchecks import run_tests  # noqa: PLC0415

        run_tests(session, ROOT, python)

    body.__doc__ = f"Run plugpull's own tests on Python {python}."
    nox.session(name=f"tests-{python}", default=False, allow_parallel=True)(body)


def _define_cell(cell: Described) -> None:
    def body(session: nox.Session) -> None:
        from plugpull.errors import PlugpullError  # noqa: PLC0415
        from plugpull.matrix.cellrun import run_cell  # noqa: PLC0415

        plan = LAUNCH.need()
        try:
            outcome = run_cell(plan, plan.cell(cell.session), ROOT)
        except PlugpullError as error:
            session.error(str(error))
        if not outcome.skip_reason:
            session.log(outcome.summary)
        elif LAUNCH.collected:
            # The table shows it, and so must come: nox would not collect after a failed cell.
            session.skip(outcome.skip_reason)
        elif LAUNCH.alone:
            print(f"{cell.session}: {outcome.skip_reason}", file=sys.stderr)
            sys.exit(2)
        else:
            session.error(outcome.skip_reason)

    def alias(session: nox.Session) -> None:
        session.log(f"this is {cell.leads_to}")

    body.__doc__ = alias.__doc__ = cell.about
    define = nox.session(
        name=cell.session,
        python=cell.python,
        venv_backend="none",
        tags=cell.tags,
        requires=[cell.leads_to] if cell.leads_to else [],
        default=False,
        allow_parallel=True,
    )
    define(alias if cell.leads_to else body)


for _python in TEST_PYTHONS:
    _define_tests(_python)
for _cell in LAUNCH.cells:
    _define_cell(_cell)
