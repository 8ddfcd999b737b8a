"""Version ranges in a manifest, understood without any dependency.

The part of PEP 440 that a manifest needs: comma-separated comparisons with ``==``, ``!=``, ``<``,
``<=``, ``>``, ``>=``, and ``*`` for any version. Inside a cell nothing may be installed beside the
framework, so ``packaging`` is not to be had here; the planner's side uses it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

__all__ = ["matches"]

_VERSION = re.compile(
    r"v?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<stage>a|b|rc|alpha|beta|c|pre)[-_.]?(?P<stage_number>\d*))?"
    r"(?:[-_.]?post[-_.]?(?P<post>\d*))?(?:[-_.]?dev[-_.]?(?P<dev>\d*))?(?:\+[\w.]+)?",
    re.IGNORECASE,
)
_COMPARISON = re.compile(r"(==|!=|<=|>=|<|>)\s*([^,\s]+)")
_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "pre": 2, "rc": 2}
_FINAL = 3

_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def matches(version: str, specifier: str) -> bool:
    """Whether ``version`` is within ``specifier``.

    Raises:
        ValueError: Either is not of the form that is understood here.
    """
    key = _key(version)
    if specifier.strip() == "*":
        return True
    for comparison in specifier.split(","):
        match = _COMPARISON.fullmatch(comparison.strip())
        if match is None:
            msg = f"not a version range: {specifier!r}"
            raise ValueError(msg)
        if not _OPERATORS[match[1]](key, _key(match[2])):
            return False
    return True


def _key(version: str) -> tuple[tuple[int, ...], int, int, int, int]:
    match = _VERSION.fullmatch(version.strip())
    if match is None:
        msg = f"not a version: {version!r}"
        raise ValueError(msg)
    release = [int(part) for part in match["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    is_dev = match["dev"] is not None
    stage = match["stage"]
    if stage is not None:
        rank = _STAGES[stage.lower()]
    elif is_dev and match["post"] is None:
        # 1.0.dev1 comes before 1.0a1.
        rank = -1
    else:
        rank = _FINAL
    post = -1 if match["post"] is None else int(match["post"] or 0)
    dev = int(match["dev"] or 0) if is_dev else 1_000_000_000
    return tuple(release), rank, int(match["stage_number"] or 0), post, dev
