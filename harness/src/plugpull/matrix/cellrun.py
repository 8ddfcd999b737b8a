"""One cell from start to finish: interpreter, pinned list, environment, harness, result file."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

from packaging.version import InvalidVersion, Version

from plugpull.matrix.environments import harness_wheel, make_environment
from plugpull.matrix.files import FileLock, temporary_folder, write_json
from plugpull.matrix.freshness import (
    cell_key,
    due,
    pair_of,
    pins_of,
    selected_pairs,
    state_folder,
)
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.interrupts import Interrupts, Supervised
from plugpull.matrix.results import BadFile, CellFile, read_cell_file
from plugpull.matrix.uvrun import EnvironmentFailure, last_words

if TYPE_CHECKING:
    from plugpull.matrix.cells import Cell
    from plugpull.matrix.freshness import CellKey, Pair
    from plugpull.matrix.pins import PinnedList
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


@dataclass(frozen=True, slots=True)
class _Job:
    """A cell with all that running it needs."""

    plan: Plan
    cell: Cell
    interpreter: Interpreter
    pins: PinnedList
    key: CellKey
    pairs: tuple[Pair, ...]
    earlier: CellFile | None


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
            _write_failure(plan, cell, failure.stage, failure.last_words, step=failure.step)
            return CellOutcome("", f"ERROR: {failure.what}: {_first_line(failure.last_words)}")
        except (KeyboardInterrupt, SystemExit):
            _write_failure(plan, cell, "interrupted", "interrupted")
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
    job = _Job(plan, cell, interpreter, pins, key, tuple(pairs), earlier)
    if not pairs and earlier is not None:
        # Written again, since the file may say that a later try was interrupted.
        write_json(plan.result_file(cell), earlier.to_json())
        return _outcome(earlier, f"kept from {earlier.text('measured_at')}")
    state = state_folder(plan.root)
    wheel = harness_wheel(plan.root / "harness", state)
    folder = state.environments / cell.folder
    python = make_environment(folder, interpreter, pins, wheel, label=cell.id)
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
            _write_failure(plan, cell, "run", f"the harness ended with {code}\n{words}")
            reason = f"the harness ended with {code} and left no report"
            return CellOutcome("", f"ERROR: {reason}: {_last_line(words)}")
    wrong = _wrong_version(cell, measured)
    if wrong:
        _write_failure(plan, cell, "version", wrong)
        return CellOutcome("", f"ERROR: {wrong}")
    file = _write(job, measured, measured_at=_now())
    seconds = measured.cell.get("seconds")
    took = f" in {seconds:.0f} s" if isinstance(seconds, (int, float)) else ""
    kept = len(file.raw) - len(measured.raw)
    return _outcome(file, f"{len(measured.raw)} measured{took}{f', {kept} kept' * (kept > 0)}")


def _arguments(job: _Job, report: Path) -> list[str]:
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
    file = _standing(plan, cell)
    return file if file is not None and file.text("key") == key.value else None


def _standing(plan: Plan, cell: Cell) -> CellFile | None:
    try:
        return read_cell_file(plan.result_file(cell)).standing
    except BadFile:
        return None


def _write(job: _Job, measured: CellFile, *, measured_at: str) -> CellFile:
    """Put new results and those that stand into one file.

    Args:
        job: The cell's.
        measured: What the harness reported.
        measured_at: When, for the new results.
    """
    cell, earlier = job.cell, job.earlier
    ran = set(job.pairs)
    new = [{**raw, "measured_at": measured_at} for raw in measured.raw]
    ran.update(pair_of(raw) for raw in new)
    kept = [raw for raw in (earlier.raw if earlier else ()) if pair_of(raw) not in ran]
    declared = [
        each
        for each in (earlier.not_supported if earlier else ())
        if each not in measured.not_supported
    ]
    asked = [tuple(pair) for pair in (earlier.cell.get("asked_pairs") if earlier else None) or ()]
    facts = {
        **measured.cell,
        **_planned_facts(job.plan, cell),
        "interpreter": str(job.interpreter.path),
        "interpreter_found": job.interpreter.found,
        "key": job.key.value,
        "key_parts": job.key.to_json(),
        "lock": job.pins.lines,
        "asked_pairs": [list(pair) for pair in dict.fromkeys([*asked, *job.pairs])],
        "measured_at": measured_at,
    }
    order = {pair: at for at, pair in enumerate(selected_pairs(job.plan, cell, job.plan.root))}
    results = sorted([*kept, *new], key=lambda raw: order.get(pair_of(raw), len(order)))
    file = CellFile(facts, tuple(results), (*measured.not_supported, *declared))
    write_json(job.plan.result_file(cell), file.to_json())
    return file


def _write_failure(plan: Plan, cell: Cell, stage: str, words: str, *, step: str = "") -> None:
    """A file that says why there is nothing to show.

    What an earlier run found stays in it, unseen: when the reason is gone, it need not be measured
    again.
    """
    facts = {**_planned_facts(plan, cell), "stage": stage, "error": words, "measured_at": _now()}
    if step:
        facts["step"] = step
    file = CellFile(facts, earlier=_standing(plan, cell))
    write_json(plan.result_file(cell), file.to_json())


def _planned_facts(plan: Plan, cell: Cell) -> dict[str, Any]:
    """What the planner knows of a cell, and the cell itself does not."""
    facts: dict[str, Any] = {
        "id": cell.id,
        "framework": cell.framework,
        "distribution": cell.distribution,
        "version_asked": cell.asked,
        "version_planned": cell.version,
        "python_asked": cell.python,
        "target": cell.target,
        "source": cell.source,
        "as_of": cell.resolution.as_of,
        "as_of_asked": cell.resolution.as_of_asked,
        "requirements": list(cell.resolution.requirements),
        "constraints": list(cell.resolution.constraints),
        "notes": list(cell.notes),
        "planned": plan.created,
    }
    if cell.yanked is not None:
        facts["yanked"] = cell.yanked
    return facts


def _wrong_version(cell: Cell, measured: CellFile) -> str:
    """Why the measured version is not the one asked for; ``""`` if it is, or if none is proven."""
    proven = measured.text("version")
    if cell.source != "index" or not proven:
        return ""
    try:
        same = Version(proven) == Version(cell.version)
    except InvalidVersion:
        same = proven == cell.version
    return "" if same else f"{cell.framework} {cell.version} was asked for, {proven} was imported"


def _outcome(file: CellFile, how: str) -> CellOutcome:
    verdicts = Counter(str(raw["verdict"]) for raw in file.raw)
    counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    if not verdicts:
        return CellOutcome("", "no verdict: this release supports none of the scenarios")
    if set(verdicts) == {"ERROR"}:
        first = next(str(raw["detail"]) for raw in file.raw)
        return CellOutcome("", f"ERROR: {_first_line(first)}")
    return CellOutcome(f"{counts} ({how})")


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next(iter(lines), "")


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _now() -> str:
    return datetime.now(timezone.utc).replace(microsecond=0).isoformat().replace("+00:00", "Z")


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
