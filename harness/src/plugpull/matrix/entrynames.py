"""The names in entries of ``expectations.toml``, checked against what is declared.

This happens before anything runs. Of a fault point's details nobody knows yet: only results do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from plugpull.errors import UsageError
from plugpull.matrix.points import fault_points
from plugpull.matrix.tables import suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.declared import Framework
    from plugpull.matrix.expectations import Expectation, Expectations
    from plugpull.matrix.manifests import TargetFacts

__all__ = ["check_names"]


def check_names(
    expectations: Expectations,
    frameworks: Mapping[str, Framework],
    cells: Iterable[Cell],
) -> None:
    """Refuse an entry that can match nothing, whatever runs.

    Args:
        expectations: The file.
        frameworks: Every framework there is, also those that this run leaves out.
        cells: All cells of the frameworks that this run has something of, selected or not. The
            versions of other frameworks are not looked up, so nobody knows whether those match.

    Raises:
        UsageError: There is one.
    """
    known: dict[str, list[Cell]] = {}
    for cell in cells:
        known.setdefault(cell.framework, []).append(cell)
    for entry in expectations.entries:
        framework = frameworks.get(entry.framework)
        if framework is None:
            _refuse(entry, f"there is no framework {entry.framework}", entry.framework, frameworks)
        facts = framework.target
        _known(entry, "scenario", entry.scenarios, facts.scenarios)
        _known(entry, "variant of its scenarios", entry.variants, _variants(entry, facts))
        points = fault_points(entry.scenarios)
        if points:
            _known(entry, "fault point", _without_details(entry.points), points)
        _known(entry, "cell on Python", entry.pythons, framework.pythons)
        own = known.get(entry.framework)
        if own is not None and not any(_may_be_about(entry, cell) for cell in own):
            versions = dict.fromkeys(cell.version for cell in own if cell.runs)
            what = f'versions = "{entry.versions}" matches no version that could run'
            _refuse(entry, what, "", versions)


def _known(entry: Expectation, kind: str, names: Iterable[str], there: Iterable[str]) -> None:
    for name in names:
        if name not in there:
            _refuse(entry, f"{entry.framework} has no {kind} {name}", name, there)


def _without_details(points: Iterable[str]) -> list[str]:
    return [point.partition("/")[0] for point in points]


def _may_be_about(entry: Expectation, cell: Cell) -> bool:
    if not cell.runs:
        return False
    if cell.source in {"index", "harness"}:
        return entry.is_about(cell.framework, cell.version, cell.python)
    # Its version is known once it is installed.
    return not entry.pythons or cell.python in entry.pythons


def _variants(entry: Expectation, facts: TargetFacts) -> list[str]:
    variants = facts.variants or (("default", facts.scenarios),)
    return [
        name
        for name, scenarios in variants
        if any(scenario in (scenarios or facts.scenarios) for scenario in entry.scenarios)
    ]


def _refuse(entry: Expectation, what: str, word: str, known: Iterable[str]) -> NoReturn:
    names = list(known)
    raise UsageError(
        f"{entry.place} matches nothing: {what}",
        then=suggestion(word, names) or f"there are: {', '.join(names) or 'none'}",
    )
