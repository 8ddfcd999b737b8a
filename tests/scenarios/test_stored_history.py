"""Reading a reported history, and finding what is broken in it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from plugpull.scenarios.history import Entry, batch_size, find_break, read_history


def call(number: int) -> dict[str, Any]:
    """A call as inspect reports it."""
    return {"kind": "call", "id": f"c{number}"}


def answer(number: int) -> dict[str, Any]:
    """An answer as inspect reports it."""
    return {"kind": "answer", "id": f"c{number}"}


USER, WORDS = {"kind": "user", "id": None}, {"kind": "message"}


def read(*entries: Any) -> tuple[Entry, ...]:
    """The entries as they are read."""
    return read_history({"history": list(entries)})


@pytest.mark.parametrize(
    ("entries", "broken"),
    [
        ((), None),
        ((USER, WORDS), None),
        ((USER, call(1), call(2), answer(2), answer(1), WORDS), None),
        ((call(1), answer(1), call(2), answer(2)), None),
        ((call(1),), "the call c1 has 0 answers (expected 1)"),
        ((call(1), answer(1), answer(1)), "the call c1 has 2 answers (expected 1)"),
        ((call(1), call(1), answer(1)), "the call c1 is there 2 times"),
        ((call(1), answer(1), answer(2)), "the answer c2 has no call"),
        ((answer(1), call(1)), "the answer c1 stands before its call"),
    ],
)
def test_what_is_broken(entries: tuple[Any, ...], broken: str | None) -> None:
    """Each call is there once, with one answer behind it, and no answer is alone."""
    assert find_break(read(*entries)) == broken


@pytest.mark.parametrize(
    ("entries", "size"),
    [
        ((), 0),
        ((USER, WORDS), 0),
        ((USER, call(1), call(2), call(3), answer(1)), 3),
        ((call(1), answer(1), call(2), call(3)), 1),
        ((call(1), call(2)), 2),
    ],
)
def test_how_many_calls_are_asked_for_at_once(entries: tuple[Any, ...], size: int) -> None:
    """Those before the first answer."""
    assert batch_size(read(*entries)) == size


@pytest.mark.parametrize(
    ("reported", "problem"),
    [
        ({"error": "inspect ended with 1"}, "inspect ended with 1"),
        ({}, "no list as history, but None"),
        ({"history": {"kind": "call"}}, "no list as history"),
        ({"history": "call"}, "no list as history, but 'call'"),
        ({"history": [None]}, "an entry without a kind: None"),
        ({"history": [["call", "c1"]]}, "an entry without a kind"),
        ({"history": [{"id": "c1"}]}, "an entry without a kind"),
        ({"history": [{"kind": 3}]}, "an entry without a kind"),
        ({"history": [{"kind": "call"}]}, "a 'call' without an id"),
        ({"history": [{"kind": "answer", "id": None}]}, "a 'answer' without an id"),
        ({"history": [{"kind": "call", "id": ""}]}, "a 'call' without an id"),
        ({"history": [{"kind": "call", "id": 7}]}, "a 'call' without an id"),
    ],
)
def test_a_report_without_a_history(reported: dict[str, Any], problem: str) -> None:
    """Whatever a target writes, it ends in a sentence and no traceback."""
    with pytest.raises(ValueError, match=re.escape(problem)):
        read_history(reported)
