"""A cell's environment, ready to be used by something else than the matrix itself.

The matrix runs a cell and files what came of it. Reports, shells and upgrades need the same
environment, made the same way and under the same lock, and do something else in it.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugpull.errors import PlugpullError
from plugpull.matrix.cellrun import core_environment
from plugpull.matrix.environments import harness_wheel, make_environment
from plugpull.matrix.files import FileLock, temporary_folder
from plugpull.matrix.freshness import pins_of, state_folder
from plugpull.matrix.interpreters import Interpreter
from plugpull.matrix.interrupts import Interrupts, Supervised
from plugpull.matrix.npm import npm_packages
from plugpull.matrix.proven import not_proven
from plugpull.matrix.results import BadFile, read_cell_file
from plugpull.matrix.uvrun import EnvironmentFailure, last_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.pins import PinnedList
    from plugpull.matrix.plan import Plan
    from plugpull.matrix.results import CellFile

__all__ = ["Prepared", "interpreter_of", "prepared"]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A cell whose environment is there and locked.

    Attributes:
        plan: The plan.
        cell: One of its cells.
        interpreter: What the environment was made from.
        pins: What it holds.
        wheel: The harness, held beside that.
        python: The environment's own Python.
        lock: Held as long as the environment is in use.
    """

    plan: Plan
    cell: Cell
    interpreter: Interpreter
    pins: PinnedList
    wheel: Path
    python: Path
    lock: FileLock

    def core(self, arguments: Sequence[str], *, quiet: bool = False) -> CellFile:
        """Run the harness in the environment on the cell's target, and read its report.

        Args:
            arguments: What it is asked for, besides the target.
            quiet: Keep its progress to ourselves.

        Raises:
            PlugpullError: It left no report; the reason is its own last words. Or it is not proven
                that the version that was asked for is the one that was imported.
            KeyboardInterrupt, SystemExit: Stopped.
        """

        def relay(line: str) -> None:
            if not quiet:
                print(f"{self.cell.session}: {line}", file=sys.stderr, flush=True)

        folder = self.python.parents[1]
        with temporary_folder(folder) as scratch, Interrupts() as interrupts:
            report = scratch / "report.json"
            command = [str(self.python), "-m", "plugpull", "--target", self.cell.target]
            command += ["--targets", str(self.plan.root / "targets")]
            command += [*arguments, "--report", str(report), "--progress"]
            with interrupts.held():
                process = Supervised(
                    command,
                    env=core_environment(self.python),
                    cwd=scratch,
                    keeps=[self.lock.handle],
                    relay=relay,
                )
            code = process.wait()
            try:
                file = read_cell_file(report)
            except BadFile as error:
                words = last_words("\n".join(_from_its_error(process.tail))) or str(error)
                raise PlugpullError(
                    f"{self.cell.id}: the harness ended with {code} and left no report", why=words
                ) from error
            wrong = not_proven(self.cell, folder, file)
            if wrong:
                raise PlugpullError(f"{self.cell.id}: {wrong}")
            return file


def _from_its_error(lines: Sequence[str]) -> Sequence[str]:
    """The end of what the harness said, from its own error on, if it is one of its own."""
    errors = [at for at, line in enumerate(lines) if line.startswith("plugpull: ")]
    return lines[errors[-1] :] if errors else lines


def interpreter_of(plan: Plan, cell: Cell) -> Interpreter:
    """The Python of a cell that can be run.

    Raises:
        PlugpullError: The cell is excluded or impossible, or its Python is not there.
    """
    reason = plan.not_run(cell)
    found = plan.interpreter(cell)
    if reason is not None or not isinstance(found, Interpreter):
        raise PlugpullError(f"{cell.id}: {reason}", then="nox -s list shows every cell and why")
    return found


@contextlib.contextmanager
def prepared(plan: Plan, cell: Cell) -> Iterator[Prepared]:
    """Make a cell's environment, or set an earlier one right, and hold it.

    Raises:
        PlugpullError: It cannot be made. What there was of it is gone then.
    """
    interpreter = interpreter_of(plan, cell)
    state = state_folder(plan.root)
    folder = state.environments / cell.folder
    with FileLock(state.environments / f"{cell.folder}.lock") as lock:
        pins = pins_of(plan, cell, interpreter)
        wheel = harness_wheel(plan.root / "harness", state)
        try:
            node_modules = npm_packages(cell.resolution.npm, state)
            python = make_environment(
                folder, interpreter, pins, wheel, label=cell.id, node_modules=node_modules
            )
        except EnvironmentFailure:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        yield Prepared(plan, cell, interpreter, pins, wheel, python, lock)
