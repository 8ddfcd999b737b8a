"""The fields of a manifest: which keys there are, and how a value of each kind is read.

Every complaint names the file and the key.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, NoReturn

from plugpull.errors import UsageError
from plugpull.guide import GUIDE
from plugpull.specifiers import matches

__all__ = [
    "GAP_KEYS",
    "MANIFEST_KEYS",
    "MANIFEST_NEEDED",
    "NEED_KEYS",
    "SERVICE_KEYS",
    "VARIANT_KEYS",
    "Fields",
]

MANIFEST_NEEDED = {
    "name",
    "title",
    "distribution",
    "import",
    "program",
    "variants",
    "scenarios",
}
MANIFEST_KEYS = MANIFEST_NEEDED | {
    "companions",
    "documentation",
    "env",
    GUIDE,
    "ignore",
    "inspect",
    "needs",
    "not_supported",
    "notes",
    "preload",
    "refusals",
    "service",
    "worlds",
}
NEED_KEYS = {"versions", "instead", "remedy"}
SERVICE_KEYS = {"program", "ports", "ready_within", "remedy", "env"}
VARIANT_KEYS = {
    "name",
    "label",
    "env",
    "scenarios",
    "versions",
    "timing_dependent",
    "expect",
    "program",
    "inspect",
}
GAP_KEYS = {"scenario", "variant", "kill_point", "versions", "reason", "link", "absent"}


class Fields:
    """Reads values of one file, each as the kind that it has to be.

    Args:
        path: The file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def _object(
        self, data: Any, place: str, allowed: set[str], needed: set[str] | None = None
    ) -> dict[str, Any]:
        if not isinstance(data, dict):
            self._fail(place, "it has to be an object")
        if unknown := set(data) - allowed:
            self._fail(place, f"unknown key {min(unknown)!r}; known: {', '.join(sorted(allowed))}")
        if missing := (needed or set()) - set(data):
            self._fail(place, f"the key {min(missing)!r} is missing")
        return dict(data)

    def _text(self, data: dict[str, Any], key: str, place: str = "") -> str:
        value = data.get(key)
        if not isinstance(value, str) or not value:
            self._fail(_at(place, key), f"it has to be a text, not {value!r}")
        return str(value)

    def _text_or_none(self, data: dict[str, Any], key: str, place: str) -> str | None:
        return None if data.get(key) is None else self._text(data, key, place)

    def _flag(self, data: dict[str, Any], key: str, place: str = "", *, default: bool) -> bool:
        value = data.get(key, default)
        if not isinstance(value, bool):
            self._fail(_at(place, key), f"it has to be true or false, not {value!r}")
        return bool(value)

    def _list(self, data: dict[str, Any], key: str, place: str = "") -> list[Any]:
        value = data.get(key, [])
        if not isinstance(value, list):
            self._fail(_at(place, key), "it has to be a list")
        return list(value)

    def _mapping(self, data: dict[str, Any], key: str, place: str = "") -> dict[str, Any]:
        value = data.get(key, {})
        if not isinstance(value, dict):
            self._fail(_at(place, key), "it has to be an object")
        return dict(value)

    def _texts(self, data: dict[str, Any], key: str, place: str = "") -> tuple[str, ...]:
        values = self._list(data, key, place)
        if not all(isinstance(value, str) for value in values):
            self._fail(_at(place, key), "it has to be a list of texts")
        return tuple(values)

    def _settings(self, data: dict[str, Any], key: str, place: str = "") -> dict[str, str]:
        values = self._mapping(data, key, place)
        if not all(isinstance(value, str) for value in values.values()):
            self._fail(_at(place, key), "its values have to be texts")
        return values

    def _range(self, data: dict[str, Any], key: str, place: str) -> str:
        text = data.get(key, "*")
        try:
            matches("1.0", text)
        except (ValueError, AttributeError):
            self._fail(_at(place, key), f"{text!r} is not a version range such as '>=1.2,<2'")
        return str(text)

    def _pattern(self, text: str, place: str) -> re.Pattern[str]:
        try:
            return re.compile(text)
        except re.error as error:
            self._fail(place, f"{text!r} is not a regular expression: {error}")

    def _fail(self, place: str, problem: str) -> NoReturn:
        raise UsageError(
            f"{self._path}: {place}: {problem}",
            then="docs/add-a-target.md describes every key",
        )


def _at(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key
