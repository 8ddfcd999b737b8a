"""Values of the shop's own classes, which it keeps in the state of a run."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

from pydantic import BaseModel


@dataclass
class Parcel:
    """What is sent."""

    weight: int
    fragile: bool


class Address(BaseModel):
    """Where it is sent."""

    street: str
    number: int


class Size(enum.Enum):
    """How big it is."""

    SMALL = "s"
    LARGE = "l"


def keepsakes() -> dict[str, Any]:
    """One value of each kind."""
    return {
        "dataclass": Parcel(weight=3, fragile=True),
        "model": Address(street="Main Street", number=42),
        "enum": Size.LARGE,
        "bytes": b"\x00label\xff",
        "datetime": datetime(2026, 2, 3, 4, 5, 6, tzinfo=timezone.utc),
    }


def describe(values: dict[str, Any]) -> dict[str, str | None]:
    """Each value's class and what it looks like; ``None`` for one that is not there."""
    found: dict[str, str | None] = {}
    for name in keepsakes():
        value = values.get(name)
        kind = type(value)
        module = kind.__module__.rpartition(".")[2]
        found[name] = None if value is None else f"{module}.{kind.__qualname__} {value!r}"
    return found
