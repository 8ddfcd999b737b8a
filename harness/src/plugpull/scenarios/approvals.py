"""Approvals as data: what a run asks a human, what is decided, and what may have happened then.

A run asks in one of several shapes (``PLUGPULL_APPROVAL``). Some of its effects are gated: they
wait for a human. What is decided reaches a process with the verb ``approve`` in
``PLUGPULL_DECISIONS``, in the order in which it is to be applied.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT

__all__ = [
    "APPROVAL_VARIABLE",
    "APPROVE",
    "CHARGE",
    "DECISIONS_VARIABLE",
    "FINISH",
    "POINTS",
    "REJECT",
    "SHAPES",
    "SIBLING",
    "STREAM_VARIABLE",
    "Decision",
    "Point",
    "Round",
    "Shape",
    "as_variable",
    "environment",
]

#: Environment variable that says in which shape the run asks.
APPROVAL_VARIABLE = "PLUGPULL_APPROVAL"
#: Environment variable of ``approve``: a JSON list of what was decided.
DECISIONS_VARIABLE = "PLUGPULL_DECISIONS"
#: Environment variable that is ``1`` where the run is streamed.
STREAM_VARIABLE = "PLUGPULL_STREAM"

APPROVE, REJECT = "approve", "reject"

#: The gated effect, where there is one.
CHARGE = "charge_card"
#: The ungated effect that is asked for in the same turn.
SIBLING = "notify_shop"
#: The effect of a step that was done before the run asked.
STEP = "reserve_stock"
#: The last effect of every run.
FINISH = "finish_order"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a human decided about one call.

    Attributes:
        call: The effect that waits.
        decision: :data:`APPROVE` or :data:`REJECT`.
    """

    call: str
    decision: str = APPROVE

    def to_json(self) -> dict[str, str]:
        """The decision as a program reads it."""
        return {"call": self.call, "decision": self.decision}


@dataclass(frozen=True, slots=True)
class Shape:
    """How a run asks.

    Attributes:
        gated: The effects that wait for a human.
        before: Ungated effects that have happened when the run waits.
        beside: Ungated effects of the same turn, which may come before the pause or after it.
    """

    gated: tuple[str, ...] = (CHARGE,)
    before: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    @property
    def effects(self) -> tuple[str, ...]:
        """Every effect of a run in which everything is approved, exactly once each."""
        return (*self.before, *self.gated, *self.beside, FINISH)

    @property
    def approve_all(self) -> tuple[Decision, ...]:
        """Everything approved, in the order in which it was asked."""
        return tuple(Decision(call) for call in self.gated)


_TWO = ("charge_card_1", "charge_card_2")

#: The shapes by their names in :data:`APPROVAL_VARIABLE`.
SHAPES: Mapping[str, Shape] = {
    "one": Shape(),
    "two": Shape(gated=_TWO),
    "sibling": Shape(beside=(SIBLING,)),
    "nested": Shape(),
    "after-step": Shape(before=(STEP,)),
    "nested-after-step": Shape(before=(STEP,)),
}


@dataclass(frozen=True, slots=True)
class Round:
    """One process that is told decisions.

    Attributes:
        decided: What it is told; ``None`` for a round that is only there after a refusal.
        allowed: Gated effects that may be there when it has ended; all others may not.
        may_refuse: It may say no without doing anything, as not everything was decided or
            something was decided twice.
        after_refusal: What it is told instead where the round before was refused, and so nothing
            of that was applied; ``None`` for the same as otherwise.
    """

    decided: tuple[Decision, ...] | None
    allowed: frozenset[str] = frozenset()
    may_refuse: bool = False
    after_refusal: tuple[Decision, ...] | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """One fault point.

    Attributes:
        shape: How the run asks; a name of :data:`SHAPES`.
        rounds: The processes that are told decisions, one after the other.
        streamed: Whether the run is streamed.
        killed: Where the first round is killed in the gated call, before it is told the same once
            more; ``None`` for nowhere.
        killed_in: The ungated call in which the run is killed, wherever it comes.
        rejected: Whether the gated effect may never happen.
    """

    rounds: tuple[Round, ...]
    shape: str = "one"
    streamed: bool = False
    killed: str | None = None
    killed_in: str | None = None
    rejected: bool = False

    @property
    def asks(self) -> Shape:
        """How the run asks."""
        return SHAPES[self.shape]

    @property
    def variables(self) -> dict[str, str]:
        """The environment of each of its processes."""
        return environment(self.shape, streamed=self.streamed)


def environment(shape: str, *, streamed: bool = False) -> dict[str, str]:
    """The environment of a run that asks in this shape."""
    return {APPROVAL_VARIABLE: shape, **({STREAM_VARIABLE: "1"} if streamed else {})}


def as_variable(decisions: tuple[Decision, ...]) -> str:
    """Decisions as :data:`DECISIONS_VARIABLE` holds them."""
    return json.dumps([one.to_json() for one in decisions])


_YES = Decision(CHARGE)
_NO = Decision(CHARGE, REJECT)
_FIRST, _SECOND = (Decision(call) for call in _TWO)
_ONE = frozenset({CHARGE})
_BOTH = frozenset(_TWO)
_APPROVED = (Round((_YES,), _ONE),)

#: The fault points of resume-after-approval.
POINTS: Mapping[str, Point] = {
    "approved": Point(_APPROVED),
    "approved-twice": Point(
        (
            Round((_YES, _YES), _ONE, may_refuse=True),
            Round(None, _ONE, after_refusal=(_YES,)),
        )
    ),
    "rejected": Point((Round((_NO,)),), rejected=True),
    "missing": Point((Round((), may_refuse=True), Round((_YES,), _ONE))),
    "absent-for-one": Point(
        (
            # A framework may do the one at once, or wait until it knows about both.
            Round((_FIRST,), frozenset({_FIRST.call}), may_refuse=True),
            Round((_SECOND,), _BOTH, after_refusal=(_FIRST, _SECOND)),
        ),
        shape="two",
    ),
    "other-order": Point((Round((_SECOND, _FIRST), _BOTH),), shape="two"),
    "streamed": Point(_APPROVED, streamed=True),
    "nested": Point(_APPROVED, shape="nested"),
    "after-step": Point(_APPROVED, shape="after-step"),
    "nested-after-step": Point(_APPROVED, shape="nested-after-step"),
    "killed-before-effect": Point(_APPROVED, killed=BEFORE_EFFECT),
    "killed-after-effect": Point(_APPROVED, killed=AFTER_EFFECT),
    "sibling-killed": Point(_APPROVED, shape="sibling", killed_in=SIBLING),
}
