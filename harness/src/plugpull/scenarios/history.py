"""The stored history of a run, as ``inspect`` reports it: each call has to have one answer.

What a target reports proves nothing by itself, so it decides only what nobody else can see.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plugpull.verdicts import FAIL, Judgement, Outcome

__all__ = ["Entry", "batch_size", "find_break", "judge_history", "read_history"]

CALL, ANSWER = "call", "answer"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a stored history.

    Attributes:
        kind: ``user``, ``call``, ``answer``, ``message`` or ``system``.
        identity: The call's id, of a call and of its answer; ``None`` of the others.
    """

    kind: str
    identity: str | None


def read_history(reported: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The history in what ``inspect`` reported.

    Raises:
        ValueError: It reported none; the text says what there was instead.
    """
    if "error" in reported:
        raise ValueError(str(reported["error"]))
    history = reported.get("history")
    if not isinstance(history, list):
        raise ValueError(f"inspect reported no list as history, but {history!r}")  # noqa: TRY004 - the report is at fault, not our caller
    return tuple(_entry(one) for one in history)


def find_break(history: Sequence[Entry]) -> str | None:
    """What is wrong with a history, ``None`` if each call is there once and has one answer."""
    calls = [one.identity for one in history if one.kind == CALL]
    answers = [one.identity for one in history if one.kind == ANSWER]
    for identity in calls:
        if calls.count(identity) > 1:
            return f"the call {identity} is there {calls.count(identity)} times"
        if answers.count(identity) != 1:
            return f"the call {identity} has {answers.count(identity)} answers (expected 1)"
    known: set[str | None] = set()
    for one in history:
        if one.kind == CALL:
            known.add(one.identity)
        elif one.kind == ANSWER and one.identity not in known:
            where = "stands before its call" if one.identity in calls else "has no call"
            return f"the answer {one.identity} {where}"
    return None


def judge_history(reported: Mapping[str, Any] | None, *, when: str) -> Judgement | None:
    """A FAIL for a stored history that cannot be read or is not well-formed.

    Args:
        reported: What ``inspect`` reported; ``None`` for a subject without that verb, of which
            nothing is known.
        when: At what point of the run, for the sentence: ``after resume``.
    """
    if reported is None:
        return None
    try:
        history = read_history(reported)
    except ValueError as problem:
        return Judgement(
            FAIL, Outcome.STATE_LOST, f"what is stored can no longer be read {when}: {problem}"
        )
    if problem_found := find_break(history):
        return Judgement(FAIL, Outcome.UNPAIRED, f"stored history broken {when}: {problem_found}")
    return None


def batch_size(history: Sequence[Entry]) -> int:
    """How many calls come before the first answer: what the model asked for in one turn."""
    kinds = [one.kind for one in history]
    first = kinds.index(ANSWER) if ANSWER in kinds else len(kinds)
    return kinds[:first].count(CALL)


def _entry(given: Any) -> Entry:
    kind = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(kind, str):
        raise ValueError(f"inspect reported an entry without a kind: {given!r}")  # noqa: TRY004 - as above
    identity = given.get("id")
    if kind in {CALL, ANSWER} and (not isinstance(identity, str) or not identity):
        raise ValueError(f"inspect reported a {kind!r} without an id: {given!r}")
    return Entry(kind, identity if kind in {CALL, ANSWER} else None)
