"""The scenarios: one module each, free of any framework."""

from __future__ import annotations

from plugpull.scenarios.base import Scenario
from plugpull.scenarios.batch_kill import BatchKill
from plugpull.scenarios.cancel_mid_stream import CancelMidStream
from plugpull.scenarios.changed_world import ChangedWorld
from plugpull.scenarios.graceful_stop import GracefulStop
from plugpull.scenarios.kill_at_save import KillAtSave
from plugpull.scenarios.kill_mid_tool import KillMidTool
from plugpull.scenarios.kill_sweep import KillSweep
from plugpull.scenarios.lost_session_write import LostSessionWrite
from plugpull.scenarios.model_error_after_tool import ModelErrorAfterTool
from plugpull.scenarios.provider_ack_lost import ProviderAckLost
from plugpull.scenarios.restart_next_turn import RestartNextTurn
from plugpull.scenarios.resume_after_approval import ResumeAfterApproval
from plugpull.scenarios.resume_after_upgrade import ResumeAfterUpgrade
from plugpull.scenarios.resume_twice import AFTER_APPROVAL, ResumeTwice
from plugpull.scenarios.store_roundtrip import StoreRoundtrip
from plugpull.scenarios.two_resumers import APPROVALS_AT_ONCE, TwoResumers

__all__ = ["BEYOND_AGENTS", "SCENARIOS"]

#: Scenario and fault point, for each that needs a verb which a user's own agent does not have,
#: although its scenario can be asked of one.
BEYOND_AGENTS = frozenset(
    {(ResumeTwice.name, AFTER_APPROVAL), (TwoResumers.name, APPROVALS_AT_ONCE)}
)

#: Every scenario by name, in the order in which they run and are shown.
SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        KillMidTool(),
        LostSessionWrite(),
        KillAtSave(),
        StoreRoundtrip(),
        KillSweep(),
        BatchKill(),
        ResumeAfterApproval(),
        GracefulStop(),
        ModelErrorAfterTool(),
        ProviderAckLost(),
        RestartNextTurn(),
        CancelMidStream(),
        ResumeTwice(),
        TwoResumers(),
        ChangedWorld(),
        ResumeAfterUpgrade(),
    )
}
