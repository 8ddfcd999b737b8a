"""The application's own classes in the state of a flow, which is a pydantic model."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime, timezone

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


class Kept(BaseModel):
    """One value of each class, and two of Python's own."""

    parcel: Parcel
    buyer: Buyer
    status: Status
    seal: bytes
    placed: datetime


def kept() -> Kept:
    """The values."""
    return Kept(
        parcel=Parcel(420, "shelf 7"),
        buyer=Buyer(name="Ada", since=1843),
        status=Status.PLACED,
        seal=b"\x00seal\xff",
        placed=datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc),
    )


def described(found: Kept | None) -> dict[str, str | None]:
    """Each value in words; ``None`` for one that is not there."""
    names = {
        "dataclass": "parcel",
        "model": "buyer",
        "enum": "status",
        "bytes": "seal",
        "datetime": "placed",
    }
    return {name: _in_words(getattr(found, field, None)) for name, field in names.items()}


def _in_words(value: object) -> str | None:
    if value is None:
        return None
    kind = type(value)
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__qualname__} {value!r}"
