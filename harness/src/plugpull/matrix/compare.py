"""What changed since an earlier run: verdicts by id, against its ``matrix.json``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.errors import UsageError
from plugpull.matrix.chance import beyond_chance
from plugpull.matrix.records import ERROR
from plugpull.matrix.results import BadFile, failed_of, read_schema

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plugpull.matrix.records import CellRecord
    from plugpull.matrix.results import Result

__all__ = ["Baseline", "Change", "Comparison", "compare", "read_baseline"]

_WORDS = {
    ("PASS", "FAIL"): "broke",
    ("FAIL", "PASS"): "fixed",
    ("ERROR", "PASS"): "runs again",
    ("ERROR", "FAIL"): "runs again",
    ("PASS", "ERROR"): "could not be judged",
    ("FAIL", "ERROR"): "could not be judged",
}


@dataclass(frozen=True, slots=True)
class Baseline:
    """An earlier run.

    Attributes:
        path: Its file.
        verdicts: By result id. A cell that could not be made stands there under its own id.
        varying: How many runs failed, and how many there were, of what depends on timing.
    """

    path: Path
    verdicts: dict[str, str]
    varying: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Change:
    """One verdict that is another one now.

    Attributes:
        id: The result's, or the cell's where it could not be made.
        before, after: The verdicts.
        detail: The reason for the new one.
        timing_dependent: Whether the next run may change it again.
    """

    id: str
    before: str
    after: str
    detail: str
    timing_dependent: bool = False

    @property
    def word(self) -> str:
        """``broke``, ``fixed``, ``runs again`` or ``could not be judged``."""
        return _WORDS.get((self.before, self.after), "changed")

    def to_json(self) -> dict[str, Any]:
        """One key per attribute, and the word."""
        return {
            "id": self.id,
            "before": self.before,
            "after": self.after,
            "word": self.word,
            "detail": self.detail,
            "timing_dependent": self.timing_dependent,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs beside each other.

    Attributes:
        baseline: The earlier run's file.
        same: How many verdicts are as they were.
        changed: Those that are not.
        by_chance: Those that are not either, where runs of the same thing differ as much.
        appeared: Ids that the earlier run did not have.
        gone: Ids that the earlier run had, of cells that this run asked for.
    """

    baseline: str
    same: int
    changed: tuple[Change, ...]
    appeared: tuple[str, ...]
    gone: tuple[str, ...]
    by_chance: tuple[Change, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """One key per attribute."""
        return {
            "baseline": self.baseline,
            "same": self.same,
            "changed": [change.to_json() for change in self.changed],
            "appeared": list(self.appeared),
            "gone": list(self.gone),
            "by_chance": [change.to_json() for change in self.by_chance],
        }


def read_baseline(path: Path | str) -> Baseline:
    """Read an earlier ``matrix.json``.

    Raises:
        UsageError: It is not there, is damaged, speaks another schema, or is no matrix's.
    """
    path = Path(path)
    try:
        data = read_schema(path)
    except BadFile as error:
        what = f"--compare: {path} cannot be compared with: {error}"
        raise UsageError(what, then="give the matrix.json of an earlier run") from error
    verdicts: dict[str, str] = {}
    varying: dict[str, tuple[int, int]] = {}
    for number, result in enumerate(data["results"]):
        identity = result.get("id")
        if not isinstance(identity, str):
            what = f"--compare: {path} is no matrix.json: results[{number}] has no id"
            raise UsageError(what, then="give the results/matrix.json of an earlier run")
        verdicts[identity] = result["verdict"]
        runs = result.get("runs")
        if result.get("timing_dependent") and isinstance(runs, dict):
            varying[identity] = failed_of(Counter(runs))
    cells = data.get("cells")
    for cell in cells if isinstance(cells, list) else []:
        if isinstance(cell, dict) and cell.get("state") == "error":
            verdicts[str(cell.get("id"))] = "ERROR"
    return Baseline(path, verdicts, varying)


def compare(
    baseline: Baseline, cells: Sequence[CellRecord], results: Sequence[Result]
) -> Comparison:
    """Compare the cells that this run asked for with the earlier run.

    A cell that could not be made now, and had verdicts then, is one change (and no list of results
    that are gone); the other way round its results are new and the cell's ERROR is gone.
    """
    asked = {cell.id: cell for cell in cells if cell.selected}
    now = {
        result.id: (result.verdict, result.detail, result.timing_dependent)
        for result in results
        if result.selected
    }
    counts = {result.id: failed_of(result.runs) for result in results if result.timing_dependent}
    unasked = {result.id for result in results if not result.selected}
    then = {each: verdict for each, verdict in baseline.verdicts.items() if each not in unasked}
    changed = []
    for identity, cell in asked.items():
        broken, was_broken = cell.state == ERROR, then.get(identity) == "ERROR"
        if broken and was_broken:
            now[identity] = ("ERROR", cell.reason, False)
        elif broken:
            earlier = [then.pop(each) for each in list(then) if _of(each, identity)]
            if earlier:
                changed.append(Change(identity, _worst(earlier), "ERROR", cell.reason))
        elif was_broken:
            del then[identity]
            verdicts = [verdict for each, (verdict, *_) in now.items() if _of(each, identity)]
            if verdicts:
                changed.append(Change(identity, "ERROR", _worst(verdicts), "the cell runs"))
    same = 0
    by_chance: list[Change] = []
    for identity, (verdict, detail, timing) in now.items():
        before = then.get(identity)
        if before == verdict:
            same += 1
        elif before is not None:
            change = Change(identity, before, verdict, detail, timing)
            luck = _by_chance(change, baseline, counts.get(identity))
            (by_chance if luck else changed).append(change)
    return Comparison(
        baseline=str(baseline.path),
        same=same,
        changed=tuple(changed),
        appeared=tuple(each for each in now if each not in then),
        gone=tuple(
            each for each in then if each not in now and any(_of(each, cell) for cell in asked)
        ),
        by_chance=tuple(by_chance),
    )


def _by_chance(change: Change, baseline: Baseline, now: tuple[int, int] | None) -> bool:
    """Whether both verdicts may well come from the same share of failing runs."""
    if "ERROR" in {change.before, change.after} or now is None:
        return False
    # A baseline that does not say more was one run of its verdict.
    then = baseline.varying.get(change.id, (int(change.before == "FAIL"), 1))
    return not beyond_chance(then, now)


def _worst(verdicts: list[str]) -> str:
    return next(verdict for verdict in ("ERROR", "FAIL", "PASS") if verdict in verdicts)


def _of(identity: str, cell: str) -> bool:
    """Whether an id is a cell's own or one of its results'."""
    return identity == cell or identity.startswith(f"{cell}/")
