"""Whether ``--only`` of a check can select anything: asked before anything is built."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from plugpull.errors import UsageError
from plugpull.matrix.points import fault_points
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.matrix.manifests import TargetFacts

__all__ = ["Unknown", "check_only", "unknown_part"]


@dataclass(frozen=True, slots=True)
class Unknown:
    """A part of a selector that names nothing.

    Attributes:
        part: As it was written.
        kind: What it would have been one of.
        names: Those that there are.
    """

    part: str
    kind: str
    names: tuple[str, ...]

    def error(self, selector: str) -> UsageError:
        """The error for a whole selector, with the nearest name."""
        return UsageError(
            f"--only {selector}: nothing matches",
            why=f"there is no {self.part!r} among the {self.kind}",
            then=suggestion(self.part, self.names) or f"there are: {', '.join(self.names)}",
        )


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
        unknown = unknown_part([first, *rest], target)
        if unknown is not None:
            raise unknown.error(text)


def unknown_part(parts: Sequence[str], target: TargetFacts) -> Unknown | None:
    """The first part of ``SCENARIO/VARIANT/POINT`` that there is not; ``None`` if all may be.

    Args:
        parts: The parts, each a name or a glob. The variant may be left out.
        target: The target that answers.
    """
    first, *rest = parts
    scenarios = _matching(first, target.scenarios)
    if not scenarios:
        return Unknown(first, "scenarios", target.scenarios)
    if not rest:
        return None
    variants = _variants(scenarios, target)
    points = fault_points(scenarios)
    if not _matching(rest[0], variants):
        if not points or _matching(rest[0], points):
            return None
        return Unknown(rest[0], "variants and fault points", (*variants, *points))
    if len(rest) > 1 and points and not _matching(rest[1], points):
        return Unknown(rest[1], "fault points", tuple(points))
    return None


def _variants(scenarios: Sequence[str], target: TargetFacts) -> list[str]:
    return [
        name
        for name, answered in target.variants or (("default", ()),)
        if not answered or not set(answered).isdisjoint(scenarios)
    ]


def _matching(pattern: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name == pattern or fnmatchcase(name, pattern)]
