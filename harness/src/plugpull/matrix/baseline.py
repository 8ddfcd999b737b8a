"""A recorded baseline: the last run's verdicts in a file that is small enough to be committed.

It is a ``matrix.json`` without evidence and with a line for each result, so that a later recording
shows up in a diff as the verdicts that changed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.errors import ERROR_EXIT, PlugpullError
from plugpull.matrix.collect import collect
from plugpull.matrix.files import write_whole
from plugpull.matrix.results import SCHEMA

if TYPE_CHECKING:
    from plugpull.matrix.plan import Plan
    from plugpull.matrix.records import CellRecord, Collected
    from plugpull.matrix.results import Result

__all__ = ["baseline_text", "record"]

#: What a comparison looks at, and what it takes to read the file as results.
_KEPT = ("target", "detail", "outcome", "runs", "timing_dependent", "point_detail")


def record(plan: Plan) -> str:
    """Write the verdicts that the last run asked for.

    Args:
        plan: The run's plan. Its options say where to.

    Returns:
        What was written, for people.

    Raises:
        PlugpullError: The run has gaps: a baseline without them says more, for longer.
    """
    collected = collect(plan)
    code, reason = collected.judgement
    if code == ERROR_EXIT:
        raise PlugpullError(
            f"no baseline was recorded: {reason}",
            then="nox -s matrix measures what is missing; narrow it with -- --only to leave it out",
        )
    path = Path(plan.options.baseline)
    write_whole(path, baseline_text(collected))
    counts = collected.counts
    return (
        f"recorded {counts.passed} PASS and {counts.failed} FAIL of {counts.ran} cells in {path}; "
        f"nox -s matrix -- --compare {path} compares with it"
    )


def baseline_text(collected: Collected) -> str:
    """The file's content."""
    head = {"schema": SCHEMA, "created": collected.created, "counts": collected.counts.to_json()}
    cells = [_cell(cell) for cell in collected.cells if cell.selected]
    results = [_result(result) for result in collected.selected]
    parts = [f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items()]
    parts += [_lines("cells", cells), _lines("results", results)]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _cell(cell: CellRecord) -> dict[str, Any]:
    facts = cell.facts or {}
    return {
        "id": cell.id,
        "state": cell.state,
        **({"reason": cell.reason} if cell.reason else {}),
        **{name: facts[name] for name in ("version", "python", "as_of") if facts.get(name)},
    }


def _result(result: Result) -> dict[str, Any]:
    raw = result.raw
    return {
        "id": result.id,
        "verdict": result.verdict,
        "framework": result.framework,
        "version": result.version,
        "python": result.python,
        "scenario": result.scenario,
        "variant": result.variant,
        "kill_point": result.kill_point,
        **{name: raw[name] for name in _KEPT if raw.get(name) not in (None, False)},
        "evidence": {},
    }


def _lines(name: str, items: list[dict[str, Any]]) -> str:
    lines = [f"    {json.dumps(item, ensure_ascii=False)}" for item in items]
    return f"  {json.dumps(name)}: [\n" + ",\n".join(lines) + "\n  ]"
