"""A conversation that goes on with a new message: what it may have lost or doubled by then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from plugpull.scenarios.history import judge_history, read_history
from plugpull.scenarios.whole_runs import NEXT_TURN
from plugpull.verdicts import FAIL, Judgement, Outcome, judge_at_most_once

__all__ = ["judge_conversation", "judge_turns"]


def judge_turns(expected: Collection[str], effects: Mapping[str, int]) -> Judgement | None:
    """A FAIL for effects that are wrong after a turn was cut off and the next one was taken.

    The turn that was cut off may stay unfinished: its effects are there once or not at all. The
    next turn has to come to its end.

    Args:
        expected: The names that the run without a fault used.
        effects: Distinct effects per name.
    """
    if wrong := judge_at_most_once(expected, effects, when="after the next turn"):
        return wrong
    if not effects.get(NEXT_TURN):
        return Judgement(
            FAIL, Outcome.LOST, f"the next turn exited 0 and never came to its end ({NEXT_TURN})"
        )
    return None


def judge_conversation(
    reported: Mapping[str, Any] | None,
    stored: Mapping[str, int] | None,
    *,
    charged: str | None = None,
) -> Judgement | None:
    """A FAIL for a stored conversation that is not well-formed or has lost or doubled something.

    Args:
        reported: What ``inspect`` reported; ``None`` for a subject without that verb.
        stored: How many entries of each kind the run without a fault left.
        charged: An effect that happened in the turn that was cut off, of which the history has to
            know; ``None`` where it need not.
    """
    when = "after the next turn"
    if broken := judge_history(reported, when=when):
        return broken
    if reported is None or stored is None:
        return None
    found = Counter(one.kind for one in read_history(reported))
    said, wanted = found["user"], stored.get("user", 0)
    if said != wanted:
        outcome = Outcome.STATE_LOST if said < wanted else Outcome.DUPLICATED
        return Judgement(
            FAIL,
            outcome,
            f"{outcome}: {said} user messages are stored {when} (expected {wanted})",
        )
    if charged and found["call"] < stored.get("call", 0):
        return Judgement(
            FAIL,
            Outcome.STATE_LOST,
            f"state lost: {charged} happened, and the history {when} has no call of it",
        )
    return None
