"""What ``bisect`` follows: results by any part of their ids.

``kill-mid-tool``, ``sync+no-key/after-effect`` and ``lost-session-write/ack-lost`` all say which
results are meant. The parts stand in the order of an id, some may be left out, each may be a glob.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.points import fault_points, has_point
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from plugpull.matrix.manifests import TargetFacts

__all__ = ["Follow", "follow", "split_id"]

_PYTHON = re.compile(r"py([0-9]+\.[0-9]+)")


@dataclass(frozen=True, slots=True)
class Follow:
    """Which results are followed.

    Attributes:
        text: As it was given.
        parts: Its parts.
        scenarios, variants: What has to run for that.
    """

    text: str
    parts: tuple[str, ...]
    scenarios: tuple[str, ...]
    variants: tuple[str, ...]

    def matches(self, tail: str) -> bool:
        """Whether a result is meant, by the part of its id behind the cell."""
        return _in_order(self.parts, tail.split("/"))


def split_id(text: str, frameworks: Iterable[str]) -> tuple[str, str, str]:
    """The framework, the Python and the rest of an id; what it does not have is ``""``.

    Args:
        text: For example ``langgraph-1.2.11/py3.13/kill-mid-tool/sync+no-key/after-effect``.
        frameworks: Their names.
    """
    first, _, rest = text.strip("/").partition("/")
    known = [name for name in frameworks if first == name or first.startswith(f"{name}-")]
    framework = max(known, key=len, default="")
    if not framework:
        return "", "", text.strip("/")
    second, _, behind = rest.partition("/")
    python = _PYTHON.fullmatch(second)
    return (framework, python[1], behind) if python else (framework, "", rest)


def follow(text: str, facts: TargetFacts, points: Collection[str] = ()) -> Follow:
    """What a text means for a target.

    Args:
        text: Parts of an id.
        facts: The target's.
        points: Fault points, and details of them, that are known from earlier results.

    Raises:
        UsageError: It names nothing that there is, or nothing that goes together.
    """
    parts = tuple(part for part in text.strip("/").split("/") if part)
    names = [*facts.scenarios, *(name for name, _ in facts.variants)]
    named = [part for part in parts if any(_equal(part, name) for name in names)]
    known = [*points, *fault_points(facts.scenarios)]
    if not named and not any(_equal(part, point) for part in parts for point in known):
        close = [suggestion(part, [*names, *known]) for part in parts]
        raise UsageError(
            f"{text or 'nothing'}: {facts.name} has no such scenario, variant or fault point",
            then=next((near for near in close if near), "")
            or f"name one of its scenarios: {', '.join(facts.scenarios)}",
        )
    possible = [pair for pair in _pairs(facts) if _may_have(parts, pair, names)]
    others = [part for part in parts if part not in named]
    pairs = [pair for pair in possible if _has_points(others, pair[0], points)]
    if possible and not pairs:
        there = fault_points(dict.fromkeys(scenario for scenario, _ in possible))
        raise UsageError(
            f"{text}: there is no {others[0]!r} among the fault points",
            then=suggestion(others[0], there) or f"there are: {', '.join(there)}",
        )
    if not pairs:
        raise UsageError(
            f"{text}: {facts.name} has no results like that",
            then="an id reads SCENARIO/VARIANT/FAULT-POINT; parts of it may be left out",
        )
    return Follow(
        text=text.strip("/"),
        parts=parts,
        scenarios=tuple(dict.fromkeys(scenario for scenario, _ in pairs)),
        variants=tuple(dict.fromkeys(variant for _, variant in pairs)),
    )


def _pairs(facts: TargetFacts) -> list[tuple[str, str]]:
    variants = facts.variants or (("default", facts.scenarios),)
    return [
        (scenario, variant)
        for scenario in facts.scenarios
        for variant, scenarios in variants
        if scenario in (scenarios or facts.scenarios)
    ]


def _may_have(parts: Sequence[str], pair: tuple[str, str], names: Sequence[str]) -> bool:
    """Whether a scenario and variant may have such a result, whatever its fault points are."""
    named = [part for part in parts if any(_equal(part, name) for name in names)]
    others = [part for part in parts if part not in named]
    return _in_order(named, pair) and len(others) <= 2


def _has_points(others: Sequence[str], scenario: str, known: Collection[str]) -> bool:
    """Whether what is neither scenario nor variant begins with a fault point, or a known detail."""
    return (
        not others
        or has_point(scenario, others[0])
        or any(_equal(others[0], point) for point in known)
    )


def _in_order(parts: Sequence[str], of: Sequence[str]) -> bool:
    rest = iter(of)
    return all(any(_equal(part, name) for name in rest) for part in parts)


def _equal(pattern: str, text: str) -> bool:
    return fnmatchcase(text, pattern) if _is_glob(pattern) else pattern == text


def _is_glob(text: str) -> bool:
    return any(character in text for character in "*?[")
