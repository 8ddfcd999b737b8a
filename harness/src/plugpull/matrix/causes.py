"""What a change came with: the version itself, or another package that came along with it.

A release is judged with what its users got at that time, so two neighbours may differ in more than
themselves. Whether that matters is tried out: the newer one is run with everything else as it was
for the older one, or, where that cannot be installed, the older one with what the newer one had.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from plugpull.matrix.tallies import leans_to_new

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.matrix.bisect_bench import CellBench, Trial
    from plugpull.matrix.cells import Cell

__all__ = ["Cause", "Difference", "differences", "find_cause"]

#: As many packages are tried one by one.
MOST_PACKAGES = 8

_PINNED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?==([^\s;]+)")


@dataclass(frozen=True, slots=True)
class Difference:
    """A package that is not the same on both sides.

    Attributes:
        name: The distribution.
        before, after: Its versions; ``""`` where it is not installed.
    """

    name: str
    before: str
    after: str

    @property
    def text(self) -> str:
        """For people."""
        if self.before and self.after:
            return f"{self.name} {self.before} -> {self.after}"
        return f"{self.name} {self.after} (new)" if self.after else f"{self.name} (gone)"


@dataclass(frozen=True, slots=True)
class Cause:
    """Where the change comes from.

    Attributes:
        kind: ``itself``, ``dependency``, ``both`` or ``unknown``.
        text: What was tried, and what that means.
        packages: The packages that bring the change about, if they could be told.
    """

    kind: str
    text: str
    packages: tuple[Difference, ...] = ()


def differences(before: Iterable[str], after: Iterable[str], own: str) -> tuple[Difference, ...]:
    """What else differs between two pinned lists.

    Args:
        before: Lines of ``name==version``.
        after: Likewise.
        own: The distribution under test, which is left out.
    """
    old, new = _versions(before), _versions(after)
    names = sorted({*old, *new} - {str(canonicalize_name(own))})
    return tuple(
        Difference(name, old.get(name, ""), new.get(name, ""))
        for name in names
        if old.get(name) != new.get(name)
    )


def find_cause(
    bench: CellBench,
    older: Trial,
    newer: Trial,
    names: Sequence[str],
    others: tuple[Difference, ...],
) -> Cause:
    """Find out whether a change goes away when nothing but the version itself differs.

    Args:
        bench: Runs the trials.
        older: The last version with the old verdicts.
        newer: The first one with the new ones.
        names: What changed.
        others: What else differs between the two.
    """
    if newer.cell is None or older.cell is None:
        return Cause("unknown", "it could not be tried")
    return _Trials(bench, older, newer, names, others).cause()


class _Trials:
    def __init__(
        self,
        bench: CellBench,
        older: Trial,
        newer: Trial,
        names: Sequence[str],
        others: tuple[Difference, ...],
    ) -> None:
        self._bench, self._older, self._newer = bench, older, newer
        self._names, self._others = names, others
        assert older.cell is not None
        assert newer.cell is not None
        self._old, self._new = older.cell, newer.cell

    def cause(self) -> Cause:
        own, new = self._old.version, self._new.version
        if not self._others:
            return Cause("itself", f"nothing else differs: the change came with {new} itself")
        held = [f"{each.name}=={each.before}" for each in self._others if each.before]
        changed, why = self._still_changed(self._new, held)
        if changed is None:
            return self._other_way_round(why)
        if not changed:
            return self._dependency()
        as_before = f"with all of that as it was for {own}"
        if len(changed) < len(self._names):
            return Cause("both", f"{as_before}, {new} changes only {', '.join(changed)}")
        text = f"{as_before}, {new} gives its new verdicts all the same: they came with {new}"
        return Cause("itself", f"{text} itself")

    def _other_way_round(self, why: str) -> Cause:
        """The older version with what the newer one had."""
        own, new = self._old.version, self._new.version
        brought = [f"{each.name}=={each.after}" for each in self._others if each.after]
        changed, why_not = self._still_changed(self._old, brought)
        cannot = f"{new} cannot be run with what {own} had ({why})"
        if changed is None:
            text = f"it cannot be told apart: {cannot}, nor {own} with what {new} had ({why_not})"
            return Cause("unknown", text)
        if changed:
            text = f"{cannot}; with what {new} had, {own} gives the new verdicts as well"
            return Cause("dependency", f"{text}: a transitive dependency is the cause")
        text = f"{cannot}; with what {new} had, {own} gives its old verdicts all the same"
        return Cause("itself", f"{text}: the change came with {new} itself")

    def _dependency(self) -> Cause:
        """Which of the packages it is: each in turn is let free, the rest stays as it was."""
        text = (
            f"with all of that as it was for {self._old.version}, {self._new.version} gives the "
            "old verdicts: a transitive dependency is the cause"
        )
        found = self._others if len(self._others) == 1 else ()
        for one in self._others if 1 < len(self._others) <= MOST_PACKAGES else ():
            rest = [f"{e.name}=={e.before}" for e in self._others if e.before and e != one]
            changed, _ = self._still_changed(self._new, rest)
            if changed:
                found = (one,)
                break
        return Cause("dependency", f"{text}: {found[0].text}" if found else text, found)

    def _still_changed(self, cell: Cell, pins: Sequence[str]) -> tuple[list[str] | None, str]:
        """Which verdicts are the new ones when a version is run beside these packages.

        ``None`` and the reason if that cannot be found out.
        """
        asked = cell.resolution
        constraints = (*asked.constraints, *pins)
        as_of = self._new.resolution.as_of
        resolution = replace(asked, constraints=constraints, as_of=as_of)
        trial = self._bench.run(replace(cell, resolution=resolution), self._bench.scratch)
        missing = [name for name in self._names if name not in trial.measured.tallies]
        if trial.measured.unusable or missing:
            return None, trial.measured.unusable or f"no verdict for {', '.join(missing)}"
        return [name for name in self._names if self._is_new(trial, name)], ""

    def _is_new(self, trial: Trial, name: str) -> bool:
        old, new = (each.measured.tallies[name] for each in (self._older, self._newer))
        return leans_to_new(trial.measured.tallies[name], old, new)


def _versions(lines: Iterable[str]) -> dict[str, str]:
    matches = (_PINNED.match(line) for line in lines)
    return {str(canonicalize_name(match[1])): match[2] for match in matches if match}
