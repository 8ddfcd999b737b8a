"""What people and programs read: lines of text, schema-1 JSON, and a cell's file."""

from __future__ import annotations

import contextlib
import json
import os
import unicodedata
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from plugpull.errors import PlugpullError
from plugpull.verdicts import ERROR, FAIL, Outcome, Result

__all__ = ["SCHEMA", "check_writable", "document", "json_text", "text_lines", "write_whole"]

#: Rises when a field is removed or changes its meaning; new fields leave it as it is.
SCHEMA = 1


def document(results: Sequence[Result]) -> dict[str, Any]:
    """The results as schema 1 has them."""
    return {"schema": SCHEMA, "results": [result.to_json() for result in results]}


def json_text(data: Any, encoding: str) -> str:
    """JSON for people and programs, with escapes only where ``encoding`` needs them.

    What an agent sends may hold half a surrogate pair, which no encoding has.
    """
    text = json.dumps(data, indent=2, ensure_ascii=False)
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return json.dumps(data, indent=2)
    return text


def text_lines(results: Sequence[Result]) -> list[str]:
    """One line per result, in columns as wide as this output needs.

    Below an ERROR, and below a FAIL whose resume crashed or hung, stands the end of what the
    target wrote to standard error: there it says why, and nowhere else.
    """
    columns = [
        (result.verdict, result.scenario, result.kill_point, _plain(result.target))
        for result in results
    ]
    widths = [5, *(max((len(row[place]) for row in columns), default=0) for place in (1, 2, 3))]
    lines = []
    for result, row in zip(results, columns, strict=True):
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        lines.append("  ".join([*cells, _plain(result.detail)]))
        if _shows_stderr(result):
            stderr = result.evidence.get("stderr", "")
            lines += [f"    | {_plain(line)}" for line in stderr.splitlines()]
    return lines


def _plain(text: str) -> str:
    """Without characters that end a line or steer a terminal: an agent chooses its own words."""
    return "".join(
        repr(character)[1:-1]
        if character != "\t" and unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}
        else character
        for character in text
    )


def _shows_stderr(result: Result) -> bool:
    return result.verdict == ERROR or (
        result.verdict == FAIL
        and result.outcome in {Outcome.CRASHED, Outcome.HUNG, Outcome.REFUSED}
    )


def check_writable(path: Path) -> None:
    """Find out before a long run whether its report can be written.

    Raises:
        PlugpullError: It cannot.
    """
    with _not_written(path):
        if path.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        with _beside(path):
            pass


def write_whole(path: Path, data: Any) -> None:
    """Write JSON so that the file is there whole or not at all, whatever happens meanwhile.

    Raises:
        PlugpullError: The disk is full, the folder may not be written to, and the like.
    """
    with _not_written(path), _beside(path) as half:
        with half.open("w", encoding="utf-8") as stream:
            stream.write(json_text(data, "utf-8") + "\n")
            stream.flush()
            os.fsync(stream.fileno())
        half.replace(path)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """A new file in the same folder, which is gone afterwards unless it was renamed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    try:
        half.touch(exist_ok=False)
        yield half
    finally:
        half.unlink(missing_ok=True)


@contextlib.contextmanager
def _not_written(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise PlugpullError(
            f"{path} cannot be written: {error.strerror or error}",
            then="make room, or name another place",
        ) from error
