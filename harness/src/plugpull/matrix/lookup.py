"""From an id or a session's name to the cell it is about, as it was measured or as it is declared.

A result is repeated in the very environment it was measured in, so a cell's result file comes
first: it says what was asked of the resolver. Where there is none, the declaration does.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.cells import Cell, Origin, Resolution, Wheel
from plugpull.matrix.declaration import read_declaration
from plugpull.matrix.described import declared_cells
from plugpull.matrix.expansion import rfc3339
from plugpull.matrix.files import read_object
from plugpull.matrix.index import OnlineIndex
from plugpull.matrix.interpreters import find_all
from plugpull.matrix.options import MatrixOptions, parse_options
from plugpull.matrix.plan import Plan, now_utc
from plugpull.matrix.planning import make_plan
from plugpull.matrix.results import BadFile, CellFile, read_cell_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["Looked", "look_up", "near"]

_CELL = re.compile(r"(?P<version>[^/]+?)[/-]py(?P<python>[0-9]+\.[0-9]+)(?:/(?P<rest>.+))?")
#: Its only version is the harness's own.
HARNESS_TARGET = "reference"
#: So many near matches are named.
_NEAR = 3


@dataclass(frozen=True, slots=True)
class Looked:
    """What a text led to.

    Attributes:
        plan: A plan with that one cell.
        cell: The cell.
        rest: What stood behind the cell: scenario, variant, fault point, detail.
        measured: The cell's results, if it was measured and its environment is known by that.
    """

    plan: Plan
    cell: Cell
    rest: tuple[str, ...]
    measured: CellFile | None


def look_up(
    text: str, *, root: Path, shared: Sequence[str] = (), cwd: Path | None = None
) -> Looked:
    """The cell that an id, the front of one, or a session's name is about.

    Args:
        text: ``langgraph-1.2.11/py3.13/...`` or ``langgraph-1.2.11-py3.13``.
        root: The checkout.
        shared: Options as of the matrix: ``--matrix``, ``--results``, ``--download-python``.
        cwd: The folder in which nox was started.

    Raises:
        UsageError: There is no such cell; near ones are named.
        PlugpullError: It cannot be run, or the index cannot be asked.
    """
    options = parse_options(shared, root=root, cwd=cwd, session="repro")
    found = _CELL.fullmatch(text.strip().rstrip("/"))
    if found is None:
        raise UsageError(
            f"{text!r} is no id of a result or a cell",
            why="an id begins like langgraph-1.2.11/py3.13",
            then=near(text, _known(options, root)) or "nox -s list shows the cells",
        )
    rest = tuple((found["rest"] or "").split("/")) if found["rest"] else ()
    session = f"{found['version']}-py{found['python']}"
    measured = _measured(Path(options.results), session)
    if measured is not None:
        cell = _cell_of(measured, found["version"], found["python"])
        pythons = find_all([cell.python], download=options.download_python)
        plan = Plan(
            cells=(cell,),
            options=options,
            created=rfc3339(now_utc().replace(microsecond=0)),
            results=Path(options.results),
            root=root,
            interpreters=dict(pythons),
        )
        return Looked(plan, cell, rest, measured)
    plan = _declared(text, found["version"], found["python"], options, root)
    return Looked(plan, plan.cell(session), rest, None)


def near(text: str, known: Iterable[str]) -> str:
    """``did you mean ...?`` with the nearest of the known texts; empty if none is near.

    Where nothing is near the whole text, its front is looked at: the cell.
    """
    texts = sorted(set(known))
    close = difflib.get_close_matches(text, texts, n=_NEAR)
    if not close:
        close = difflib.get_close_matches("/".join(text.split("/")[:2]), texts, n=_NEAR)
    return f"did you mean {' or '.join(close)}?" if close else ""


def _measured(results: Path, session: str) -> CellFile | None:
    """The cell's results, if they say what was asked of the resolver."""
    try:
        file = read_cell_file(results / "cells" / f"{session}.json").standing
    except BadFile:
        return None
    if file is None or not isinstance(file.cell.get("requirements"), list):
        return None
    wheels = file.cell.get("wheels") or ()
    if any(not Path(str(wheel.get("path"))).is_file() for wheel in wheels):
        return None  # What was built is gone; the declaration may still lead to it.
    return file


def _cell_of(file: CellFile, version: str, python: str) -> Cell:
    facts = file.cell
    origin = facts.get("origin")
    framework = file.text("framework")
    try:
        return Cell(
            framework=framework,
            distribution=file.text("distribution"),
            version=version.removeprefix(f"{framework}-"),
            python=python,
            target=file.text("target"),
            asked=file.text("version_asked"),
            source=file.text("source") or "index",
            origin=Origin(**{**origin, "changed": tuple(origin["changed"])}) if origin else None,
            resolution=Resolution(
                requirements=tuple(facts["requirements"]),
                constraints=tuple(facts["constraints"]),
                npm=tuple(facts.get("npm", ())),
                as_of=facts.get("as_of"),
                as_of_asked=file.text("as_of_asked"),
                wheels=tuple(Wheel(**wheel) for wheel in facts.get("wheels") or ()),
            ),
        )
    except (KeyError, TypeError) as error:
        raise PlugpullError(
            f"the results of {version}/py{python} do not say how they were measured: {error!r}",
            then="measure it again: nox -s matrix -- --fresh",
        ) from error


def _declared(text: str, version: str, python: str, options: MatrixOptions, root: Path) -> Plan:
    """A plan with the cell, as the declaration has it or would have it."""
    declaration = read_declaration(Path(options.matrix), root / "targets")
    targets = [path.parent.name for path in (root / "targets").glob("*/target.json")]
    names = {framework.name for framework in declaration.frameworks} | set(targets) - {"control"}
    fitting = [name for name in names if version.startswith(f"{name}-")]
    if not fitting:
        raise UsageError(
            f"{text}: there is no framework of that name",
            then=near(text, [*_known(options, root), *names])
            or f"there are: {', '.join(sorted(names))}",
        )
    name = max(fitting, key=len)
    number = version.removeprefix(f"{name}-")
    only = f"{name}-{number}/py{python}"
    if python not in declaration.pythons:
        raise UsageError(
            f"{text}: there is no Python {python} in {declaration.path}",
            then=near(text, _known(options, root)) or f"it has: {', '.join(declaration.pythons)}",
        )
    wanted = MatrixOptions(
        only=(only,),
        python=(python,),
        matrix=options.matrix,
        results=options.results,
        timeout=options.timeout,
        download_python=options.download_python,
    )
    try:
        plan = _planned(wanted, name, number, root)
        cell = plan.cell(f"{name}-{number}-py{python}")
    except UsageError as error:
        known = [*_known(options, root), *_cells_of(wanted, name, root)]
        raise UsageError(
            f"{text}: there is no such cell",
            why=error.what,
            then=near(text, known) or "nox -s list shows the cells",
        ) from error
    # uv would say so too, without a word on what there is instead.
    absent = next((note for note in cell.notes if " has no release " in note), None)
    if absent is not None:
        raise UsageError(f"{text}: {absent}", then=near(text, _known(options, root)))
    return plan


def _planned(wanted: MatrixOptions, name: str, number: str, root: Path) -> Plan:
    """A plan with the version as it is declared, else with one that is not.

    Raises:
        UsageError: It is no version either.
    """
    index = OnlineIndex()
    try:
        return make_plan(wanted, root=root, index=index)
    except UsageError:
        if name == HARNESS_TARGET:
            raise
    return make_plan(replace(wanted, add=((name, number),)), root=root, index=index)


def _cells_of(wanted: MatrixOptions, name: str, root: Path) -> list[str]:
    """The ids of a framework's cells, as far as they can be found out."""
    try:
        plan = make_plan(replace(wanted, only=(name,)), root=root, index=OnlineIndex())
    except PlugpullError:
        return []
    return [cell.id for cell in plan.cells]


def _known(options: MatrixOptions, root: Path) -> list[str]:
    """Ids that exist: of measured results, of their cells, and of declared cells."""
    known: list[str] = []
    try:
        results = read_object(Path(options.results) / "matrix.json").get("results")
    except (OSError, ValueError):
        results = None
    for one in results if isinstance(results, list) else ():
        if isinstance(one, dict) and isinstance(one.get("id"), str):
            known += [one["id"], "/".join(one["id"].split("/")[:2])]
    known += [
        re.sub(r"-py([0-9.]+)$", r"/py\1", path.stem)
        for path in (Path(options.results) / "cells").glob("*.json")
    ]
    try:
        declaration = read_declaration(Path(options.matrix), root / "targets")
    except UsageError:
        return known
    return known + [
        re.sub(r"-py([0-9.]+)$", r"/py\1", cell.session) for cell in declared_cells(declaration)
    ]
