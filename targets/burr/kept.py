"""The application's own classes in the saved state.

State is saved as JSON. What JSON does not have, an application registers:
https://burr.apache.org/concepts/serde/
"""

from __future__ import annotations

import base64
import enum
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from typing import Any

from burr.core import serde
from settings import KEEPS_CLASSES, SERDE


@dataclass(frozen=True)
class Parcel:
    """What is sent."""

    grams: int
    shelf: str


class Status(enum.Enum):
    """How far the order is."""

    PLACED = "placed"
    PAID = "paid"


def kept() -> dict[str, Any]:
    """One value of each class, and two of Python's own."""
    return {
        "dataclass": Parcel(420, "shelf 7"),
        "model": buyer(),
        "enum": Status.PLACED,
        "bytes": b"\x00seal\xff",
        "datetime": datetime(2026, 3, 4, 5, 6, 7, tzinfo=timezone.utc),
    }


def buyer() -> Any:
    """A pydantic model, which Burr itself knows how to save."""
    from buyers import Buyer  # noqa: PLC0415 - not every run needs pydantic

    return Buyer(name="Ada", since=1843)


def register() -> None:
    """Say how each class becomes JSON and comes back.

    Burr's own helper for pickles is no help here: what it makes is bytes, which JSON does not have.
    """
    pairs: dict[type, tuple[Any, Any]] = {
        Parcel: (asdict, lambda value: Parcel(**value)),
        Status: (lambda value: value.value, Status),
        bytes: (lambda value: base64.b64encode(value).decode(), base64.b64decode),
        datetime: (datetime.isoformat, datetime.fromisoformat),
    }
    for kind, (to_json, back) in pairs.items():
        _register(kind, to_json, back)


def _register(kind: type, to_json: Any, back: Any) -> None:
    @serde.serialize.register(kind)
    def _serialize(value: Any, **_kwargs: Any) -> dict[str, Any]:
        return {serde.KEY: kind.__name__, "value": to_json(value)}

    @serde.deserializer.register(kind.__name__)
    def _deserialize(value: dict[str, Any], **_kwargs: Any) -> Any:
        return back(value["value"])


def described(found: Mapping[str, Any]) -> dict[str, str | None]:
    """Each value in words; ``None`` for one that is not there."""
    return {name: _in_words(found.get(name)) for name in kept()}


def _in_words(value: Any) -> str | None:
    if value is None:
        return None
    kind = type(value)
    return f"{kind.__module__.rpartition('.')[2]}.{kind.__qualname__} {value!r}"


if KEEPS_CLASSES and SERDE == "registered":
    register()
