"""Checkpointing or durable execution: told from what a resume did again, not from what is said.

A checkpoint takes a run back to where it was saved, and all that had been done since is done again.
Durable execution keeps the result of each finished step, and gives it back instead. Both keep a run
alive, and they ask different things of a tool, so people have to know which of the two they have.

One way of using a framework (a variant) is

- checkpointing, if somewhere an effect that was finished was called again after a kill, with or
  without a key: a key only hides from the provider that the step ran again;
- durable execution, if that happened nowhere, and every run came to its end. It has to have been
  asked for both scenarios: kill-sweep alone kills between steps, batch-kill alone within one.

A framework is durable execution if one way of using it is. Everything else was not measured.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plugpull.matrix.finished import BATCH, SWEEP, Seen
from plugpull.matrix.model import version_order
from plugpull.matrix.records import EXCLUDED, RAN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugpull.matrix.records import CellRecord, Collected
    from plugpull.matrix.results import Result

__all__ = ["CHECKPOINTING", "DURABLE", "NOT_MEASURED", "Kind", "Way", "kinds"]

CHECKPOINTING = "checkpointing"
DURABLE = "durable execution"
NOT_MEASURED = "not measured"

#: Where the one version of a target comes from that is part of the harness.
_OWN = "harness"

_BOTH = (SWEEP, BATCH)


@dataclass(frozen=True, slots=True)
class Way:
    """What one way of using a framework is.

    Attributes:
        variant: Its name.
        kind: :data:`DURABLE`, :data:`CHECKPOINTING` or :data:`NOT_MEASURED`.
        shown_by: What shows it: measured counts, or why nothing is known.
    """

    variant: str
    kind: str
    shown_by: str

    def to_json(self) -> dict[str, str]:
        """One key per attribute."""
        return {"variant": self.variant, "kind": self.kind, "shown_by": self.shown_by}


@dataclass(frozen=True, slots=True)
class Kind:
    """What a framework is.

    Attributes:
        framework: The name its users know it by.
        version: The newest one that was asked; ``""`` if none was.
        kind: :data:`DURABLE`, :data:`CHECKPOINTING` or :data:`NOT_MEASURED`.
        ways: Every variant that was asked for one of the two scenarios.
        reason: Why it was not measured; ``""`` if it was.
    """

    framework: str
    version: str
    kind: str
    ways: tuple[Way, ...] = ()
    reason: str = ""

    def of(self, kind: str) -> tuple[Way, ...]:
        """The ways of using it that are of a kind."""
        return tuple(way for way in self.ways if way.kind == kind)

    def to_json(self) -> dict[str, Any]:
        """The content of ``matrix.json``."""
        data: dict[str, Any] = {
            "framework": self.framework,
            "version": self.version,
            "kind": self.kind,
            "ways": [way.to_json() for way in self.ways],
        }
        return data | ({"reason": self.reason} if self.reason else {})


def kinds(collected: Collected) -> tuple[Kind, ...]:
    """What each framework is, in the order of the cells. The harness's own agent is none."""
    own = {cell.framework for cell in collected.cells if _is_own(cell)}
    names = dict.fromkeys(cell.framework for cell in collected.cells if cell.framework not in own)
    return tuple(_kind(name, collected) for name in names)


def _is_own(cell: CellRecord) -> bool:
    return (cell.facts or {}).get("source") == _OWN


def _kind(framework: str, collected: Collected) -> Kind:
    cells = [cell for cell in collected.cells if cell.framework == framework]
    results = [
        result
        for result in collected.results
        if result.framework == framework and result.scenario in _BOTH
    ]
    if not results:
        return Kind(framework, "", NOT_MEASURED, reason=_why_not(cells))
    version = max((result.version for result in results), key=version_order)
    by_variant: dict[str, list[Result]] = {}
    for result in results:
        if result.version == version:
            by_variant.setdefault(result.variant, []).append(result)
    ways = tuple(_way(variant, asked) for variant, asked in by_variant.items())
    found = {way.kind for way in ways}
    for kind in (DURABLE, CHECKPOINTING):
        if kind in found:
            return Kind(framework, version, kind, ways)
    of_version = [cell for cell in cells if cell.version == version]
    reason = _declared(of_version) or _undecided(ways)
    return Kind(framework, version, NOT_MEASURED, ways, reason)


def _way(variant: str, results: list[Result]) -> Way:
    seen = [Seen(result) for result in results]
    again = [text for one in seen for text in one.again]
    if again:
        return Way(variant, CHECKPOINTING, _shortened(again))
    if broken := [text for one in seen if (text := one.not_ended)]:
        return Way(variant, NOT_MEASURED, _shortened(broken))
    asked = {result.scenario for result in results}
    told = {one.result.scenario for one in seen if one.finished}
    for scenario in _BOTH:
        if scenario not in asked:
            return Way(variant, NOT_MEASURED, f"it was not asked for {scenario}")
        if scenario not in told:
            return Way(variant, NOT_MEASURED, _nothing_told(scenario, results))
    places = sum(bool(one.finished) for one in seen)
    return Way(variant, DURABLE, f"no finished effect was called again, at {places} places")


def _nothing_told(scenario: str, results: list[Result]) -> str:
    """Why no run of a scenario tells what was finished."""
    if all(result.timing_dependent for result in results if result.scenario == scenario):
        return f"what is finished when {scenario} kills it depends on timing"
    return f"nothing was finished where {scenario} killed it"


def _shortened(texts: list[str]) -> str:
    more = len(texts) - 1
    return f"{texts[0]}, and at {more} more place{'s' * (more > 1)}" if more else texts[0]


def _undecided(ways: Iterable[Way]) -> str:
    """Why none of the ways is known to be either, each reason once."""
    reasons: dict[str, list[str]] = {}
    for way in ways:
        reasons.setdefault(way.shown_by, []).append(way.variant)
    return "; ".join(f"{', '.join(variants)}: {reason}" for reason, variants in reasons.items())


def _why_not(cells: Iterable[CellRecord]) -> str:
    """Why there is no result of either scenario."""
    cells = list(cells)
    reasons = [cell.reason for cell in cells if cell.state != RAN and cell.reason]
    if not any(cell.state == RAN for cell in cells) and reasons:
        excluded = all(cell.state == EXCLUDED for cell in cells)
        return reasons[-1] if excluded else f"it did not run: {reasons[-1]}"
    return _declared(cells) or f"it was asked for neither {SWEEP} nor {BATCH}"


def _declared(cells: Iterable[CellRecord]) -> str:
    """What its target says about a scenario that it cannot be asked for."""
    for cell in cells:
        for gap in cell.not_supported:
            whole = not gap.get("variant") and not gap.get("kill_point")
            if gap.get("scenario") in _BOTH and whole:
                return f"{gap['scenario']}: {gap.get('reason')} {gap.get('link') or ''}".rstrip()
    return ""
