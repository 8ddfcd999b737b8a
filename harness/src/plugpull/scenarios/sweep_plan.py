"""What a sweep tries: which calls, which moments, and how they are named."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings

__all__ = [
    "FAULT_POINTS",
    "RANDOM_MOMENT",
    "SINGLE_POINT",
    "CallPlace",
    "call_place",
    "choose_calls",
    "sweep_cases",
]

BEFORE_TWICE = f"{BEFORE_EFFECT}-twice"
AFTER_TWICE = f"{AFTER_EFFECT}-twice"
RANDOM_MOMENT = "random-moment"

FAULT_POINTS = (BEFORE_EFFECT, AFTER_EFFECT, BEFORE_TWICE, AFTER_TWICE, RANDOM_MOMENT)

#: The point at which both kills of a double kill land.
SINGLE_POINT = {BEFORE_TWICE: BEFORE_EFFECT, AFTER_TWICE: AFTER_EFFECT}

# Of an effect's part in the name of a result.
_LONGEST_NAME = 40


@dataclass(frozen=True, slots=True)
class CallPlace:
    """Which call of a run is meant, however the calls are ordered in this run.

    Attributes:
        effect: Its effect.
        number: Which one of the calls with this effect, counted from 1.
    """

    effect: str
    number: int


def call_place(calls: Sequence[str], number: int) -> CallPlace:
    """The place of call ``number``, counted from 1, of a run that made ``calls``."""
    effect = calls[number - 1]
    return CallPlace(effect, calls[:number].count(effect))


def choose_calls(points: str, count: int, seed: int) -> list[int]:
    """Which calls are killed, as numbers from 1.

    Args:
        points: ``all``, a number (a sample of so many), or ``k`` and a number (that call alone).
        count: How many calls the run makes.
        seed: What the sample is drawn with.
    """
    everything = range(1, count + 1)
    if points == "all":
        return list(everything)
    if points.startswith("k"):
        return [number for number in everything if number == int(points[1:])]
    size = min(int(points), count)
    return sorted(random.Random(f"calls {seed}").sample(everything, size))  # noqa: S311


def sweep_cases(calls: Sequence[str], span: float, settings: Settings) -> list[Case]:
    """Everything to try: each chosen call at each point, the single kills first, then moments.

    Args:
        calls: The effects of the calls that a run without a fault makes, in order.
        span: Seconds from its first call to its end.
        settings: What the user chose.

    Raises:
        NotUsable: The one call that was asked for is not there.
    """
    if settings.moment is not None:
        return [Case(RANDOM_MOMENT, f"{settings.moment!r}s", seconds=settings.moment)]
    chosen = choose_calls(settings.points, len(calls), settings.seed)
    if not chosen:
        made = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
        raise NotUsable(
            f"the run makes {made}, so there is none to kill at {settings.points}",
            {"stage": "unfaulted", "calls": list(calls)},
        )
    cases = [
        Case(point, f"{number}-{_plain(calls[number - 1])}", number)
        for points in ((BEFORE_EFFECT, AFTER_EFFECT), (BEFORE_TWICE, AFTER_TWICE))
        for number in chosen
        for point in points
    ]
    for number in range(1, settings.moments + 1):
        draw = random.Random(f"moment {settings.seed} {number}").random()  # noqa: S311
        detail = f"seed{settings.seed}-{number}"
        cases.append(Case(RANDOM_MOMENT, detail, seconds=round(draw * span, 6)))
    return cases


def _plain(effect: str) -> str:
    """An effect's name as part of an id and of a file's name: an agent chooses its own words."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "_", effect)[:_LONGEST_NAME]
