"""Version ranges in a manifest, understood without any dependency.

The part of PEP 440 that a manifest needs: comma-separated comparisons with ``==``, ``!=``, ``<``,
``<=``, ``>``, ``>=``, and ``*`` for any version. Inside a cell nothing may be installed beside the
framework, so ``packaging`` is not to be had here; the planner's side uses it, and a test compares
the two. Pre-releases count as any other version: what is installed was asked for.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["is_version", "matches"]

_VERSION = re.compile(
    r"v?(?:(?P<epoch>\d+)!)?(?P<release>\d+(?:\.\d+)*)"
    r"(?:[-_.]?(?P<stage>alpha|a|beta|b|preview|pre|rc|c)[-_.]?(?P<stage_number>\d*))?"
    r"(?:-(?P<implicit_post>\d+)|[-_.]?(?:post|rev|r)[-_.]?(?P<post>\d*))?"
    r"(?:[-_.]?dev[-_.]?(?P<dev>\d*))?"
    r"(?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?",
    re.IGNORECASE | re.ASCII,
)
_COMPARISON = re.compile(r"(==|!=|<=|>=|<|>)\s*([^,\s]+)")
_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1, "c": 2, "pre": 2, "preview": 2, "rc": 2}
_FINAL = 3


class _Version(NamedTuple):
    """Compares as PEP 440 orders versions. The local part is left out: 1.0+cpu is a 1.0."""

    epoch: int
    release: tuple[int, ...]
    stage: tuple[int, int]
    post: int
    dev: float

    @property
    def is_prerelease(self) -> bool:
        return self.dev != float("inf") or self.stage[0] in _STAGES.values()

    @property
    def final(self) -> tuple[int, tuple[int, ...], int]:
        """What it is a pre-release of, if it is one."""
        staged = self.stage[0] in _STAGES.values()
        return self.epoch, self.release, -1 if staged else self.post


def is_version(text: str) -> bool:
    """Whether ``text`` is a version as PEP 440 has it."""
    return _VERSION.fullmatch(text.strip()) is not None


def matches(version: str, specifier: str) -> bool:
    """Whether ``version`` is within ``specifier``.

    Raises:
        ValueError: Either is not of the form that is understood here.
    """
    candidate = _parse(version)
    if specifier.strip() == "*":
        return True
    comparisons = []
    for comparison in specifier.split(","):
        match = _COMPARISON.fullmatch(comparison.strip())
        if match is None or "+" in match[2]:
            msg = f"not a version range: {specifier!r}"
            raise ValueError(msg)
        comparisons.append((match[1], _parse(match[2])))
    return all(_holds(operator, candidate, bound) for operator, bound in comparisons)


def _holds(operator: str, candidate: _Version, bound: _Version) -> bool:
    if operator == "==":
        return candidate == bound
    if operator == "!=":
        return candidate != bound
    if operator == "<=":
        return candidate <= bound
    if operator == ">=":
        return candidate >= bound
    if operator == "<":
        # A pre-release of the bound is not below it, unless the bound is one itself.
        own = candidate.is_prerelease and not bound.is_prerelease
        return candidate < bound and not (own and candidate.final == bound.final)
    # A post-release of the bound is not above it, unless the bound is one itself.
    own = candidate.post >= 0 > bound.post
    return candidate > bound and not (own and candidate[:3] == bound[:3])


def _parse(text: str) -> _Version:
    match = _VERSION.fullmatch(text.strip())
    if match is None:
        msg = f"not a version: {text!r}"
        raise ValueError(msg)
    release = [int(part) for part in match["release"].split(".")]
    while len(release) > 1 and release[-1] == 0:
        release.pop()
    is_dev = match["dev"] is not None
    post = match["implicit_post"] if match["post"] is None else match["post"] or "0"
    if match["stage"]:
        stage = _STAGES[match["stage"].lower()], int(match["stage_number"] or 0)
    else:
        # 1.0.dev1 comes before 1.0a1.
        stage = (-1 if is_dev and post is None else _FINAL), 0
    return _Version(
        epoch=int(match["epoch"] or 0),
        release=tuple(release),
        stage=stage,
        post=-1 if post is None else int(post),
        dev=int(match["dev"] or 0) if is_dev else float("inf"),
    )
