"""Whether two counts of verdicts differ by more than chance.

A verdict that depends on timing is a share: 2 of 5 runs failed. Two shares are told apart with
Fisher's exact test, which holds for counts as small as these.
"""

from __future__ import annotations

from math import comb

__all__ = ["SURE", "beyond_chance", "runs_to_be_sure"]

#: How likely a difference at least this large may be between equals, to count as one.
SURE = 0.01


def beyond_chance(one: tuple[int, int], other: tuple[int, int], *, sure: float = SURE) -> bool:
    """Whether two shares differ by more than chance.

    Args:
        one: How many runs failed, and how many there were.
        other: Likewise, on the other side.
        sure: How often, at most, equals may be told apart by mistake.
    """
    return _likelihood(one, other) <= sure


def runs_to_be_sure(sure: float = SURE) -> int:
    """With how many runs on each side "always" and "never" are told apart."""
    runs = 1
    while not beyond_chance((0, runs), (runs, runs), sure=sure):
        runs += 1
    return runs


def _likelihood(one: tuple[int, int], other: tuple[int, int]) -> float:
    """How likely equals would differ at least that much, given how many runs failed in all."""
    failed, runs = one[0] + other[0], one[1] + other[1]
    seen = _ways(one[0], one[1], other[1], failed)
    low, high = max(0, failed - other[1]), min(failed, one[1])
    ways = [_ways(count, one[1], other[1], failed) for count in range(low, high + 1)]
    return sum(way for way in ways if way <= seen) / comb(runs, failed)


def _ways(failed_here: int, here: int, there: int, failed: int) -> int:
    return comb(here, failed_here) * comb(there, failed - failed_here)
