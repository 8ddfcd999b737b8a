"""A cell's result file: what the harness reported, what the planner adds, and what still stands."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from plugpull.matrix.cells import Cell
from plugpull.matrix.files import write_json
from plugpull.matrix.freshness import CellKey, Pair, pair_of, selected_pairs
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.pins import PinnedList
from plugpull.matrix.plan import Plan
from plugpull.matrix.results import BadFile, CellFile, read_cell_file

__all__ = ["Job", "now", "standing", "write_failure", "write_results"]


@dataclass(frozen=True, slots=True)
class Job:
    """A cell with all that running it needs."""

    plan: Plan
    cell: Cell
    interpreter: Interpreter
    pins: PinnedList
    key: CellKey
    pairs: tuple[Pair, ...]
    earlier: CellFile | None


def standing(plan: Plan, cell: Cell) -> CellFile | None:
    """The newest results that a run of the cell finished with, under whatever key."""
    try:
        return read_cell_file(plan.result_file(cell)).standing
    except BadFile:
        return None


def write_results(job: Job, measured: CellFile, *, measured_at: str) -> CellFile:
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


def write_failure(plan: Plan, cell: Cell, stage: str, words: str, *, step: str = "") -> None:
    """A file that says why there is nothing to show.

    What an earlier run found stays in it, unseen: when the reason is gone, it need not be measured
    again.
    """
    facts = {**_planned_facts(plan, cell), "stage": stage, "error": words, "measured_at": now()}
    if step:
        facts["step"] = step
    file = CellFile(facts, earlier=standing(plan, cell))
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
    if cell.resolution.npm:
        facts["npm"] = list(cell.resolution.npm)
    if cell.origin is not None:
        facts["origin"] = asdict(cell.origin)
        facts["wheels"] = [asdict(wheel) for wheel in cell.resolution.wheels]
    if cell.yanked is not None:
        facts["yanked"] = cell.yanked
    return facts


def now() -> str:
    """This moment, as it stands in results: UTC, ISO 8601, whole seconds."""
    return datetime.now(timezone.utc).replace(microsecond=0).isoformat().replace("+00:00", "Z")
