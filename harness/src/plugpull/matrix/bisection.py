"""The search behind ``bisect``: between two versions, the first one whose verdicts differ.

It knows versions by their place in a row, and verdicts by what it is told. A version of which
nothing can be said is stepped past. A verdict that depends on timing is measured again until it is
clear to which end of the row it belongs.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, Protocol

from plugpull.errors import PlugpullError
from plugpull.matrix.chance import SURE, beyond_chance, runs_to_be_sure
from plugpull.matrix.tallies import share, weight

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugpull.matrix.tallies import Measured, Tally

__all__ = ["Bench", "Change", "NoChange", "Outcome", "search"]

#: Runs of a timing-dependent verdict on one version, after which it counts as undecided.
MOST_RUNS = 80
#: Shares of failing runs that are this near to each other are not worth more runs.
NEAR = 0.1


class Bench(Protocol):
    """Whatever can try a version."""

    def measure(self, at: int) -> Measured:
        """What is known of the version at a place in the row; it is run if nothing is."""
        ...

    def again(self, at: int) -> Measured:
        """The same after at least as many further runs of what depends on timing."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """Where some verdicts changed.

    Attributes:
        before: The last version with the old verdicts.
        at: The first one with the new ones.
        between: Versions between the two of which nothing could be said.
        followed: What changed there.
    """

    before: int
    at: int
    between: tuple[int, ...]
    followed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search found.

    Attributes:
        low, high: The ends that were compared: the outermost versions that could be run.
        changes: In the order of the row. Never empty.
        unchanged: What was followed and did not change.
        chance: What differed by no more than chance.
        one_sided: What only one end has a verdict for.
    """

    low: int
    high: int
    changes: tuple[Change, ...]
    unchanged: tuple[str, ...]
    chance: tuple[str, ...]
    one_sided: tuple[str, ...]


class NoChange(PlugpullError):
    """The two ends of the row have the same verdicts, or cannot be compared."""


def search(count: int, bench: Bench) -> Outcome:
    """Find every place in a row of versions where a verdict of the one end became the other's.

    Args:
        count: How many versions there are.
        bench: Tries them.

    Raises:
        NoChange: There is nothing to be found.
    """
    return _Search(count, bench).run()


class _Search:
    def __init__(self, count: int, bench: Bench) -> None:
        self._count = count
        self._bench = bench
        self._past: set[int] = set()
        self._tried: set[int] = set()

    def run(self) -> Outcome:
        low, high = self._end(range(self._count)), self._end(reversed(range(self._count)))
        if low is None or high is None or low >= high:
            raise NoChange(
                "there are no two versions in the range that can be run",
                then="choose a wider range, or another Python with --python",
            )
        self._low, self._high = low, high
        mine, other = self._tallies(low), self._tallies(high)
        both = [name for name in mine if name in other]
        if not both:
            raise NoChange(
                "the two ends of the range have no result in common",
                why=f"the first has: {_list(mine)}; the last has: {_list(other)}",
                then="follow something that both have",
            )
        differ = [name for name in both if mine[name].verdict != other[name].verdict]
        pending = [name for name in both if self._differs(name)]
        chance = tuple(name for name in differ if name not in pending)
        if not pending:
            raise NoChange(
                "nothing changed between the two ends of the range",
                why="; ".join(f"{name}: {self._ends(name)}" for name in both),
                then="choose a wider range, or follow something else",
            )
        return Outcome(
            low=low,
            high=high,
            changes=tuple(self._changes(pending)),
            unchanged=tuple(name for name in both if name not in {*pending, *chance}),
            chance=chance,
            one_sided=tuple(name for name in {**mine, **other} if name not in both),
        )

    def _end(self, places: Iterable[int]) -> int | None:
        """The outermost version that can be run."""
        for at in places:
            if at not in self._past and not self._bench.measure(at).unusable:
                return at
            self._past.add(at)
        return None

    def _tallies(self, at: int) -> Mapping[str, Tally]:
        return self._bench.measure(at).tallies

    def _ends(self, name: str) -> str:
        return f"{self._tallies(self._low)[name].text} and {self._tallies(self._high)[name].text}"

    def _differs(self, name: str) -> bool:
        """Whether the two ends differ; if by chance perhaps, they run until that is clear."""
        while True:
            one, other = (self._tallies(at)[name] for at in (self._low, self._high))
            if not (one.varies or other.varies):
                return one.verdict != other.verdict
            if beyond_chance((one.failed, one.runs), (other.failed, other.runs)):
                return True
            runs = min(one.runs, other.runs)
            near = abs(share(one) - share(other)) < NEAR
            if runs >= MOST_RUNS or (near and runs >= runs_to_be_sure()):
                return False
            self._bench.again(self._low)
            self._bench.again(self._high)

    def _changes(self, pending: list[str]) -> Iterable[Change]:
        low = self._low
        while pending:
            before, at = self._narrow(low, self._high, pending)
            changed = [name for name in pending if self._is_new(at, name)]
            between = tuple(range(before + 1, at))
            yield Change(before, at, between, tuple(changed))
            pending = [name for name in pending if name not in changed]
            low = at

    def _narrow(self, low: int, high: int, pending: list[str]) -> tuple[int, int]:
        """Neighbours but for what is stepped past: all old at the first, something new after."""
        while True:
            middle = (low + high) // 2
            inner = [at for at in range(low + 1, high) if at not in self._past]
            if not inner:
                return low, high
            # What has been tried already costs nothing.
            known = [at for at in inner if at in self._tried]
            at = min(known or inner, key=lambda place: (abs(place - middle), place))
            sides = [self._is_new(at, name) for name in pending]
            if any(sides):
                high = at
            elif None in sides:
                self._past.add(at)
            else:
                low = at

    def _is_new(self, at: int, name: str) -> bool | None:
        """Whether a verdict is that of the far end; ``None`` if that cannot be told."""
        if at == self._high:
            return True
        measured = self._bench.measure(at)
        self._tried.add(at)
        while True:
            tally = measured.tallies.get(name)
            if measured.unusable or tally is None:
                return None
            old, new = self._tallies(self._low)[name], self._tallies(self._high)[name]
            if not (tally.varies or old.varies or new.varies):
                return tally.verdict == new.verdict
            leaning = weight(tally, old, new)
            if abs(leaning) >= log((1 - SURE) / SURE):
                return leaning > 0
            if tally.runs >= MOST_RUNS:
                return None
            measured = self._bench.again(at)


def _list(names: Iterable[str]) -> str:
    return ", ".join(names) or "nothing"
