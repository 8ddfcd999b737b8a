"""The second half of an upgrade: another version goes on with a saved run, and is judged."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from plugpull.lab import Ended, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.saved_states import SavedState, program_of
from plugpull.scenarios.base import Unfaulted, error
from plugpull.scenarios.changed_world import FRAMEWORK_CHANGED
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.killing import note_stderr
from plugpull.scenarios.refusals import find_refusal
from plugpull.scenarios.saving import PAUSED
from plugpull.state_files import restore
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, judge_effects

__all__ = ["APPROVAL", "DECISION", "GoOn", "count_kinds", "facts_about", "run_verb"]

# Runs that ask a person are another kind of run: they have a run without a fault of their own.
APPROVAL = {"PLUGPULL_APPROVAL": "one"}
DECISION = {"PLUGPULL_DECISIONS": json.dumps([{"call": "charge_card", "decision": "approve"}])}
_COUNTED = ("user", "call", "answer")


@dataclass(frozen=True, slots=True)
class GoOn:
    """Goes on with a saved state."""

    state: SavedState

    def __call__(
        self,
        trial: Trial,
        unfaulted: Unfaulted,
        point: str,
        limit: float,
        evidence: dict[str, Any],
    ) -> Judgement:
        """Restore it to the trial's work folder, go on, and judge."""
        state = self.state
        restore(state, trial.work)
        trial.provider.remember(state.calls)
        evidence["saved"] = facts_about(state)
        if state.origin.program != program_of(trial.subject):
            evidence["program_changed"] = True
        before = len(trial.provider.calls)
        trial.provider.phase = "resume"
        verb, variables = ("approve", APPROVAL | DECISION) if point == PAUSED else ("resume", {})
        try:
            ended = run_verb(trial, verb, limit, variables)
        except CannotStart as reason:
            return error(f"{verb} could not be started: {reason}")
        evidence["resume_returncode"] = ended.returncode
        note_stderr(evidence, ended.stderr)
        if (reported := trial.inspect(limit)) is not None:
            evidence["reported"] = reported
        called = len(trial.provider.calls) > before
        judgement = (
            _judge_end(trial.subject, ended, verb, limit, called=called)
            or _judge_effects(trial, unfaulted, ended)
            or judge_history(reported, when="after resume")
            or _judge_stored(reported, state.origin.stored, unfaulted.evidence["stored"])
            or Judgement(PASS, Outcome.HELD, "the run went on and came to what it should")
        )
        detail = f"saved by {state.origin.version}: {judgement.detail}"
        if state.holds_its_path and judgement.verdict != PASS:
            detail += (
                " (the saved state holds the path of its work folder, which is another one now)"
            )
        if evidence.get("program_changed") and judgement.verdict == FAIL:
            # It may be the program that no longer goes with the state.
            return error(
                "the target's program has changed since the state was saved, so nobody knows what "
                f"is to blame; save it again. {detail}"
            )
        return replace(judgement, detail=detail)


def facts_about(state: SavedState) -> dict[str, Any]:
    """What stands in the evidence about a state."""
    origin = state.origin
    return {
        "version": origin.version,
        "python": origin.python,
        "recorded": origin.recorded,
        "harness_version": origin.harness_version,
        "calls": [
            {"effect": one.effect, "key": one.key, "recorded": one.recorded} for one in state.calls
        ],
        "holds_its_path": state.holds_its_path,
        "same_version": dict(state.same_version),
    }


def _judge_end(
    subject: Subject, ended: Ended, verb: str, limit: float, *, called: bool
) -> Judgement | None:
    """A judgement of a process that did not exit 0: refused with a clear message, or broken."""
    if ended.returncode == 0:
        return None
    if ended.returncode is None:
        return Judgement(FAIL, Outcome.HUNG, f"{verb} hung: still running after {limit:g} s")
    if ended.returncode < 0:
        return Judgement(FAIL, Outcome.CRASHED, f"{verb} died of signal {-ended.returncode}")
    if called:
        return Judgement(FAIL, Outcome.CRASHED, f"{verb} failed after it had made a call")
    pattern = subject.worlds.get(FRAMEWORK_CHANGED)
    said = find_refusal(pattern, ended.stderr) if pattern is not None else None
    if said := said or subject.refused(ended.stderr):
        return Judgement(PASS, Outcome.REFUSED, f"refused, and says why: {said}")
    lines = ended.stderr.strip().splitlines()
    last = f": {lines[-1].strip()}" if lines else ", and nothing was said"
    return Judgement(
        FAIL, Outcome.CRASHED, f"the run could not be gone on with, and no version is named{last}"
    )


def _judge_effects(trial: Trial, unfaulted: Unfaulted, ended: Ended) -> Judgement | None:
    wrong = judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
    if wrong is None:
        return None
    pattern = trial.subject.worlds.get(FRAMEWORK_CHANGED)
    said = find_refusal(pattern, ended.stderr) if pattern is not None else None
    how = f"it went on, although it said {said!r}" if said else "it went on silently"
    return replace(wrong, detail=f"{how}, and {wrong.detail}")


def _judge_stored(
    reported: Mapping[str, Any] | None, there: Mapping[str, int], here: Mapping[str, int]
) -> Judgement | None:
    """The finished run's history has what either version stores of a run without a fault.

    What is reported can spoil a PASS and excuse nothing.
    """
    if reported is None or not there:
        return None
    found = count_kinds(reported)
    for kind in _COUNTED:
        expected = min(there.get(kind, 0), here.get(kind, 0))
        if found.get(kind, 0) < expected:
            return Judgement(
                FAIL,
                Outcome.STATE_LOST,
                f"state lost: the stored history holds {found.get(kind, 0)} entries of kind "
                f"{kind!r} after resume (expected {expected})",
            )
    return None


def run_verb(trial: Trial, verb: str, limit: float, variables: Mapping[str, str]) -> Ended:
    """Run one verb with variables of its own.

    Raises:
        CannotStart: With the system's reason.
    """
    before = dict(trial.variables)
    trial.variables |= variables
    try:
        return trial.run(verb, limit, generation=1)
    finally:
        trial.variables = before


def count_kinds(reported: Mapping[str, Any] | None) -> dict[str, int]:
    """How many entries of each kind a reported history holds."""
    if reported is None:
        return {}
    return dict(Counter(one["kind"] for one in reported["history"]))
