"""Made-up results, as short to write as they are to read."""

from __future__ import annotations

from typing import Any

from plugpull.matrix.records import RAN, CellRecord, Collected
from plugpull.matrix.results import Result

CREATED = "2026-11-29T12:00:00Z"
MEASURED = "2026-11-29T12:05:00Z"


def raw_result(
    variant: str = "sync+no-key",
    point: str = "before-effect",
    verdict: str = "PASS",
    *,
    scenario: str = "kill-mid-tool",
    times: int = 1,
    runs: tuple[int, int] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A result as the core writes it. ``runs`` are FAIL and all: it depends on timing then."""
    raw = {
        "scenario": scenario,
        "target": "toy 1.0",
        "kill_point": point,
        "verdict": verdict,
        "detail": f"the provider saw {times} charge_card effects",
        "evidence": {"effects": {"charge_card": times, "finish_order": 1}},
        "variant": variant,
        "outcome": {"PASS": "held", "ERROR": None}.get(verdict, "duplicated"),
        "timing_dependent": runs is not None,
        **more,
    }
    if runs is not None:
        failed, total = runs
        raw["runs"] = {"PASS": total - failed, "FAIL": failed, "ERROR": 0}
    return raw


def row(
    framework: str, version: str, python: str, *raw: dict[str, Any], **record: Any
) -> tuple[CellRecord, list[Result]]:
    """A cell and its results."""
    cell = CellRecord(
        framework, version, python, **{"state": RAN, "measured_at": MEASURED, **record}
    )
    results = [
        Result(
            cell=cell.id,
            framework=framework,
            version=version,
            python=python,
            variant=each["variant"],
            measured_at=cell.measured_at,
            raw=each,
            selected=cell.selected,
        )
        for each in raw
    ]
    return cell, results


def put_together(*rows: tuple[CellRecord, list[Result]], **collected: Any) -> Collected:
    """A matrix of these rows."""
    return Collected(
        cells=tuple(cell for cell, _ in rows),
        results=tuple(result for _, results in rows for result in results),
        **{"created": CREATED, **collected},
    )
