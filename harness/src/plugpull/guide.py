"""A framework's guide: what a person who chooses it reads beside its verdicts.

Data of the manifest, in prose: how a run is saved, what the framework's documentation promises, and
what to do about what was measured. What was measured itself is never written here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

__all__ = ["GUIDE", "Guide", "Promise", "parse_guide"]

#: The manifest's key.
GUIDE = "guide"

#: One line that begins and ends with a word, as a sentence in a page has to.
_LINE = re.compile(r"\S(?:[^\n\r]*\S)?")
_LINK = re.compile(r"https://[A-Za-z0-9.-]+\.[A-Za-z]+(?:/[^\s|<>`]*)?")

_KEYS = ("saves", "promises", "advice")
_PROMISE_KEYS = ("says", "link")


@dataclass(frozen=True, slots=True)
class Promise:
    """What a framework's documentation says about runs that break.

    Attributes:
        says: What it says, in our words.
        link: Where it says so.
    """

    says: str
    link: str


@dataclass(frozen=True, slots=True)
class Guide:
    """What a page says about a framework besides its verdicts.

    Attributes:
        saves: How and when a run is saved.
        promises: What the documentation promises; at least one.
        advice: What to do about what was measured: which key, which mode.
    """

    saves: str
    promises: tuple[Promise, ...]
    advice: str


def parse_guide(data: Any, fail: Callable[[str, str], NoReturn]) -> Guide:
    """A manifest's guide, checked.

    Args:
        data: The value of the manifest's key.
        fail: Takes a place below the manifest and what is wrong there, and raises.
    """
    entry = _object(data, GUIDE, _KEYS, fail)
    promises = entry["promises"]
    place = f"{GUIDE}.promises"
    if not isinstance(promises, list) or not promises:
        fail(place, "it has to be a list of what the documentation promises, and not empty")
    return Guide(
        saves=_line(entry["saves"], f"{GUIDE}.saves", fail),
        promises=tuple(
            _promise(promise, f"{place}[{number}]", fail) for number, promise in enumerate(promises)
        ),
        advice=_line(entry["advice"], f"{GUIDE}.advice", fail),
    )


def _promise(data: Any, place: str, fail: Callable[[str, str], NoReturn]) -> Promise:
    entry = _object(data, place, _PROMISE_KEYS, fail)
    says, link = _line(entry["says"], f"{place}.says", fail), entry["link"]
    if not isinstance(link, str) or not _LINK.fullmatch(link):
        fail(f"{place}.link", f"it has to be an https link, not {link!r}")
    return Promise(says, link)


def _object(
    data: Any, place: str, keys: tuple[str, ...], fail: Callable[[str, str], NoReturn]
) -> dict[str, Any]:
    if not isinstance(data, dict):
        fail(place, f"it has to be an object with {', '.join(keys)}")
    if unknown := set(data) - set(keys):
        fail(place, f"unknown key {min(unknown)!r}; known: {', '.join(keys)}")
    if missing := set(keys) - set(data):
        fail(place, f"the key {min(missing)!r} is missing")
    return dict(data)


def _line(value: Any, place: str, fail: Callable[[str, str], NoReturn]) -> str:
    if not isinstance(value, str) or not _LINE.fullmatch(value):
        fail(place, f"it has to be a text in one line, not {value!r}")
    if value.count("`") % 2:
        fail(place, "a backtick has no second one: they stand around code")
    return value
