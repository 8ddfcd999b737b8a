"""From what the versions reported to the entries of an upgrade table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugpull.matrix.upgrade_table import Entry

if TYPE_CHECKING:
    from collections.abc import Iterable

    from plugpull.matrix.cells import Cell
    from plugpull.matrix.upgrade_cells import UpgradePlan
    from plugpull.matrix.upgrade_work import Work

__all__ = ["facts_of", "paired", "place_of", "recorded"]

_FROM = "from-"


def paired(asked: UpgradePlan, work: Work) -> Iterable[Entry]:
    """One entry for each pair, variant and fault point; the diagonal from those that saved."""
    cells = {cell.session: cell for pair in asked.pairs for cell in pair}
    for cell in cells.values():
        for raw in work.saved[cell.session].raw if cell.session in work.saved else ():
            yield _entry(cell.version, cell, raw)
        if cell.session in work.failed:
            yield Entry.broken(cell.version, cell, work.failed[cell.session])
    for saves, goes_on in asked.pairs:
        yield from _of_pair(saves, goes_on, work)


def _of_pair(saves: Cell, goes_on: Cell, work: Work) -> Iterable[Entry]:
    for cell in (saves, goes_on):
        if cell.session in work.failed:
            reason = f"{cell.version}: {work.failed[cell.session]}"
            yield Entry.broken(saves.version, goes_on, reason)
            return
    own = work.saved[saves.session].raw
    there = work.resumed[goes_on.session].raw if goes_on.session in work.resumed else ()
    for raw in own:
        place = (raw.get("variant"), raw["kill_point"])
        found = next((one for one in there if _is_from(one, saves.version, place)), None)
        if found is not None:
            yield _entry(saves.version, goes_on, found)
        elif raw["verdict"] == "ERROR":
            broken = {
                **raw,
                "detail": f"{saves.version} saved nothing: {raw['detail']}",
                "point_detail": f"{_FROM}{saves.version}",
            }
            yield _entry(saves.version, goes_on, broken)
        else:
            detail = f"{goes_on.version} has no variant {place[0]}"
            yield Entry.not_tried(saves.version, goes_on, str(place[0]), str(place[1]), detail)


def _is_from(raw: dict[str, Any], version: str, place: tuple[Any, Any]) -> bool:
    if (raw.get("variant"), raw["kill_point"]) != place:
        return False
    # An ERROR of the whole scenario stands without the version that saved.
    return raw.get("point_detail") in {f"{_FROM}{version}", None}


def recorded(asked: UpgradePlan, work: Work) -> Iterable[Entry]:
    """One entry for each recorded state and version that goes on."""
    for cell in asked.alone:
        if cell.session in work.failed:
            yield Entry.broken("every state", cell, work.failed[cell.session])
        for raw in work.resumed[cell.session].raw if cell.session in work.resumed else ():
            detail = raw.get("point_detail") or ""
            yield _entry(detail.removeprefix(_FROM) or "every state", cell, raw)


def _entry(saves: str, goes_on: Cell, raw: dict[str, Any]) -> Entry:
    return Entry(
        saved_by=saves,
        resumed_by=goes_on.version,
        cell=goes_on.id,
        python=goes_on.python,
        variant=str(raw.get("variant") or "default"),
        point=str(raw["kill_point"]),
        verdict=str(raw["verdict"]),
        outcome=str(raw.get("outcome") or ""),
        detail=str(raw["detail"]),
        raw=raw,
    )


def place_of(raw: dict[str, Any]) -> str:
    """Scenario, variant and fault point, as an id has them."""
    return f"{raw['scenario']}/{raw.get('variant')}/{raw['kill_point']}"


def facts_of(work: Work) -> dict[str, dict[str, Any]]:
    """What is known about each cell's environment, or why there was none."""
    facts = {name: file.cell for name, file in {**work.saved, **work.resumed}.items()}
    return {**facts, **{name: {"error": why} for name, why in work.failed.items()}}
