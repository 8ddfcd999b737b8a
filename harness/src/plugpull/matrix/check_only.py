"""Whether ``--only`` of a check can select anything: asked before anything is built."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.tables import suggestion
from plugpull.scenarios import SCENARIOS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.matrix.manifests import TargetFacts

__all__ = ["check_only"]


def check_only(selectors: Iterable[str], framework: str, target: TargetFacts) -> None:
    """Refuse a selector that begins with no scenario, or goes on with no variant or fault point.

    Args:
        selectors: Each ``SCENARIO[/VARIANT][/POINT[/DETAIL]]``; any part may be a glob.
        framework: The framework's name.
        target: The target that answers.

    Raises:
        UsageError: One of them can select nothing.
    """
    for text in selectors:
        first, *rest = text.strip().strip("/").split("/")
        if first == framework or first.startswith(f"{framework}-"):
            raise UsageError(
                f"--only {text}: both versions are meant, so it begins with the scenario",
                then=f"--only {'/'.join(rest[1:]) or 'SCENARIO'}",
            )
        scenarios = _matching(first, target.scenarios)
        if not scenarios:
            raise _nothing(text, first, "scenarios", target.scenarios)
        variants = _variants(scenarios, target)
        points = [point for name in scenarios for point in SCENARIOS[name].fault_points]
        if rest and _matching(rest[0], variants):
            rest = rest[1:]
            if rest and not _matching(rest[0], points):
                raise _nothing(text, rest[0], "fault points", points)
        elif rest and not _matching(rest[0], points):
            raise _nothing(text, rest[0], "variants and fault points", [*variants, *points])


def _nothing(text: str, part: str, kind: str, names: Sequence[str]) -> UsageError:
    known = list(dict.fromkeys(names))
    return UsageError(
        f"--only {text}: nothing matches",
        why=f"there is no {part!r} among the {kind}",
        then=suggestion(part, known) or f"there are: {', '.join(known)}",
    )


def _variants(scenarios: Sequence[str], target: TargetFacts) -> list[str]:
    return [
        name
        for name, answered in target.variants or (("default", ()),)
        if not answered or not set(answered).isdisjoint(scenarios)
    ]


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name == pattern or fnmatchcase(name, pattern)]
