"""What a subject shows of itself: its ``state()``, or else its public attributes."""

from __future__ import annotations

from typing import Any

from plugpull.conformance.effects import Context

__all__ = ["ABSENT", "is_empty", "public_state", "snapshot"]


class _Absent:
    """The subject shows nothing at all."""

    def __repr__(self) -> str:
        return "nothing"


#: A subject without ``state()`` and without attributes: there is nothing to compare.
ABSENT = _Absent()


def snapshot(subject: Any) -> Any:
    """The state by crashresume's rules; ``None`` where there is nothing to compare."""
    state = getattr(subject, "state", None)
    if callable(state):
        return state()
    if hasattr(subject, "__dict__"):
        return {
            name: value
            for name, value in vars(subject).items()
            if name != "ctx" and not name.startswith("_")
        }
    return None


def public_state(subject: Any) -> Any:
    """The state by the strict rules.

    Slots count as attributes, and the context is left out under whatever name it is kept.

    Returns:
        What ``state()`` returned, which may be a coroutine; the public attributes; or
        :data:`ABSENT`.
    """
    state = getattr(subject, "state", None)
    if callable(state):
        return state()
    found = attributes(subject)
    if found is None:
        return ABSENT
    return {name: value for name, value in found.items() if not name.startswith("_")}


def attributes(value: Any) -> dict[str, Any] | None:
    """All attributes an instance holds, contexts left out; ``None`` if it cannot hold any."""
    slots = [
        name
        for base in type(value).__mro__
        for name in _names(base.__dict__.get("__slots__", ()))
        if name not in ("__dict__", "__weakref__") and hasattr(value, name)
    ]
    if not slots and not hasattr(value, "__dict__"):
        return None
    found = {**{name: getattr(value, name) for name in slots}, **getattr(value, "__dict__", {})}
    return {name: each for name, each in found.items() if not isinstance(each, Context)}


def is_empty(value: Any) -> bool:
    """Whether nothing is in it, however deep one looks. A number is never empty: 0 is data."""
    if isinstance(value, dict):
        return all(is_empty(each) for each in value.values())
    if isinstance(value, (list, tuple, set)):
        return all(is_empty(each) for each in value)
    return value is None or value is False or (isinstance(value, str) and not value)


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
