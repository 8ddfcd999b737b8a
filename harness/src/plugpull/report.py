"""What people and programs read: lines of text, schema-1 JSON, and a cell's file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plugpull.errors import PlugpullError
from plugpull.verdicts import ERROR, FAIL, Outcome, Result

__all__ = ["SCHEMA", "document", "text_lines", "write_whole"]

#: Rises when a field is removed or changes its meaning; new fields leave it as it is.
SCHEMA = 1


def document(results: Sequence[Result]) -> dict[str, Any]:
    """The results as schema 1 has them."""
    return {"schema": SCHEMA, "results": [result.to_json() for result in results]}


def text_lines(results: Sequence[Result]) -> list[str]:
    """One line per result, in columns as wide as this output needs.

    Below an ERROR, and below a FAIL whose resume crashed or hung, stands the end of what the
    target wrote to standard error: there it says why, and nowhere else.
    """
    columns = [
        (result.verdict, result.scenario, result.kill_point, result.target) for result in results
    ]
    widths = [5, *(max((len(row[place]) for row in columns), default=0) for place in (1, 2, 3))]
    lines = []
    for result, row in zip(results, columns, strict=True):
        cells = [text.ljust(width) for text, width in zip(row, widths, strict=True)]
        lines.append("  ".join([*cells, result.detail]))
        if _shows_stderr(result):
            stderr = result.evidence.get("stderr", "")
            lines += [f"    | {line}" for line in stderr.splitlines()]
    return lines


def _shows_stderr(result: Result) -> bool:
    return result.verdict == ERROR or (
        result.verdict == FAIL
        and result.outcome in {Outcome.CRASHED, Outcome.HUNG, Outcome.REFUSED}
    )


def write_whole(path: Path, data: Any) -> None:
    """Write JSON so that the file is there whole or not at all, whatever happens meanwhile.

    Raises:
        PlugpullError: The disk is full, the folder may not be written to, and the like.
    """
    name = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(data, stream, indent=2, ensure_ascii=False)
            stream.write("\n")
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(path)
    except OSError as error:
        if name is not None:
            Path(name).unlink(missing_ok=True)
        raise PlugpullError(
            f"{path} could not be written: {error.strerror or error}",
            then="make room, or name another place",
        ) from error
