"""What ``--only`` selects: whole cells, or scenarios and variants within them.

An id reads ``langgraph-1.2.11/py3.13/kill-mid-tool/sync+no-key/after-effect``. A selector is the
front of an id in whole parts, the name of a framework, or a glob. A glob is compared part by part
and may leave out the variant.
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from plugpull.matrix.points import has_point

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.manifests import TargetFacts

__all__ = ["EVERYWHERE", "OLDER", "Selection", "may_concern", "result_selected", "select"]

#: Parts of an id: framework and version, Python, scenario, variant, fault point.
_CELL_PARTS = 2
_SCENARIO, _VARIANT, _POINT = 2, 3, 4


#: The scenarios that run on every Python of a version that the declaration's ``default`` names.
#: Others run without being asked only on default cells.
EVERYWHERE = ("kill-mid-tool", "lost-session-write")
#: Those of versions that the declaration's ``default`` does not name, in a run of the whole matrix.
OLDER = EVERYWHERE[:1]


@dataclass(frozen=True, slots=True)
class Selection:
    """What runs within a cell.

    Attributes:
        scenarios: Names of scenarios. Empty means whatever runs without a selection.
        variants: Names of variants. Empty means all.
    """

    scenarios: tuple[str, ...] = ()
    variants: tuple[str, ...] = ()


def select(selectors: Iterable[str], cell: Cell, target: TargetFacts) -> Selection | None:
    """What some selectors select of a cell together; ``None`` if nothing."""
    scenarios: dict[str, None] = {}
    variants: dict[str, None] = {}
    selected = whole_cell = whole_scenario = False
    for selector in selectors:
        one = _select_one(selector, cell, target)
        if one is None:
            continue
        selected = True
        whole_cell |= not one.scenarios
        whole_scenario |= not one.variants
        scenarios.update(dict.fromkeys(one.scenarios))
        variants.update(dict.fromkeys(one.variants))
    if not selected:
        return None
    if whole_cell:
        return Selection()
    return Selection(tuple(scenarios), () if whole_scenario else tuple(variants))


def may_concern(selectors: Sequence[str], framework: str) -> bool:
    """Whether some selector may select a cell of a framework. Needs no version, so no network."""
    if not selectors:
        return True
    for selector in selectors:
        first = selector.split("/")[0]
        if _is_glob(first) or first == framework or first.startswith(f"{framework}-"):
            return True
    return False


def result_selected(
    selectors: Sequence[str], result_id: str, *, framework: str = "", asked: str = ""
) -> bool:
    """Whether some selector selects a result. No selectors select everything.

    Args:
        selectors: What ``--only`` was given.
        result_id: The result's id.
        framework: The framework's name. Without it, each front of the id that ends before a dash
            passes for one.
        asked: The declaration's entries that led to its cell, joined by commas.
    """
    parts = result_id.split("/")
    names = _names_of_id(parts[0], framework, asked)
    for selector in selectors:
        wanted = selector.split("/")
        if not any(_equal(wanted[0], name) for name in names):
            continue
        for shape in _shapes(wanted, selector):
            pairs = zip(shape[1:], parts[1:], strict=False)
            if len(shape) <= len(parts) and all(_equal(want, part) for want, part in pairs):
                return True
    return not selectors


def _select_one(selector: str, cell: Cell, target: TargetFacts) -> Selection | None:
    wanted = selector.split("/")
    if not _is_of_cell(wanted, cell):
        return None
    if len(wanted) <= _SCENARIO:
        return Selection()
    # What may be a variant is one: only what cannot be is read as a fault point.
    front = wanted[: _VARIANT + 1]
    as_it_is = _select_within(front, target) is not None
    shape = wanted if as_it_is else _shapes(wanted, selector)[-1]
    return _select_within(shape, target)


def _select_within(wanted: list[str], target: TargetFacts) -> Selection | None:
    """What the parts from the scenario on select of a target."""
    scenarios = tuple(
        name
        for name in target.scenarios
        if _equal(wanted[_SCENARIO], name)
        and (len(wanted) <= _POINT or has_point(name, wanted[_POINT]))
    )
    if not scenarios or len(wanted) <= _VARIANT:
        return Selection(scenarios) if scenarios else None
    variants = tuple(
        name
        for name, for_scenarios in target.variants or (("default", ()),)
        if _equal(wanted[_VARIANT], name)
        and (not for_scenarios or not set(scenarios).isdisjoint(for_scenarios))
    )
    if not variants:
        return None
    return Selection(scenarios, () if wanted[_VARIANT] == "*" else variants)


def _is_of_cell(wanted: list[str], cell: Cell) -> bool:
    names = [cell.framework, f"{cell.framework}-{cell.version}"]
    names += [f"{cell.framework}-{entry}" for entry in cell.asked.split(", ")]
    return any(_equal(wanted[0], name) for name in names) and (
        len(wanted) < _CELL_PARTS or _equal(wanted[1], f"py{cell.python}")
    )


def _shapes(wanted: list[str], selector: str) -> list[list[str]]:
    """The selector's parts; for a glob, which may leave the variant out, also with any put in."""
    shapes = [wanted]
    if _is_glob(selector) and len(wanted) > _VARIANT:
        shapes.append([*wanted[:_VARIANT], "*", *wanted[_VARIANT:]])
    return shapes


def _names_of_id(framework_version: str, framework: str, asked: str) -> list[str]:
    """What the first part of a selector may say for an id."""
    pieces = framework_version.split("-")
    fronts = ["-".join(pieces[:count]) for count in range(1, len(pieces))]
    frameworks = [framework] if framework else fronts
    entries = [entry for entry in asked.split(", ") if entry]
    opened = [f"{name}-{entry}" for name in frameworks for entry in entries]
    return [framework_version, *frameworks, *opened]


def _equal(pattern: str, text: str) -> bool:
    return fnmatchcase(text, pattern) if _is_glob(pattern) else pattern == text


def _is_glob(text: str) -> bool:
    return any(character in text for character in "*?[")
