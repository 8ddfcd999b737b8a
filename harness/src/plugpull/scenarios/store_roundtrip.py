"""store-roundtrip: what was saved is read by a new process, and is what it was.

What should be true after: a new process sees as many checkpoints as were written, goes on from
the newest, and finds the application's own values as they were: of the same class, equal.

Fault points: ``checkpoints`` and ``classes``, one result for each class of value (a dataclass, a
pydantic model, an enum, bytes, a datetime). The agent is killed inside its tool, so that what is
read is what a crash leaves, and not what a tidy end wrote.

How many were written is counted by the harness, one held call for each write on entry and one when
it was made. A write that began and was never made was not saved, whatever the run did about it; one
that was made and is not seen was saved and cannot be read. What a value is read back as is the
target's word (``reported``), compared with what it said before it saved.

ERROR when the target announces no save or has no ``inspect``, when it did not say what it saved,
or when a kill did not land as designed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.provider import BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.killing import kill_in_call, resume, settle
from plugpull.scenarios.store_writes import BEGIN, END, SAVE, WATCHED, writes_at
from plugpull.scenarios.trying import try_killed
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["STATE_VARIABLE", "StoreRoundtrip"]

#: Environment variable that says what the application keeps in its state.
STATE_VARIABLE = "PLUGPULL_STATE"

CHECKPOINTS, CLASSES = "checkpoints", "classes"

#: The values that a target keeps, each of a class of its own.
VALUES = ("dataclass", "model", "enum", "bytes", "datetime")

_WITH_CLASSES = {STATE_VARIABLE: CLASSES, **WATCHED}


class StoreRoundtrip:
    """Everything that was saved can be read."""

    name = "store-roundtrip"
    for_agents = False
    fault_points = (CHECKPOINTS, CLASSES)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end.

        Raises:
            NotUsable: It failed, announced no save, or did not say what it saved.
        """
        del settings
        if not subject.inspects:
            raise NotUsable(
                "the target has no verb inspect, so nobody can read what was saved",
                {"stage": "unfaulted"},
            )
        with lab.trial(subject, _WITH_CLASSES) as trial:
            ended, effects = run_unfaulted(trial, lab.limits.unfaulted)
            desk = trial.provider.faults
            if not writes_at(desk, BEGIN, "unfaulted", SAVE):
                raise NotUsable(
                    "the run without a fault announced no save: nothing went through store_write",
                    {"stage": "unfaulted", "fault_points": desk.evidence()},
                )
            saved = _saved(trial) if subject.has(self.name, CLASSES) else {}
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=(
                Case(CHECKPOINTS),
                *(Case(CLASSES, name) for name in saved),
            ),
            evidence={"effects": effects, "seconds": round(ended.seconds, 3), "classes": saved},
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill in the tool, and read in a new process."""

        def run(
            trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
        ) -> Judgement:
            killed = kill_in_call(
                trial, BEFORE_EFFECT, limit, evidence, before_kill=lambda: settle(trial)
            )
            if isinstance(killed, Judgement):
                return killed
            if point == CHECKPOINTS:
                return _read_checkpoints(trial, unfaulted, limit, evidence)
            return _read_value(
                trial, str(case.point_detail), unfaulted.evidence["classes"], limit, evidence
            )

        return try_killed(
            self.name,
            lab,
            subject,
            unfaulted,
            case,
            run=run,
            variables=_WITH_CLASSES,
            shown=("effects", "seconds", "classes"),
        )


def _saved(trial: Trial) -> dict[str, str]:
    """What the target said of the values that it saved.

    Raises:
        NotUsable: It said nothing, or left a value out.
    """
    try:
        said = trial.reported().get("classes")
    except (OSError, ValueError) as problem:
        said = str(problem)
    if not isinstance(said, dict) or not all(isinstance(said.get(name), str) for name in VALUES):
        raise NotUsable(
            f"start did not report what it saved, a text for each of {', '.join(VALUES)}",
            {"stage": "unfaulted", "reported": said},
        )
    return {name: said[name] for name in VALUES}


def _read_checkpoints(
    trial: Trial, unfaulted: Unfaulted, limit: float, evidence: dict[str, Any]
) -> Judgement:
    desk = trial.provider.faults
    begun = len(writes_at(desk, BEGIN, "start", SAVE))
    made = len(writes_at(desk, END, "start", SAVE))
    reported = trial.inspect(limit) or {}
    seen = reported.get("checkpoints")
    evidence |= {"saves_begun": begun, "saves_made": made, "reported": reported}
    if "error" in reported:
        return Judgement(
            FAIL,
            Outcome.STATE_LOST,
            f"a new process cannot read what was saved: {reported['error']}",
        )
    if type(seen) is not int:
        return error(f"inspect reported no number of checkpoints, but {seen!r}")
    if made < begun:
        return Judgement(
            FAIL,
            Outcome.STATE_LOST,
            f"not saved: {begun} checkpoints were to be written, and {made} were",
        )
    if seen != made:
        lost = "saved but not readable" if seen < made else "more than was saved"
        return Judgement(
            FAIL,
            Outcome.STATE_LOST if seen < made else Outcome.DUPLICATED,
            f"{lost}: {made} checkpoints were written, and a new process sees {seen}",
        )
    broken = resume(trial, limit, evidence)
    after = trial.inspect(limit)
    return (
        broken
        or judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
        or judge_history(after, when="after resume")
        or Judgement(PASS, Outcome.HELD, f"all {made} checkpoints are there, and the newest loads")
    )


def _read_value(
    trial: Trial, name: str, saved: Mapping[str, str], limit: float, evidence: dict[str, Any]
) -> Judgement:
    broken = resume(trial, limit, evidence)
    reported = trial.inspect(limit) or {}
    evidence["reported"] = reported
    found = reported.get("classes")
    if broken:
        return broken
    if "error" in reported:
        return Judgement(
            FAIL,
            Outcome.STATE_LOST,
            f"a new process cannot read what was saved: {reported['error']}",
        )
    if not isinstance(found, dict) or name not in found:
        return error(f"inspect did not report what the {name} came back as")
    if found[name] == saved[name]:
        return Judgement(PASS, Outcome.HELD, f"the {name} came back as it was")
    if found[name] is None:
        return Judgement(FAIL, Outcome.STATE_LOST, f"the {name} is gone (saved: {saved[name]})")
    return Judgement(
        FAIL, Outcome.DIVERGED, f"the {name} came back as {found[name]} (saved: {saved[name]})"
    )
