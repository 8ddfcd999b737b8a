"""States are compared by what is in them."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from dataclasses import dataclass, field
from datetime import datetime, timezone
from decimal import Decimal
from enum import Enum
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from plugpull import Context, EffectLog, conform
from plugpull.conformance.picture import (
    NotComparable,
    differences,
    holds_nothing,
    take_picture,
)
from plugpull.conformance.state import ABSENT, public_state


class Box:
    """Compares by identity, as most objects do."""

    def __init__(self, *held: Any) -> None:
        self._held = list(held)


class Slotted:
    """Has no ``__dict__``."""

    __slots__ = ("_own", "held")

    def __init__(self, held: Any) -> None:
        self.held = held


class Truthless:
    """Its comparison has no plain yes or no."""

    def __eq__(self, other: object) -> Any:
        class Answer:
            def __bool__(self) -> bool:
                msg = "the truth of this is ambiguous"
                raise ValueError(msg)

        return Answer()

    __hash__ = None  # type: ignore[assignment]


@dataclass
class Order:
    """A dataclass whose own ``==`` looks at a box's identity."""

    name: str
    box: Box
    cache: Any = field(default=None, compare=False)


class Colour(Enum):
    """Two members."""

    RED = 1
    BLUE = 2


def _states() -> list[Any]:
    """States that are made anew at each call, and alike."""
    cyclic: list[Any] = [1]
    cyclic.append(cyclic)
    return [
        *(None, 3, 2.5, float("nan"), "a", b"a", bytearray(b"a"), True, Colour.RED, Decimal("1.0")),
        *([1, [2, {"a": (3,)}]], {"b": 1, "a": 2}, {1, 2}, frozenset({"x", ("y", 1)}), deque([1])),
        *({frozenset({1}): [Box(1)]}, {(1, "a"): {2}}, OrderedDict(a=1), datetime(2026, 1, 1)),  # noqa: DTZ001
        *(Path("/x"), Box(1, {"a": Box()}), SimpleNamespace(a=[1]), Slotted([1]), cyclic),
        *(Order("a", Box(1), object()), ValueError("x"), len, Box, Box(1).__init__, threading),
        datetime(2026, 1, 1, tzinfo=timezone.utc),
    ]


@pytest.mark.parametrize("number", range(len(_states())))
def test_equal_states_show_no_difference(number: int) -> None:
    """Objects that are made anew are as equal as what is in them."""
    one, other = _states()[number], _states()[number]
    assert differences(take_picture(one), take_picture(other)) == []


@pytest.mark.parametrize(
    ("wanted", "found", "words"),
    [
        ([1, 2], [1], ["state[1] is missing (expected 2)"]),
        ([1], [1, 2], ["state[1] is 2 (expected nothing there)"]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["state['a']['b'] is 2 (expected 1)"]),
        ((1,), [1], ["state is a list (expected a tuple)"]),
        (b"ab", b"ac", ["state is b'ac' (expected b'ab')"]),
        (frozenset("a"), frozenset("b"), ["state{'a'} is missing (expected 'a')", "state{'b'} is"]),
        (Box(1), Box(2), ["state._held[0] is 2 (expected 1)"]),
        (Order("a", Box(1)), Order("a", Box(2)), ["state.box._held[0] is 2 (expected 1)"]),
        (Slotted(1), Slotted(2), ["state.held is 2 (expected 1)"]),
        (ValueError("x"), ValueError("y"), ["state is ValueError('y',) (expected ValueError('x'"]),
        (Colour.RED, Colour.BLUE, ["state is <Colour.BLUE: 2> (expected <Colour.RED: 1>)"]),
        (float("nan"), 1.0, ["state is 1.0 (expected nan)"]),
        (len, print, ["state is builtins.print (expected builtins.len)"]),
        ("a" * 200, None, [f"state is None (expected '{'a' * 76}...)"]),
        (Path("a"), Path("b"), [f"state is {Path('b')!r} (expected {Path('a')!r})"]),
    ],
)
def test_a_difference_names_its_place(wanted: Any, found: Any, words: list[str]) -> None:
    """One phrase a place, with both values."""
    said = differences(take_picture(wanted), take_picture(found))
    assert len(said) == len(words)
    for phrase, start in zip(said, words, strict=True):
        assert phrase.startswith(start)


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ({"lock": threading.Lock()}, r"state\['lock'\] is a _thread.lock, which is equal to"),
        ([object()], r"state\[0\] is a builtins.object, which is equal to nothing but itself"),
        (Truthless(), "Truthless .* ambiguous"),
        ((each for each in ()), "state is a builtins.generator"),
        ({object(): 1}, "builtins.object"),
        (list(range(20_001)), "more than 20000 parts"),
    ],
)
def test_what_cannot_be_compared_is_said_to_be_so(state: Any, words: str) -> None:
    """Instead of a difference that is none."""
    with pytest.raises(NotComparable, match=words) as raised:
        take_picture(state)
    assert "let state() return plain data" in str(raised.value)


def test_a_picture_does_not_change_with_what_it_shows() -> None:
    """It is taken when it is looked at."""
    state = {"done": [1], "when": deque([1])}
    picture = take_picture(state)
    state["done"].append(2)
    assert len(differences(picture, take_picture(state))) == 1


def test_a_leaf_does_not_change_with_what_it_shows() -> None:
    """Neither does a value that is taken whole, because it knows itself when it is equal."""
    state = bytearray(b"a")
    picture = take_picture(state)
    state += b"b"
    assert len(differences(picture, take_picture(state))) == 1


@pytest.mark.parametrize(
    "state",
    [None, False, "", b"", [], {}, set(), frozenset(), (), deque(), {"a": [b"", {"b": None}]}],
)
def test_nothing_is_nothing_in_every_shape(state: Any) -> None:
    """C13: frozen sets and bytes too."""
    assert holds_nothing(take_picture(state))


@pytest.mark.parametrize("state", [0, 0.0, "x", b"x", [0], {"a": 0}, frozenset({1}), Colour.RED])
def test_zero_is_something(state: Any) -> None:
    """A number is data."""
    assert not holds_nothing(take_picture(state))


def test_the_context_is_no_part_of_a_state() -> None:
    """Under whatever name, and however deep, it is kept."""
    one, other = Context("r", EffectLog()), Context("s", EffectLog())
    assert public_state(SimpleNamespace(context=one, n=1)) == {"n": 1}
    held = [take_picture(SimpleNamespace(inner=SimpleNamespace(c=c, n=1))) for c in (one, other)]
    assert differences(*held) == []


def test_public_attributes_are_the_state_of_a_subject_without_one() -> None:
    """Slots too. What holds nothing has no state."""
    assert public_state(Slotted(3)) == {"held": 3}
    assert public_state(object()) is ABSENT
    assert public_state(SimpleNamespace(_a=1, b=2)) == {"b": 2}


@pytest.mark.parametrize("empty", [frozenset(), b"", {"seen": frozenset()}])
def test_a_state_that_is_gone_is_lost_in_every_shape(empty: Any) -> None:
    """C13: an empty frozenset after a restart is a loss, not a divergence."""
    starts: dict[str, int] = {}

    class Subject:
        def __init__(self, ctx: Context) -> None:
            self._ctx = ctx
            starts[ctx.run_id] = starts.get(ctx.run_id, 0) + 1

        def step(self, item: str) -> None:
            self._ctx.effect("charge", key=item)

        def state(self) -> Any:
            return {"seen": frozenset("x")} if starts[self._ctx.run_id] == 1 else empty

    kinds = [one.kind for one in conform(Subject, "a", strict=True).findings]
    assert kinds == ["state_lost"] * 2
