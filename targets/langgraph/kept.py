"""The application's own classes, as they stand in its state."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

from pydantic import BaseModel


@dataclass
class Parcel:
    """What is sent."""

    weight: float
    places: tuple[str, ...]


class Buyer(BaseModel):
    """Who gets it."""

    name: str
    since: int


class Status(enum.Enum):
    """How far the order is."""

    PLACED = "placed"
    PAID = "paid"


#: The classes by module and name, as a serializer wants them.
CLASSES = [("kept", "Parcel"), ("kept", "Buyer"), ("kept", "Status")]

#: The keys of the state that hold them.
NAMES = ("dataclass", "model", "enum", "bytes", "datetime")


def kept() -> dict[str, Any]:
    """One value of each class, and two of Python's own."""
    zone = timezone(timedelta(hours=2))
    return {
        "parcel": Parcel(1.25, ("shelf 7",)),
        "buyer": Buyer(name="Ada", since=1843),
        "status": Status.PAID,
        "seal": b"\x00\xffseal",
        "placed": datetime(2026, 11, 29, 12, 30, 15, 250, tzinfo=zone),
    }


def described(values: dict[str, Any]) -> dict[str, str | None]:
    """Each value by the name of its kind; ``None`` for one that is not there."""
    found = [values.get(key) for key in kept()]
    return {name: describe(value) for name, value in zip(NAMES, found, strict=True)}


def describe(value: Any) -> str | None:
    """A value, with the class that it is of."""
    if value is None:
        return None
    owner = type(value)
    return f"{owner.__module__.rpartition('.')[2]}.{owner.__qualname__} {value!r}"
