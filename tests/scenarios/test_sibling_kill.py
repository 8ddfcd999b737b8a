"""The kill in a call that is made beside the gated one: neither is recorded, whichever came first.

Which of two threads is faster is nobody's to say, so here it is arranged: the ungated call is held
at a fault point until the gated one stands at its gate, and only then it is let go.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plugpull.call_gates import CallGates
from plugpull.fault_desk import HOLD, FaultDesk
from plugpull.faults import FAULTS_VARIABLE, GO_ON
from plugpull.lab import Lab
from plugpull.provider_calls import HeldCall
from plugpull.scenarios.approvals import CHARGE, POINTS, SHAPES, SIBLING
from plugpull.scenarios.sibling_kill import kill_in_sibling
from plugpull.subject import Subject

PROGRAM = Path(__file__).parent / "toys" / "asking.py"
PLAN = POINTS["sibling-killed"]


class GatedFirst(CallGates):
    """Gates to which the ungated call comes when the gated one has been found there, never before.

    Attributes:
        opened: What was let through by its name.
    """

    def __init__(self, desk: FaultDesk) -> None:
        super().__init__()
        self.opened: list[str] = []
        self._desk = desk

    def wait_for(
        self, effects: tuple[str, ...], seconds: float, still_going: Callable[[], bool]
    ) -> HeldCall | None:
        """What stands there; behind the gated call, the other one is let come as well."""
        found = super().wait_for(effects, seconds, still_going)
        if found is not None and found.effect == CHARGE:
            other = self._desk.wait_held("shop", seconds, still_going)
            assert other is not None
            other.answer(GO_ON)
            assert super().wait_for((SIBLING,), seconds, still_going) is not None
        return found

    def open(self, effect: str) -> None:
        """Let a call through, and note it."""
        self.opened.append(effect)
        super().open(effect)


def test_a_call_that_came_beside_it_stays_unrecorded(lab: Lab, tmp_path: Path) -> None:
    """Nobody waits for the gated call, so it is not let through, and the kill finds both open."""
    traits = "shop-beside+shop-when-told"
    subject = Subject(target=traits, argv=(sys.executable, str(PROGRAM), traits, str(tmp_path)))
    limit = lab.limits.unfaulted
    evidence: dict[str, Any] = {}
    with lab.trial(subject, {**PLAN.variables, FAULTS_VARIABLE: "shop"}) as trial:
        assert trial.run("start", limit).returncode == 0
        trial.provider.faults.follow(lambda _: HOLD)
        gates = trial.provider.gates = GatedFirst(trial.provider.faults)
        decisions = SHAPES["sibling"].approve_all
        killed = kill_in_sibling(trial, PLAN, "approve", limit, evidence, decisions=decisions)
        recorded = [call.effect for call in trial.provider.calls if call.recorded]
        made = {call.effect for call in trial.provider.calls}
    assert gates.opened == []
    assert killed is True
    assert evidence["kill"]["agent_status"] == -9
    assert evidence["gated_call"] == "made beside it, not recorded"
    assert made == {CHARGE, SIBLING}
    assert recorded == []
