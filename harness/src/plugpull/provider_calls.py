"""Calls to the fake provider: a line of the protocol read, and the effects of all of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from plugpull.wire import Connection

__all__ = ["Call", "HeldCall", "distinct_effects", "read_effect", "read_point", "read_request"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call as the provider saw it.

    Attributes:
        effect: The effect's name.
        key: The idempotency key that came with it.
        pid: The caller, as the kernel names it.
        phase: Which part of the run was going on: ``unfaulted``, ``start`` or ``resume``; ``saved``
            for what an earlier provider saw.
        recorded: Whether the provider took it down.
    """

    effect: str
    key: str | None
    pid: int | None
    phase: str
    recorded: bool

    def to_json(self) -> dict[str, Any]:
        """The call as it stands in a result's evidence."""
        return {
            "effect": self.effect,
            "key": self.key,
            "pid": self.pid,
            "phase": self.phase,
            "recorded": self.recorded,
        }


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A call that the provider has and does not answer."""

    effect: str
    key: str | None
    connection: Connection

    @property
    def pid(self) -> int | None:
        """The caller, as the kernel names it."""
        return self.connection.pid


def distinct_effects(calls: Iterable[Call]) -> dict[str, int]:
    """Distinct effects per name. A call without a key is always one more."""
    keyed: set[tuple[str, str]] = set()
    counts: Counter[str] = Counter()
    for call in calls:
        counts.setdefault(call.effect, 0)
        if not call.recorded or (call.key is not None and (call.effect, call.key) in keyed):
            continue
        counts[call.effect] += 1
        if call.key is not None:
            keyed.add((call.effect, call.key))
    return dict(counts)


def read_request(line: bytes) -> dict[str, Any]:
    """One request.

    Raises:
        ValueError: The line is not of the protocol; the text says what was expected.
    """
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        raise ValueError(  # noqa: TRY004 - the line is at fault, not our caller
            'expected one line of JSON such as {"effect": "charge_card", "key": null}'
        )
    return request


def read_effect(request: dict[str, Any]) -> tuple[str, str | None]:
    """Name and key of one effect.

    Raises:
        ValueError: They are not of the protocol; the text says what was expected.
    """
    name, key = request.get("effect"), request.get("key")
    if not isinstance(name, str) or not name:
        msg = '"effect" must be a text that is not empty'
        raise ValueError(msg)
    if key is not None and not isinstance(key, str):
        msg = '"key" must be a text, or null for a call without a key'
        raise ValueError(msg)
    return name, key


def read_point(request: dict[str, Any]) -> str:
    """Name of one fault point.

    Raises:
        ValueError: It is not of the protocol; the text says what was expected.
    """
    point = request["fault"]
    if not isinstance(point, str) or not point:
        msg = '"fault" must be a text that is not empty'
        raise ValueError(msg)
    return point
