"""States compared by what is in them: a flat picture of a value, taken at once.

A picture maps the place of every part (``state['done'][0]``) to what stands there. Taken when it is
looked at, it does not change when the subject goes on to change its lists; and it names the parts
that differ. An object that Python compares by its identity alone is never equal to the one that a
restarted subject has in its place, so it is compared by its attributes instead, or not at all.
"""

from __future__ import annotations

import copy
import enum
import math
import types
from collections import deque
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from plugpull.conformance.state import attributes

__all__ = ["NotComparable", "Picture", "differences", "holds_nothing", "take_picture"]

#: A state of more parts than this is a whole framework, not what has to survive.
MOST_PARTS = 20_000
#: Values in a sentence are cut to this many characters.
_SHOWN = 80

Picture = Mapping[str, Any]

_NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType)
_LISTS = ((list, "list"), (tuple, "tuple"), (deque, "deque"))


class NotComparable(Exception):
    """A part of a state that nothing but itself is equal to; says which, and what to do."""


@dataclass(frozen=True, slots=True)
class _Holder:
    """Stands at the place of a value that holds others."""

    name: str

    def __repr__(self) -> str:
        return self.name


def take_picture(value: Any, place: str = "state") -> Picture:
    """The picture of a value.

    Args:
        value: Any state.
        place: What its places are called.

    Raises:
        NotComparable: It holds something that cannot be compared after a restart.
    """
    picture: dict[str, Any] = {}
    for where, part in _parts(value, place, ()):
        picture[where] = part
        if len(picture) > MOST_PARTS:
            raise NotComparable(f"{place} has more than {MOST_PARTS} parts; {_ADVICE}")
    return picture


def differences(wanted: Picture, found: Picture, *, names: tuple[str, str] = ("", "")) -> list[str]:
    """What differs, one phrase a place.

    Args:
        wanted: The picture of the run without a crash.
        found: The other one.
        names: The ids of the two runs. Texts that differ in nothing else are equal.
    """
    said = []
    for place in dict.fromkeys([*wanted, *found]):
        if place not in found:
            said.append(f"{place} is missing (expected {_show(wanted[place])})")
        elif place not in wanted:
            said.append(f"{place} is {_show(found[place])} (expected nothing there)")
        elif not _equal(wanted[place], found[place], names):
            said.append(f"{place} is {_show(found[place])} (expected {_show(wanted[place])})")
    return said


def holds_nothing(picture: Picture) -> bool:
    """Whether there is no value in it but ``None``, ``False`` and empty texts. 0 is a value."""
    return all(
        isinstance(part, _Holder)
        or part is None
        or part is False
        or (isinstance(part, (str, bytes, bytearray)) and not part)
        for part in picture.values()
    )


def _parts(value: Any, place: str, above: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, enum.Enum) or value is None or type(value) in (bool, int, float, str):
        yield place, value
        return
    if id(value) in above:
        yield place, _Holder("what it is part of")
        return
    held = _held(value, place)
    if held is None:
        yield place, _leaf(value, place)
        return
    holder, inside = held
    yield place, holder
    for where, part in inside:
        yield from _parts(part, f"{place}{where}", (*above, id(value)))


def _held(value: Any, place: str) -> tuple[_Holder, list[tuple[str, Any]]] | None:
    """What a value holds, each part with its place in it; ``None`` if it is to be taken whole."""
    if isinstance(value, Mapping):
        return _Holder("a dict"), [(f"[{_label(k, place)}]", part) for k, part in value.items()]
    if isinstance(value, AbstractSet):
        labelled = sorted((_label(part, place), part) for part in value)
        return _Holder("a set"), [(f"{{{label}}}", part) for label, part in labelled]
    for kind, name in _LISTS:
        if isinstance(value, kind):
            return _Holder(f"a {name}"), [(f"[{n}]", part) for n, part in enumerate(value)]
    return _taken_apart(value, place)


def _taken_apart(value: Any, place: str) -> tuple[_Holder, list[tuple[str, Any]]] | None:
    """The attributes of an object whose ``==`` would look at its identity, or at theirs."""
    name = f"a {type(value).__module__}.{type(value).__qualname__}"
    if is_dataclass(value) and not isinstance(value, type):
        compared = [each.name for each in fields(value) if each.compare]
        return _Holder(name), [(f".{each}", getattr(value, each)) for each in compared]
    knows_its_equals = getattr(type(value), "__eq__", None) is not object.__eq__
    if isinstance(value, (*_NAMED, BaseException)):
        return None
    if knows_its_equals and not isinstance(value, types.SimpleNamespace):
        return None
    found = attributes(value)
    if not found:
        raise NotComparable(
            f"{place} is {name}, which is equal to nothing but itself, and so never to the one "
            f"that a restarted subject has; {_ADVICE}"
        )
    return _Holder(name), [(f".{each}", part) for each, part in found.items()]


def _label(value: Any, place: str) -> str:
    """How a key or a set's member is named: alike in every run."""
    return repr(value) if _is_plain(value) else repr(list(take_picture(value, place).items()))


def _is_plain(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return type(value) is tuple and all(_is_plain(each) for each in value)
    return value is None or type(value) in (bool, int, float, str, bytes)


def _leaf(value: Any, place: str) -> Any:
    """A value that knows when it is equal, kept as it is now."""
    if isinstance(value, _NAMED):
        return _Holder(f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', '')}")
    if isinstance(value, BaseException):
        return _Holder(f"{type(value).__qualname__}{value.args!r}")
    try:
        kept = copy.deepcopy(value)
        alike = bool(value == kept)
    except Exception as error:
        raise NotComparable(
            f"{place} is a {type(value).__qualname__} and cannot be copied and compared "
            f"({type(error).__name__}: {error}); {_ADVICE}"
        ) from error
    if not alike:
        raise NotComparable(
            f"{place} is a {type(value).__qualname__} that is not equal to a copy of itself; "
            f"{_ADVICE}"
        )
    return kept


def _equal(one: Any, other: Any, names: tuple[str, str]) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    try:
        if bool(one == other):
            return True
    except Exception:  # noqa: BLE001 - each is equal to its own copy, so these two are not alike
        return False
    if not all(names) or isinstance(one, _Holder) or type(one) is not type(other):
        return False
    # A path or a thread's name that is made from the run's id differs, and is meant to.
    return str(other).replace(names[1], names[0]) == str(one)


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


_ADVICE = "let state() return plain data: what has to be the same after a restart, and nothing else"
