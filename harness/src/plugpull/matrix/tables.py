"""Reading TOML strictly: every value is asked for by name and kind, and every mistake has a place.

What is never asked for is unknown, and an error too: a misspelt key must not pass for a default.
"""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, NoReturn

from plugpull.errors import UsageError

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Table", "read_toml", "suggestion"]


@dataclass(frozen=True, slots=True)
class _Unquoted:
    """A number with a point, as it was written: ``3.10`` must not become 3.1 before we complain."""

    text: str


def read_toml(path: Path, *, option: str = "--matrix") -> Table:
    """The file's outermost table.

    Args:
        path: The file.
        option: What names another one, for an error.

    Raises:
        UsageError: The file cannot be read or is not TOML. The text names the line.
    """
    try:
        text = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise UsageError(
            f"{path} cannot be read: {error.strerror}", then=f"name another file with {option}"
        ) from error
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise UsageError(f"{path}: line {line} is not UTF-8") from error
    try:
        data = tomllib.loads(text, parse_float=_Unquoted)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{path} is nested too deeply") from error
    return Table(path, "", data)


@dataclass(slots=True)
class Table:
    """One table of a TOML file, and what has been asked of it.

    Attributes:
        path: The file.
        name: The table as people write it, for example ``[framework.langgraph]``.
        data: Its content.
    """

    path: Path
    name: str
    data: dict[str, Any]
    _asked: set[str] = field(default_factory=set)

    def __contains__(self, key: str) -> bool:
        return key in self.data

    def fail(self, key: str, problem: str, then: str = "") -> NoReturn:
        """Report a mistake in the value of a key.

        Raises:
            UsageError: Always.
        """
        place = " ".join(part for part in (self.name, key) if part)
        raise UsageError(f"{self.path}: {place}: {problem}", then=then)

    def text(self, key: str) -> str | None:
        """A string that is not blank; ``None`` if the key is not there."""
        value = self._take(key)
        return None if value is None else self._text(key, value)

    def texts(self, key: str) -> tuple[str, ...] | None:
        """A list of strings that are not blank; ``None`` if the key is not there."""
        value = self._take(key)
        if value is None:
            return None
        if not isinstance(value, list):
            self.fail(key, f"must be a list of strings, not {_kind(value)}", _quoted([value]))
        return tuple(self._text(f"{key}[{at}]", item) for at, item in enumerate(value))

    def one_or_more(self, key: str) -> tuple[str, ...] | None:
        """A string, or a list of them, none blank; ``None`` if the key is not there."""
        if isinstance(self.data.get(key), list):
            return self.texts(key)
        text = self.text(key)
        return None if text is None else (text,)

    def count(self, key: str) -> int | None:
        """A whole number above zero; ``None`` if the key is not there."""
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            self.fail(key, f"must be a whole number above zero, not {_kind(value)}")
        return value

    def day(self, key: str) -> str | None:
        """A string, or a date as TOML writes it, as a string; ``None`` if it is not there."""
        value = self._take(key)
        if isinstance(value, date) and not isinstance(value, datetime):
            return value.isoformat()
        return None if value is None else self._text(key, value)

    def table(self, key: str) -> Table | None:
        """The table below a key; ``None`` if it is not there."""
        value = self._take(key)
        if value is None:
            return None
        inner = f"{self.name[1:-1]}.{key}" if self.name else key
        if not isinstance(value, dict):
            self.fail(key, f"must be a table, [{inner}], not {_kind(value)}")
        return Table(self.path, f"[{inner}]", value)

    def tables(self, key: str) -> list[Table]:
        """The tables of an array of tables; none if the key is not there."""
        value = self._take(key)
        if value is None:
            return []
        inner = f"{self.name[1:-1]}.{key}" if self.name else key
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.fail(key, f"must be an array of tables, [[{inner}]], not {_kind(value)}")
        return [
            Table(self.path, f"[[{inner}]] number {number}", item)
            for number, item in enumerate(value, start=1)
        ]

    def names(self) -> list[str]:
        """The keys that are there, in the order of the file."""
        return list(self.data)

    def finish(self) -> None:
        """Report a key that nobody asked for.

        Raises:
            UsageError: There is one.
        """
        for key in self.data:
            if key not in self._asked:
                known = ", ".join(sorted(self._asked))
                self.fail(key, "unknown key", suggestion(key, self._asked) or f"known: {known}")

    def _take(self, key: str) -> Any:
        self._asked.add(key)
        return self.data.get(key)

    def _text(self, key: str, value: object) -> str:
        if isinstance(value, _Unquoted) or (isinstance(value, int) and not isinstance(value, bool)):
            written = value.text if isinstance(value, _Unquoted) else str(value)
            self.fail(
                key,
                f"must be a string, not the number {written}",
                f'write "{written}" with quotes: as a number, 3.10 would be 3.1',
            )
        if not isinstance(value, str):
            self.fail(key, f"must be a string, not {_kind(value)}")
        if not value.strip():
            self.fail(key, "must not be empty")
        return value


def suggestion(word: str, known: Iterable[str]) -> str:
    """``did you mean "versions"?`` if a known word is close, else nothing."""
    close = difflib.get_close_matches(word, list(known), n=1)
    return f'did you mean "{close[0]}"?' if close else ""


def _kind(value: object) -> str:
    if isinstance(value, _Unquoted):
        return f"the number {value.text}"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return f"the number {value}"
    if isinstance(value, str):
        return f'the string "{value}"'
    if isinstance(value, dict):
        return "a table"
    return "a list" if isinstance(value, list) else str(value)


def _quoted(values: list[object]) -> str:
    """What to write instead, for a single value where a list belongs."""
    texts = [
        value.text if isinstance(value, _Unquoted) else str(value)
        for value in values
        if isinstance(value, str | int | _Unquoted)
    ]
    return f"write [{', '.join(f'{chr(34)}{text}{chr(34)}' for text in texts)}]" if texts else ""
