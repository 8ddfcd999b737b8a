from __future__ import annotations

import pytest
from madeup import raw_result, row
from plugpull.matrix.check_rows import Side, side_by_side


def side(failed: int, runs: int, *, errors: int = 0, timing: bool = False) -> dict[str, object]:
    """How one version fared."""
    verdict = "ERROR" if errors else "FAIL" if failed else "PASS"
    counts = {"PASS": runs - failed, "FAIL": failed, "ERROR": errors}
    return {"verdict": verdict, "runs": counts, "timing_dependent": timing}


PASS, FAIL = side(0, 1), side(1, 1)


@pytest.mark.parametrize(
    ("base", "head", "state"),
    [
        (PASS, PASS, "unchanged"),
        (FAIL, FAIL, "unchanged"),
        (FAIL, PASS, "fixed"),
        (PASS, FAIL, "regressed"),
        (PASS, side(0, 0, errors=1), "could-not-prepare"),
        (side(0, 0, errors=1), PASS, "could-not-prepare"),
        (side(0, 0, errors=1), side(0, 0, errors=1), "could-not-prepare"),
        (None, PASS, "new"),
        (None, FAIL, "new"),
        (None, side(0, 0, errors=1), "could-not-prepare"),
        (PASS, None, "could-not-prepare"),
        (side(5, 5, timing=True), side(0, 5, timing=True), "timing-dependent"),
        (side(10, 10, timing=True), side(0, 10, timing=True), "fixed"),
        (side(0, 10, timing=True), side(10, 10, timing=True), "regressed"),
        (side(2, 10, timing=True), side(0, 10, timing=True), "timing-dependent"),
        (side(20, 20, timing=True), side(5, 20, timing=True), "timing-dependent"),
        (side(1, 20, timing=True), side(15, 20, timing=True), "regressed"),
        (side(0, 5, timing=True), side(0, 5, timing=True), "unchanged"),
        (side(1, 2), side(0, 2), "timing-dependent"),
        (side(2, 2), side(0, 2), "fixed"),
    ],
)
def test_what_became_of_a_result(
    base: dict[str, object] | None, head: dict[str, object] | None, state: str
) -> None:
    """Every pair of outcomes has one state; what may be chance is never called a change."""
    sides = []
    for facts in (base, head):
        raw = [] if facts is None else [{**raw_result(), **facts}]
        sides.append(row("toy", "1.0", "3.13", *raw)[1])
    [found] = side_by_side("3.13", *sides)
    assert found.name == "kill-mid-tool/sync+no-key/before-effect"
    assert found.state == state


def test_more_runs_add_up() -> None:
    """Counts are added; one that differs from the others makes the result depend on timing."""
    first, second = (
        Side.of(row("toy", "1.0", "3.13", {**raw_result(), **facts})[1][0])
        for facts in (FAIL, PASS)
    )
    both = first.plus(second)
    assert (both.verdict, both.share, both.varies) == ("FAIL", (1, 2), True)
    assert both.shown == "FAIL in 1 of 2 runs"
    assert second.plus(second).shown == "PASS in 2 of 2 runs"
    assert first.shown == "FAIL"
