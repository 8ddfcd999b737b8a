"""The application's own context, which a run's state carries along.

The SDK keeps a mapping as it is, and asks for functions of one's own for everything else:

* https://openai.github.io/openai-agents-python/human_in_the_loop/#long-running-approvals
* https://openai.github.io/openai-agents-python/context/
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from pydantic import BaseModel

KEPT = os.environ.get("PLUGPULL_STATE") == "classes"
HOW = os.environ.get("PLUGPULL_CONTEXT", "object")


@dataclass(frozen=True)
class Address:
    """Where the order goes."""

    street: str
    number: int


class Parcel(BaseModel):
    """What the order is packed in."""

    grams: int
    fragile: bool


class Urgency(Enum):
    """How soon the order has to be there."""

    SOON = "soon"
    LATER = "later"


@dataclass
class Desk:
    """What the application knows about the order, all in one."""

    dataclass: Address
    model: Parcel
    enum: Urgency
    bytes: bytes
    datetime: datetime


def fill() -> Desk:
    """A desk as the application lays it out for an order."""
    return Desk(
        dataclass=Address("Harbour Road", 7),
        model=Parcel(grams=420, fragile=True),
        enum=Urgency.SOON,
        bytes=b"\x00label\xff",
        datetime=datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc),
    )


def context() -> Desk | None:
    """What a new run gets as context."""
    return fill() if KEPT else None


def serialize() -> Callable[[Any], Mapping[str, Any]] | None:
    """The application's own way to write its context down."""
    return _to_mapping if HOW == "serializer" else None


def deserialize() -> Callable[[Mapping[str, Any]], Any] | None:
    """The application's own way to read it back."""
    return _from_mapping if HOW == "serializer" else None


def _to_mapping(desk: Desk) -> Mapping[str, Any]:
    return {
        "dataclass": vars(desk.dataclass),
        "model": desk.model.model_dump(mode="json"),
        "enum": desk.enum.value,
        "bytes": base64.b64encode(desk.bytes).decode("ascii"),
        "datetime": desk.datetime.isoformat(),
    }


def _from_mapping(kept: Mapping[str, Any]) -> Desk:
    return Desk(
        dataclass=Address(**kept["dataclass"]),
        model=Parcel.model_validate(kept["model"]),
        enum=Urgency(kept["enum"]),
        bytes=base64.b64decode(kept["bytes"]),
        datetime=datetime.fromisoformat(kept["datetime"]),
    )


def describe(given: Any) -> dict[str, str | None]:
    """What each of the application's values is, in words; ``None`` where it is missing."""
    values = given if isinstance(given, Mapping) else vars(given) if given is not None else {}
    return {name: _in_words(values.get(name)) for name in vars(fill())}


def _in_words(value: Any) -> str | None:
    if value is None:
        return None
    kind = type(value)
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__qualname__} {value!r}"
