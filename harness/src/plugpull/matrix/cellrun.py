"""One cell from start to finish: interpreter, pinned list, environment, harness, result file."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.matrix.environments import harness_wheel, make_environment
from plugpull.matrix.files import FileLock, temporary_folder, write_json
from plugpull.matrix.filing import Job, now, standing, write_failure, write_results
from plugpull.matrix.freshness import (
    cell_key,
    due,
    pins_of,
    state_folder,
)
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.interrupts import Interrupts, Supervised
from plugpull.matrix.npm import npm_packages
from plugpull.matrix.proven import not_proven
from plugpull.matrix.results import BadFile, CellFile, read_cell_file
from plugpull.matrix.uvrun import EnvironmentFailure, gist, last_words

if TYPE_CHECKING:
    from plugpull.matrix.cells import Cell
    from plugpull.matrix.freshness import CellKey
    from plugpull.matrix.plan import Plan

__all__ = ["CellOutcome", "core_environment", "run_cell"]

#: What the harness in the cell is given of the user's shell. Agents get less still.
_KEPT = ("HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "LD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class CellOutcome:
    """How a cell's session ends.

    Attributes:
        summary: For people, in one line.
        skip_reason: Why there is not a single verdict. ``""`` if there are some: only then may
            the session be shown as done.
    """

    summary: str
    skip_reason: str = ""


def run_cell(plan: Plan, cell: Cell, root: Path) -> CellOutcome:
    """Run what is due in a cell, and leave one whole result file.

    Args:
        plan: The plan.
        cell: One of its cells, which runs.
        root: The checkout.

    Raises:
        KeyboardInterrupt, SystemExit: Stopped. The file says ``interrupted``.
    """
    interpreter = plan.interpreter(cell)
    if not isinstance(interpreter, Interpreter):
        return CellOutcome("", f"not run: {interpreter.reason}")
    state = state_folder(root)
    with Interrupts() as interrupts, FileLock(state.environments / f"{cell.folder}.lock") as lock:
        try:
            return _run_locked(plan, cell, interpreter, interrupts, lock)
        except EnvironmentFailure as failure:
            write_failure(plan, cell, failure.stage, failure.last_words, step=failure.step)
            return CellOutcome("", f"ERROR: {failure.what}: {gist(failure.last_words)}")
        except (KeyboardInterrupt, SystemExit):
            write_failure(plan, cell, "interrupted", "interrupted")
            raise


def core_environment(python: Path) -> dict[str, str]:
    """The variables the harness is started with: an allow-list, without keys and settings."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    kept["PATH"] = os.pathsep.join([str(python.parent), os.environ.get("PATH", os.defpath)])
    return kept


def _run_locked(
    plan: Plan, cell: Cell, interpreter: Interpreter, interrupts: Interrupts, lock: FileLock
) -> CellOutcome:
    pins = pins_of(plan, cell, interpreter)
    key = cell_key(plan, cell, interpreter, pins)
    earlier = _earlier(plan, cell, key)
    pairs = due(plan, cell, earlier, plan.root)
    job = Job(plan, cell, interpreter, pins, key, tuple(pairs), earlier)
    if not pairs and earlier is not None:
        # Written again, since the file may say that a later try was interrupted.
        write_json(plan.result_file(cell), earlier.to_json())
        return _outcome(earlier, f"kept from {earlier.text('measured_at')}")
    state = state_folder(plan.root)
    wheel = harness_wheel(plan.root / "harness", state)
    folder = state.environments / cell.folder
    node_modules = npm_packages(cell.resolution.npm, state)
    python = make_environment(
        folder, interpreter, pins, wheel, label=cell.id, node_modules=node_modules
    )
    with temporary_folder(folder) as scratch:
        report = scratch / "report.json"
        _say(f"{cell.session}: running")
        with interrupts.held():
            core = Supervised(
                [str(python), "-m", "plugpull", *_arguments(job, report)],
                env=core_environment(python),
                cwd=scratch,
                keeps=[lock.handle],
                relay=lambda line: _say(f"{cell.session}: {line}"),
            )
        code = core.wait()
        try:
            measured = read_cell_file(report)
        except BadFile as error:
            words = last_words("\n".join(core.tail)) or f"no report: {error}"
            write_failure(plan, cell, "run", f"the harness ended with {code}\n{words}")
            reason = f"the harness ended with {code} and left no report"
            return CellOutcome("", f"ERROR: {reason}: {_last_line(words)}")
    wrong = not_proven(cell, folder, measured)
    if wrong:
        write_failure(plan, cell, "version", wrong)
        return CellOutcome("", f"ERROR: {wrong}")
    file = write_results(job, measured, measured_at=now())
    seconds = measured.cell.get("seconds")
    took = f" in {seconds:.0f} s" if isinstance(seconds, (int, float)) else ""
    kept = len(file.raw) - len(measured.raw)
    return _outcome(file, f"{len(measured.raw)} measured{took}{f', {kept} kept' * (kept > 0)}")


def _arguments(job: Job, report: Path) -> list[str]:
    plan = job.plan
    arguments = ["--target", job.cell.target, "--targets", str(plan.root / "targets")]
    for scenario in dict.fromkeys(scenario for scenario, _ in job.pairs):
        arguments += ["--scenario", scenario]
    for variant in dict.fromkeys(variant for _, variant in job.pairs):
        arguments += ["--variant", variant]
    arguments += ["--timing-repeat", str(job.cell.repeat)]
    if plan.options.timeout is not None:
        arguments += ["--timeout", str(plan.options.timeout)]
    if plan.options.keep:
        arguments += ["--keep", str(plan.results / "kept" / job.cell.session)]
    return [*arguments, "--report", str(report), "--progress"]


def _earlier(plan: Plan, cell: Cell, key: CellKey) -> CellFile | None:
    """The results that an earlier run finished with, if they were measured under this key."""
    file = standing(plan, cell)
    return file if file is not None and file.text("key") == key.value else None


def _outcome(file: CellFile, how: str) -> CellOutcome:
    verdicts = Counter(str(raw["verdict"]) for raw in file.raw)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    if not verdicts:
        return CellOutcome("", "no verdict: this release supports none of the scenarios")
    if set(verdicts) == {"ERROR"}:
        first = next(str(raw["detail"]) for raw in file.raw)
        return CellOutcome("", f"ERROR: {gist(first)}")
    return CellOutcome(f"{counts} ({how})")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
