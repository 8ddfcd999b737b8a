"""From the cells' files to one matrix: what belongs to this plan, what is left out, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.matrix.compare import compare, read_baseline
from plugpull.matrix.declaration import read_declaration, undeclared
from plugpull.matrix.entrynames import check_names
from plugpull.matrix.expectations import read_expectations
from plugpull.matrix.expected import judge
from plugpull.matrix.files import write_json, write_whole
from plugpull.matrix.freshness import known_key, source_key
from plugpull.matrix.interpreters import Missing
from plugpull.matrix.kinds import kinds
from plugpull.matrix.markdown import markdown
from plugpull.matrix.records import ERROR, EXCLUDED, NOT_RUN, RAN, CellRecord, Collected, Problem
from plugpull.matrix.results import BadFile, read_cell_file
from plugpull.matrix.selection import result_selected
from plugpull.matrix.table import matrix_console, print_table
from plugpull.matrix.uvrun import gist

if TYPE_CHECKING:
    from rich.console import Console

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.expectations import Expectations
    from plugpull.matrix.plan import Plan
    from plugpull.matrix.results import CellFile, Result

__all__ = ["collect", "collect_and_report", "write_reports"]


def collect_and_report(plan: Plan, *, console: Console | None = None) -> int:
    """Collect, write ``matrix.json`` and ``matrix.md``, print the table, and return the exit code.

    Args:
        plan: The run's plan.
        console: Where the table is printed. Standard output if not given.

    Raises:
        UsageError: The file of ``--compare`` cannot be compared with.
    """
    collected = collect(plan)
    write_reports(collected, plan.results)
    print_table(collected, console or matrix_console(), results=plan.results)
    return collected.exit_code


def collect(plan: Plan) -> Collected:
    """Read the files of this plan's cells, and those of cells measured earlier.

    Args:
        plan: The run's plan.

    Raises:
        UsageError: The file of ``--compare`` cannot be compared with, or that of the expectations
            has a mistake.
    """
    # Before anything is read: it is the user's own mistake, if it is one.
    options = plan.options
    baseline = read_baseline(options.compare) if options.compare else None
    expectations = _expectations(plan) if options.expectations else None
    records: list[CellRecord] = []
    results: list[Result] = []
    problems: list[Problem] = []
    for cell in plan.cells:
        record, own = _selected(plan, cell, problems)
        records.append(record)
        results += own
    for record, own in _earlier(plan, problems):
        records.append(record)
        results += own
    collected = Collected(
        cells=tuple(records),
        results=tuple(results),
        problems=tuple(problems),
        created=plan.created,
        strict=options.strict,
        skip_missing_interpreters=options.skip_missing_interpreters,
    )
    if expectations is not None:
        judged = judge(expectations, collected.cells, collected.results, narrowed=options.selects)
        collected = replace(collected, results=judged.results, judged=judged)
    if baseline is not None:
        comparison = compare(baseline, collected.cells, collected.results)
        collected = replace(collected, comparison=comparison)
    return collected


def _expectations(plan: Plan) -> Expectations:
    """The entries, checked again: the file may have been edited since the plan was made."""
    expectations = read_expectations(Path(plan.options.expectations or ""))
    targets = plan.root / "targets"
    declaration = read_declaration(Path(plan.options.matrix), targets)
    frameworks = {framework.name: framework for framework in declaration.frameworks}
    for cell in plan.cells:
        if cell.framework not in frameworks:
            frameworks[cell.framework] = undeclared(cell.framework, declaration, targets)
    check_names(expectations, frameworks, () if plan.options.selects else plan.cells)
    return expectations


def write_reports(collected: Collected, folder: Path) -> None:
    """Write ``matrix.json`` and ``matrix.md``, each whole or not at all."""
    classified = {"kinds": [kind.to_json() for kind in kinds(collected)]}
    write_json(folder / "matrix.json", collected.to_json() | classified)
    write_whole(folder / "matrix.md", markdown(collected))


def _selected(plan: Plan, cell: Cell, problems: list[Problem]) -> tuple[CellRecord, list[Result]]:
    """A cell that this run asked for."""
    record = CellRecord(
        framework=cell.framework,
        version=cell.version,
        python=cell.python,
        state=NOT_RUN,
        yanked=cell.yanked,
        notes=cell.notes,
    )
    if cell.excluded is not None:
        return replace(record, state=EXCLUDED, reason=cell.excluded), []
    if cell.impossible is not None:
        facts = {"id": cell.id, "stage": "install", "error": cell.impossible}
        reason = gist(cell.impossible)
        return replace(
            record, state=ERROR, reason=reason, words=cell.impossible, step="resolve", facts=facts
        ), []
    interpreter = plan.interpreter(cell)
    if isinstance(interpreter, Missing):
        return replace(record, reason=interpreter.reason, missing_interpreter=True), []
    path = plan.result_file(cell)
    name = str(path.relative_to(plan.results))
    try:
        file = read_cell_file(path)
    except BadFile as error:
        problems.append(Problem(name, error.kind, error.what))
        reason = "it left no result file" if error.kind == "missing" else f"{error.kind} file"
        return replace(record, reason=reason), []
    stale = _stale(plan, cell, file)
    if stale:
        problems.append(Problem(name, "stale", stale))
        return replace(record, reason=f"stale file ({stale})"), []
    # A cell that is asked for as a whole may be there for another reason than --only (--add).
    only = plan.options.only if plan.selection(cell).scenarios else ()
    return _as_filed(record, file, only, cell.asked)


def _as_filed(
    record: CellRecord, file: CellFile, only: tuple[str, ...] = (), asked: str = ""
) -> tuple[CellRecord, list[Result]]:
    record = replace(
        record,
        measured_at=file.text("measured_at"),
        not_supported=file.not_supported,
        facts=file.cell,
    )
    if file.error:
        step = file.text("step") or file.text("stage")
        failed = replace(record, state=ERROR, reason=gist(file.error), words=file.error, step=step)
        return failed, []
    results = [
        replace(
            result,
            selected=record.selected
            and result_selected(only, result.id, framework=record.framework, asked=asked),
        )
        for result in file.results(
            framework=record.framework, version=record.version, python=record.python
        )
    ]
    if (
        not any(result.selected for result in results)
        and record.selected
        and not (file.not_supported)
    ):
        return replace(record, reason="it has nothing of what was selected"), results
    return replace(record, state=RAN), results


def _earlier(plan: Plan, problems: list[Problem]) -> list[tuple[CellRecord, list[Result]]]:
    """Cells that were measured earlier and that this run did not ask for."""
    known = {plan.result_file(cell).name for cell in plan.cells}
    found = []
    for path in sorted((plan.results / "cells").glob("*.json")):
        if path.name in known:
            continue
        name = str(path.relative_to(plan.results))
        try:
            file = read_cell_file(path)
            cell = _cell_of(file)
        except BadFile as error:
            problems.append(Problem(name, error.kind, error.what))
            continue
        if file.error:
            # It never ran, and nobody asks for it any more: a version that was mistyped, say.
            continue
        changed = source_key(plan, file.text("target")).differences(file)
        if changed:
            problems.append(Problem(name, "stale", _changed(changed)))
            continue
        record, results = _as_filed(cell, file)
        if results:
            found.append((record, results))
    return found


def _cell_of(file: CellFile) -> CellRecord:
    """The cell a file says it is about.

    Raises:
        BadFile: It does not say so.
    """
    names = ("framework", "version_planned", "python_asked", "target")
    if not all(file.text(name) for name in names):
        raise BadFile("damaged", f"cell does not say {', '.join(names)}")
    notes = file.cell.get("notes")
    return CellRecord(
        framework=file.text("framework"),
        version=file.text("version_planned"),
        python=file.text("python_asked"),
        state=RAN,
        yanked=file.text("yanked") if "yanked" in file.cell else None,
        notes=tuple(map(str, notes)) if isinstance(notes, list) else (),
        selected=False,
    )


def _stale(plan: Plan, cell: Cell, file: CellFile) -> str:
    """Why a file is not about this cell as it is now; ``""`` if it is."""
    if file.error:
        asked = cell.resolution
        then = (file.cell.get("requirements"), file.cell.get("constraints"))
        same = then == (list(asked.requirements), list(asked.constraints))
        return "" if same else _changed(["the declaration"])
    return _changed(known_key(plan, cell, file).differences(file))


def _changed(parts: list[str]) -> str:
    return f"{', '.join(parts)} changed since it was measured" if parts else ""
