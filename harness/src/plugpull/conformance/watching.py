"""One life of a subject, watched: how it began, how it ended, and what it raised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plugpull.conformance.life import Factory, Life, describe, is_ours_to_judge
from plugpull.conformance.mortal import MortalContext
from plugpull.conformance.picture import NotComparable, Picture, differences, take_picture
from plugpull.conformance.state import ABSENT, public_state

__all__ = ["Seen", "differ", "watch"]

#: How many differing places a sentence names.
_NAMED_PLACES = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """What was seen of one life.

    Attributes:
        run_id: The run it was part of.
        began: Its state right after the factory; ``None`` where it showed none.
        ended: Its state at the end; ``None`` where it showed none.
        problem: What it raised, in one line; ``None`` if it came to its end.
        blurred: Why its state at the end cannot be compared; ``None`` if it can.
    """

    run_id: str
    began: Picture | None = None
    ended: Picture | None = None
    problem: str | None = None
    blurred: str | None = None


def watch(factory: Factory, items: Sequence[Any], context: MortalContext) -> Seen:
    """Let a subject live once; whatever it raises is taken down.

    Args:
        factory: Makes the subject.
        items: Its inputs.
        context: Its context, which learns how the life ended.

    Raises:
        BaseException: Ctrl-C, and what test runners raise to skip or to stop a test.
    """
    life = Life()
    run_id = context.run_id
    began: Picture | None = None
    try:
        life.start(factory, context)
        began = _at_start(life, context)
        life.work(items)
        context.only_looking = True
        ended, blurred = _look(life)
        context.over()
    except BaseException as error:
        if not is_ours_to_judge(error):
            raise
        context.over(error)
        return Seen(run_id, began, problem=describe(error))
    finally:
        life.end()
    return Seen(run_id, began, ended, blurred=blurred)


def differ(wanted: Seen, found: Seen, *, at_start: bool = False) -> str:
    """In which places two lives show another state, as one phrase; empty if in none.

    Args:
        wanted: The life without a crash.
        found: The other one.
        at_start: Compare how they began, not how they ended. Where one showed no state yet,
            nothing is compared.
    """
    ones, others = (wanted.began, found.began) if at_start else (wanted.ended, found.ended)
    if ones is None or others is None:
        return "" if at_start or ones is others else "one shows a state and the other none"
    places = differences(ones, others, names=(wanted.run_id, found.run_id))
    more = len(places) - _NAMED_PLACES
    return ", ".join(places[:_NAMED_PLACES]) + (f", and {more} more" if more > 0 else "")


def _at_start(life: Life, context: MortalContext) -> Picture | None:
    """The state before any input, for what it is worth: not every subject has one yet."""
    context.only_looking = True
    try:
        return _look(life)[0]
    except Exception:  # noqa: BLE001 - it may well need an input first
        return None
    finally:
        context.only_looking = False


def _look(life: Life) -> tuple[Picture | None, str | None]:
    state = life.settle(public_state(life.subject))
    if state is ABSENT:
        return None, None
    try:
        return take_picture(state), None
    except NotComparable as error:
        return None, str(error)
