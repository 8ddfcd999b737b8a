"""The application's own classes, as it keeps them in the session's state.

* https://google.github.io/adk-docs/sessions/state/
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from pydantic import BaseModel


@dataclass(frozen=True)
class Parcel:
    """What is sent."""

    grams: int
    shelf: str


class Buyer(BaseModel):
    """Who gets it."""

    name: str
    since: int


class Status(enum.Enum):
    """How far the order is."""

    PLACED = "placed"
    PAID = "paid"


def kept() -> dict[str, Any]:
    """One value of each class, and two of Python's own."""
    return {
        "dataclass": Parcel(420, "shelf 7"),
        "model": Buyer(name="Ada", since=1843),
        "enum": Status.PLACED,
        "bytes": b"seal 7",
        "datetime": datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc),
    }


def described(found: Any) -> dict[str, str | None]:
    """Each value in words; ``None`` for one that is not there."""
    values = found if isinstance(found, Mapping) else {}
    return {name: _in_words(values.get(name)) for name in kept()}


def _in_words(value: Any) -> str | None:
    if value is None:
        return None
    kind = type(value)
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__qualname__} {value!r}"
