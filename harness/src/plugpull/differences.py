"""What differs between two end states, in lines that people can read."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from plugpull.endstate import EMPTY, Entry

__all__ = ["Difference", "compare_outputs", "compare_trees", "same_output"]

_NOTHING = object()

# Characters of a line that are shown, and how many of them stand before the first that differs.
_WIDTH = 60
_BEFORE = 15


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that is not as it was to be.

    Attributes:
        text: What differs, in one line.
        path: Of the file it is about; empty for something else.
        loss: Something that was there is not, as opposed to something else being there.
    """

    text: str
    path: str = ""
    loss: bool = False


def compare_trees(
    expected: Mapping[str, Entry], found: Mapping[str, Entry], by_name: Collection[str] = ()
) -> list[Difference]:
    """What differs between two snapshots, by path.

    Args:
        expected: What was to be there.
        found: What is there.
        by_name: Paths whose contents may differ; what must not is that they are there, of which
            kind, and that they hold something if they did.
    """
    return [
        difference
        for path in sorted({*expected, *found})
        for difference in _compare(
            path, expected.get(path), found.get(path), any_content=path in by_name
        )
    ]


def compare_outputs(expected: Any, found: Any, place: str = "output") -> list[Difference]:
    """What differs between two JSON values, by the place of each difference."""
    if same_output(expected, found):
        return []
    if isinstance(expected, dict) and isinstance(found, dict):
        pairs = {
            f"{place}.{key}": (expected.get(key, _NOTHING), found.get(key, _NOTHING))
            for key in sorted({*expected, *found})
        }
    elif isinstance(expected, list) and isinstance(found, list):
        both = zip_longest(expected, found, fillvalue=_NOTHING)
        pairs = {f"{place}[{number}]": pair for number, pair in enumerate(both)}
    elif found is None:
        return [Difference(f"missing: {place}, which was {_json(expected)}", loss=True)]
    else:
        return [Difference(f"differs: {place} is {_json(found)} instead of {_json(expected)}")]
    return [one for inner, pair in pairs.items() for one in _compare_values(*pair, inner)]


def same_output(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same; to Python, ``1`` and ``true`` are."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _compare_values(expected: Any, found: Any, place: str) -> list[Difference]:
    if found is _NOTHING:
        return [Difference(f"missing: {place}, which was {_json(expected)}", loss=True)]
    if expected is _NOTHING:
        return [Difference(f"unexpected: {place}, which is {_json(found)}")]
    return compare_outputs(expected, found, place)


def _compare(
    path: str, expected: Entry | None, found: Entry | None, *, any_content: bool
) -> Iterator[Difference]:
    if found is None:
        yield Difference(f"missing: {path}", path, loss=True)
    elif expected is None:
        yield Difference(f"unexpected: {path}", path)
    elif expected.kind != found.kind:
        kinds = f"is {_article(found.kind)}, not {_article(expected.kind)}"
        yield Difference(f"differs: {path} {kinds}", path)
    elif found.digest == EMPTY != expected.digest:
        yield Difference(f"missing: all of {path}, which is empty", path, loss=True)
    elif expected.digest != found.digest and not any_content:
        yield Difference(f"differs: {path}{_content(expected, found)}", path)


def _content(expected: Entry, found: Entry) -> str:
    if expected.text is None or found.text is None:
        same_size = found.size == expected.size
        return (
            f" ({found.size} {'other bytes' if same_size else f'bytes instead of {expected.size}'})"
        )
    if expected.kind == "link":
        return f" leads to {_json(found.text)} instead of {_json(expected.text)}"
    lines = zip_longest(expected.text.split("\n"), found.text.split("\n"))
    number, wanted, got = next(
        (number, *pair) for number, pair in enumerate(lines, 1) if pair[0] != pair[1]
    )
    if got is None:
        return f" ends before line {number}, which was {_json(wanted)}"
    if wanted is None:
        return f" goes on with line {number}: {_json(got)}"
    alike = next(
        (at for at, pair in enumerate(zip(wanted, got, strict=False)) if pair[0] != pair[1]),
        min(len(wanted), len(got)),
    )
    begin = max(0, alike - _BEFORE)
    return f", line {number}: {_json(got[begin:])} instead of {_json(wanted[begin:])}"


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


def _json(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH]}…"
