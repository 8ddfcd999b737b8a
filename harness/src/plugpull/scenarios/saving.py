"""The first half of an upgrade: a run is stopped at a fault point, and what it saved is copied."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugpull.facts import now
from plugpull.lab import Trial
from plugpull.processes.launcher import CannotStart
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.saved_states import Origin, program_of
from plugpull.scenarios.base import Settings, Unfaulted, error
from plugpull.scenarios.killing import kill_in_call, note_stderr, settle
from plugpull.state_files import save_state
from plugpull.verdicts import PASS, Judgement, Outcome

__all__ = ["HELD", "KILLED_AFTER", "KILLED_BEFORE", "PAUSED", "Stop"]

KILLED_BEFORE = "killed-before-effect"
KILLED_AFTER = "killed-after-effect"
PAUSED = "paused"

#: Where the call is held in which a run is killed.
HELD = {KILLED_BEFORE: BEFORE_EFFECT, KILLED_AFTER: AFTER_EFFECT}


@dataclass(frozen=True, slots=True)
class Stop:
    """Brings a run to the fault point and copies what it has saved."""

    folder: Path
    settings: Settings

    def __call__(
        self,
        trial: Trial,
        unfaulted: Unfaulted,
        point: str,
        limit: float,
        evidence: dict[str, Any],
    ) -> Judgement:
        """Do it; PASS when there is a state."""
        stop = _pause if point == PAUSED else _kill
        if (problem := stop(trial, point, limit, evidence)) is not None:
            return problem
        trial.sweep()
        origin = Origin(
            framework=self.settings.framework,
            version=self.settings.version,
            python=platform.python_version(),
            variant=trial.subject.variant,
            point=point,
            recorded=now(),
            expected=unfaulted.effects,
            stored=unfaulted.evidence["stored"],
            program=program_of(trial.subject),
        )
        save_state(self.folder, trial.work, origin, trial.provider.calls)
        return Judgement(PASS, Outcome.HELD, "the state was saved")


def _kill(trial: Trial, point: str, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Kill in the tool. What had begun to be saved when the tool was called is saved by then.

    Whether a version saves in time is kill-mid-tool's question.
    """
    killed = kill_in_call(trial, HELD[point], limit, evidence, before_kill=lambda: settle(trial))
    return killed if isinstance(killed, Judgement) else None


def _pause(trial: Trial, _point: str, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Run until a person has to approve."""
    trial.provider.phase = "start"
    try:
        ended = trial.run("start", limit)
    except CannotStart as reason:
        return error(f"the agent could not be started: {reason}")
    if ended.returncode != 0:
        note_stderr(evidence, ended.stderr)
        return error(f"the run did not pause: start ended with {ended.returncode}")
    if "charge_card" in trial.provider.effects:
        return error("the run did not pause: its tool was called")
    return None
