"""Trying one version after the other for ``bisect``: as cells, with the cell's own runner.

What is measured goes where the matrix keeps its results, so that neither is done twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.cellrun import run_cell
from plugpull.matrix.chance import runs_to_be_sure
from plugpull.matrix.expansion import expand, rfc3339
from plugpull.matrix.found import within
from plugpull.matrix.freshness import state_folder
from plugpull.matrix.plan import Plan
from plugpull.matrix.results import BadFile, failed_of, read_cell_file
from plugpull.matrix.selection import Selection
from plugpull.matrix.tallies import Measured, Tally
from plugpull.matrix.uvrun import gist

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from plugpull.matrix.bisect_rows import Candidate
    from plugpull.matrix.cells import Cell
    from plugpull.matrix.declared import Declaration, Framework
    from plugpull.matrix.following import Follow
    from plugpull.matrix.index import Index
    from plugpull.matrix.interpreters import Interpreter
    from plugpull.matrix.options import MatrixOptions
    from plugpull.matrix.results import CellFile
    from plugpull.matrix.sources import Sources

__all__ = ["CellBench", "Setting", "Trial"]


@dataclass(frozen=True, slots=True)
class Setting:
    """What all versions of one search have in common.

    Attributes:
        root: The checkout.
        options: The matrix's options.
        declaration: Where rules and excludes are.
        framework: Whose versions are tried.
        python: The interpreter.
        follow: Which results are looked at.
        index: Asked for releases.
        sources: Builds commits.
        now: The moment of planning (UTC).
    """

    root: Path
    options: MatrixOptions
    declaration: Declaration
    framework: Framework
    python: Interpreter
    follow: Follow
    index: Index
    sources: Sources
    now: datetime

    def cell(self, candidate: Candidate) -> Cell:
        """The cell of a version, as the matrix would make it."""
        name = self.python.python
        framework = replace(self.framework, entries=(candidate.entry,), pythons=(name,))
        (cell,) = expand(
            [framework],
            replace(self.declaration, excludes=()),
            self.index,
            {name: self.python},
            now=self.now,
            repeat=self.options.repeat,
            as_of=self.options.as_of,
            sources=self.sources,
        )[:1]
        for exclude in self.declaration.excludes:
            if (
                exclude.framework == cell.framework
                and exclude.python in {None, name}
                and within(cell.origin.version if cell.origin else cell.version, exclude.versions)
            ):
                cell = replace(cell, excluded=exclude.reason)
        return cell

    def plan(self, cell: Cell, results: Path | None = None) -> Plan:
        """A plan for one cell."""
        selection = Selection(self.follow.scenarios, self.follow.variants)
        return Plan(
            cells=(cell,),
            options=self.options,
            created=rfc3339(self.now),
            results=results or self.results,
            root=self.root,
            interpreters={self.python.python: self.python},
            selections={cell.session: selection},
        )

    @property
    def results(self) -> Path:
        """Where the matrix keeps its results."""
        return Path(self.options.results)


@dataclass(slots=True)
class Trial:
    """A version that was tried.

    Attributes:
        measured: What came out, over all runs.
        cell: Its cell.
        lock: What was installed, as ``name==version``.
        kept: Whether nothing had to be run.
    """

    measured: Measured
    cell: Cell | None = None
    lock: tuple[str, ...] = ()
    kept: bool = False


@dataclass(slots=True)
class CellBench:
    """See :class:`~plugpull.matrix.bisection.Bench`."""

    setting: Setting
    row: Sequence[Candidate]
    say: Callable[[str], None]
    tried: dict[int, Trial] = field(default_factory=dict)

    def measure(self, at: int) -> Measured:
        """Run the cell of a version, unless its results are there."""
        if at not in self.tried:
            self.tried[at] = self._try(at)
            self._tell(at)
        return self.tried[at].measured

    def again(self, at: int) -> Measured:
        """Run what depends on timing again, as often as so far, and add up."""
        earlier = self.tried[at]
        if earlier.cell is None:
            return earlier.measured
        most = max((t.runs for t in earlier.measured.tallies.values() if t.varies), default=0)
        cell = replace(earlier.cell, repeat=max(most, runs_to_be_sure()))
        more = self.run(cell)
        tallies = dict(earlier.measured.tallies)
        for name, tally in more.measured.tallies.items():
            before = tallies.get(name)
            if before is None or tally.varies or before.varies:
                tallies[name] = _added(before, tally)
        self.tried[at] = replace(earlier, measured=Measured(tallies, more.measured.unusable))
        self._tell(at)
        return self.tried[at].measured

    def run(self, cell: Cell, results: Path | None = None) -> Trial:
        """Run a cell, and read what is followed from its file."""
        plan = self.setting.plan(cell, results)
        reason = plan.not_run(cell)
        if reason is not None:
            return Trial(Measured({}, gist(reason)))
        outcome = run_cell(plan, cell, self.setting.root)
        try:
            file = read_cell_file(plan.result_file(cell))
        except BadFile as error:
            return Trial(Measured({}, outcome.skip_reason or str(error)))
        if file.error:
            return Trial(Measured({}, gist(file.error)))
        lock = file.cell.get("lock")
        return Trial(
            self._read(file, cell),
            cell,
            tuple(map(str, lock)) if isinstance(lock, list) else (),
            kept="kept from" in outcome.summary,
        )

    @property
    def scratch(self) -> Path:
        """Where results go that are about no release as its users had it."""
        return state_folder(self.setting.root).root / "bisect"

    def _try(self, at: int) -> Trial:
        return self.run(self.setting.cell(self.row[at]))

    def _read(self, file: CellFile, cell: Cell) -> Measured:
        results = file.results(framework=cell.framework, version=cell.version, python=cell.python)
        tallies: dict[str, Tally] = {}
        errors = []
        for result in results:
            tail = result.id.removeprefix(f"{result.cell}/")
            if not self.setting.follow.matches(tail):
                continue
            if result.verdict == "ERROR":
                errors.append(f"ERROR: {tail}: {result.detail}")
                continue
            failed, runs = failed_of(result.runs)
            tallies[tail] = Tally(failed, runs, result.timing_dependent, result.detail)
        if tallies:
            return Measured(tallies)
        if errors:
            return Measured({}, gist(errors[0]))
        text = self.setting.follow.text
        there = {f"{result.scenario}/{result.variant}/{result.point}": None for result in results}
        if there and not any(trial.measured.tallies for trial in self.tried.values()):
            # Most likely misspelt; asking every release would take long to find that out.
            raise UsageError(
                f"{text}: {cell.id} has no result like that", then=f"it has: {', '.join(there)}"
            )
        return Measured({}, f"it has no result like {text}")

    def _tell(self, at: int) -> None:
        candidate, trial = self.row[at], self.tried[at]
        measured = trial.measured
        if measured.unusable:
            said = f"stepped past: {measured.unusable}"
        else:
            tallies = shortened(measured.tallies)
            said = ", ".join(f"{name} {tally.text}" for name, tally in tallies.items())
            said += " (measured earlier)" if trial.kept else ""
        self.say(f"  {candidate.text}: {said}")


def shortened(tallies: Mapping[str, Tally]) -> dict[str, Tally]:
    """The same without the front that all names have in common."""
    names = list(tallies)
    front = 0
    while len({tuple(name.split("/")[: front + 1]) for name in names}) == 1 and all(
        name.count("/") > front for name in names
    ):
        front += 1
    return {"/".join(name.split("/")[front:]): tally for name, tally in tallies.items()}


def _added(one: Tally | None, other: Tally) -> Tally:
    if one is None:
        return other
    failed, runs = one.failed + other.failed, one.runs + other.runs
    return Tally(failed, runs, varies=True, detail=other.detail if other.failed else one.detail)
