"""Telling two shares of failures apart."""

from __future__ import annotations

import pytest
from plugpull.matrix.chance import beyond_chance, runs_to_be_sure


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ((0, 5), (5, 5), True),
        ((0, 4), (4, 4), False),
        ((1, 5), (0, 5), False),
        ((2, 5), (5, 5), False),
        ((0, 20), (8, 20), True),
        ((10, 20), (10, 20), False),
        ((0, 1), (1, 1), False),
        ((0, 0), (5, 5), False),
        ((3, 10), (30, 100), False),
    ],
)
def test_what_is_beyond_chance(one: tuple[int, int], other: tuple[int, int], differ: bool) -> None:
    """All against nothing in five runs is; one more in five is not. The order does not matter."""
    assert beyond_chance(one, other) == differ
    assert beyond_chance(other, one) == differ


def test_five_runs_tell_always_from_never() -> None:
    """Which is why a timing-dependent variant runs five times."""
    assert runs_to_be_sure() == 5
