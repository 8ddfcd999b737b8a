"""The search behind bisect, over planted rows of versions and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

import pytest
from plugpull.matrix.bisection import MOST_RUNS, NoChange, Outcome, search
from plugpull.matrix.tallies import Measured, Tally

#: What a version does: a verdict for each name, a share of failing runs, or nothing at all.
Planted = dict[str, str | float] | None


class PlantedBench:
    """Versions whose verdicts are written down beforehand."""

    def __init__(self, row: Sequence[Planted], runs: int = 5) -> None:
        self.row = row
        self.first = runs
        self.runs: dict[int, int] = {}

    def measure(self, at: int) -> Measured:
        """What the row says, from a few runs of what varies."""
        planted = self.row[at]
        runs = self.runs.setdefault(at, self.first)
        if planted is None:
            return Measured({}, "it cannot be installed")
        return Measured({name: _tally(value, runs) for name, value in planted.items()})

    def again(self, at: int) -> Measured:
        """The same from twice as many."""
        self.runs[at] *= 2
        return self.measure(at)


def _tally(value: str | float, runs: int) -> Tally:
    if isinstance(value, str):
        return Tally(int(value == "FAIL"), 1)
    return Tally(round(value * runs), runs, varies=True)


def row(text: str) -> list[Planted]:
    """``PPFF``: four versions of one verdict; ``.`` is one that cannot be run."""
    verdicts = {"P": "PASS", "F": "FAIL"}
    return [{"a": verdicts[letter]} if letter in verdicts else None for letter in text]


def found(planted: Sequence[Planted]) -> tuple[Outcome, PlantedBench]:
    """The search's outcome, and what it took."""
    bench = PlantedBench(planted)
    return search(len(planted), bench), bench


@pytest.mark.parametrize("count", [2, 3, 8, 9, 72])
@pytest.mark.parametrize("turn", ["PF", "FP"])
def test_the_first_that_changed_is_found_wherever_it_is(count: int, turn: str) -> None:
    """At every place, in either direction, with no more versions than halving takes."""
    for at in range(1, count):
        outcome, bench = found(row(turn[0] * at + turn[1] * (count - at)))
        (change,) = outcome.changes
        assert (change.before, change.at, change.between) == (at - 1, at, ())
        assert change.followed == ("a",)
        assert len(bench.runs) <= 2 + ceil(log2(count))


@pytest.mark.parametrize(
    ("text", "before", "at", "between"),
    [
        ("P.F", 0, 2, (1,)),
        ("PP..FF", 1, 4, (2, 3)),
        ("P.PP.F.F", 3, 5, (4,)),
        ("PPP...F", 2, 6, (3, 4, 5)),
        ("P......PF", 7, 8, ()),
        ("PF......F", 0, 1, ()),
    ],
)
def test_what_cannot_be_run_is_stepped_past(
    text: str, before: int, at: int, between: tuple[int, ...]
) -> None:
    """The rest is searched all the same; only next to the change do the gaps stay in the answer."""
    (change,) = found(row(text))[0].changes
    assert (change.before, change.at, change.between) == (before, at, between)


def test_ends_that_cannot_be_run_are_stepped_past_too() -> None:
    """The outermost versions that can be run take their place."""
    outcome, _ = found(row("..PPFF.."))
    assert (outcome.low, outcome.high) == (2, 5)
    assert outcome.changes[0].at == 4


@pytest.mark.parametrize("text", ["....", "P...", "...F"])
def test_a_range_without_two_versions_is_an_error(text: str) -> None:
    """There is nothing to compare."""
    with pytest.raises(NoChange, match="no two versions") as caught:
        found(row(text))
    assert caught.value.exit_code == 2


def test_a_range_without_a_change_is_an_error() -> None:
    """It says what both ends gave."""
    with pytest.raises(NoChange, match="nothing changed") as caught:
        found([{"a": "PASS", "b": "FAIL"}] * 5)
    assert "a: PASS and PASS; b: FAIL and FAIL" in str(caught.value)


def test_only_the_ends_are_run_where_nothing_changed() -> None:
    """It takes two versions to know."""
    bench = PlantedBench(row("PFP"))
    with pytest.raises(NoChange):
        search(3, bench)
    assert set(bench.runs) == {0, 2}


def test_every_verdict_of_the_set_is_followed_to_its_own_change() -> None:
    """What changed at different versions is several changes, in the order of the row."""
    planted: list[Planted] = [
        {
            "early": "FAIL" if at >= 3 else "PASS",
            "late": "PASS" if at >= 11 else "FAIL",
            "with early": "PASS" if at >= 3 else "FAIL",
            "never": "PASS",
        }
        for at in range(16)
    ]
    outcome, bench = found(planted)
    assert [(change.at, change.followed) for change in outcome.changes] == [
        (3, ("early", "with early")),
        (11, ("late",)),
    ]
    assert outcome.unchanged == ("never",)
    assert len(bench.runs) <= 2 + 4 + 4


def test_what_was_tried_for_one_change_serves_the_next() -> None:
    """Two changes next to each other take hardly more versions than one."""
    planted: list[Planted] = [
        {"a": "FAIL" if at >= 30 else "PASS", "b": "FAIL" if at >= 31 else "PASS"}
        for at in range(64)
    ]
    outcome, bench = found(planted)
    assert [change.at for change in outcome.changes] == [30, 31]
    assert len(bench.runs) <= 2 + 6 + 1


def test_a_result_that_only_one_end_has_is_named_and_not_searched() -> None:
    """A variant that came later did not change; it came."""
    outcome, _ = found([{"a": "PASS"}, {"a": "FAIL"}, {"a": "FAIL", "b": "PASS"}])
    assert outcome.one_sided == ("b",)
    with pytest.raises(NoChange, match="no result in common"):
        found([{"a": "PASS"}, {"b": "FAIL"}])


def test_a_version_without_the_followed_result_is_stepped_past() -> None:
    """It says nothing about it."""
    (change,) = found([{"a": "PASS"}, {"b": "PASS"}, {"a": "FAIL"}])[0].changes
    assert change.between == (1,)


def test_timing_dependent_verdicts_are_repeated_until_it_is_clear() -> None:
    """Half of the runs failing is told from none, at the ends and in between."""
    planted: list[Planted] = [{"a": 0.0}, {"a": 0.0}, {"a": 0.5}, {"a": 0.5}, {"a": 0.5}]
    outcome, bench = found(planted)
    assert outcome.changes[0].at == 2
    assert max(bench.runs.values()) > 5


def test_a_single_run_of_each_end_is_not_enough_to_call_them_equal() -> None:
    """With ``--repeat 1`` both may pass, and one of them not every time."""
    bench = PlantedBench([{"a": 0.0}, {"a": 0.4}], runs=1)
    assert search(2, bench).changes[0].at == 1


def test_ends_that_differ_by_chance_are_no_change() -> None:
    """One of five against none of five is repeated, and turns out to be as good as the same."""
    for one, other in ((0.2, 0.15), (1.0, 1.0), (0.0, 0.02)):
        with pytest.raises(NoChange, match="nothing changed"):
            found([{"a": one}, {"a": 0.1}, {"a": other}])


def test_what_differs_by_chance_stands_beside_what_changed() -> None:
    """It is named, so that nobody wonders."""
    outcome, _ = found([{"a": "PASS", "b": 0.11}, {"a": "FAIL", "b": 0.02}])
    assert outcome.chance == ("b",)
    assert outcome.changes[0].followed == ("a",)


def test_what_is_never_clear_is_stepped_past() -> None:
    """Half-way between the two ends it belongs to neither, however often it runs."""
    outcome, bench = found([{"a": 0.0}, {"a": 0.5}, {"a": 1.0}])
    assert outcome.changes[0].between == (1,)
    assert bench.runs[1] >= MOST_RUNS


def test_clear_cases_are_not_repeated() -> None:
    """Five of five against none of five is clear at once."""
    _, bench = found([{"a": 0.0}, {"a": 0.0}, {"a": 1.0}, {"a": 1.0}])
    assert set(bench.runs.values()) == {5}
