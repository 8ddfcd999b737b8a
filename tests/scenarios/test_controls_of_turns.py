"""The controls of the scenarios about turns, failures and stops come out as they are declared."""

from __future__ import annotations

from pathlib import Path

import pytest
from plugpull.controls import run_controls
from plugpull.lab import Lab
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS
from plugpull.scenarios.base import Settings

CONTROL = Path(__file__).parents[2] / "targets" / "control"

NAMES = [
    "graceful-stop",
    "model-error-after-tool",
    "provider-ack-lost",
    "restart-next-turn",
    "cancel-mid-stream",
]


@pytest.mark.parametrize("name", NAMES)
def test_at_each_fault_point_one_passes_and_one_fails(lab: Lab, name: str) -> None:
    """Rule 10: a detector that cannot go red proves nothing."""
    found = run_controls(lab, read_manifest(CONTROL), SCENARIOS[name], Settings())
    assert [str(one) for one in found if one.deviates] == []
    for point in SCENARIOS[name].fault_points:
        verdicts = {one.expected.split()[0] for one in found if one.kill_point == point}
        assert verdicts == {"PASS", "FAIL"}, point
