"""kill-at-save: killed on entry to a write of a checkpoint.

What should be true after: every effect happened exactly once, and the stored history is paired.

A framework that stores the results of single steps by themselves (``writes:``) and a checkpoint
over them (``save:``) may do the two in either order, or at once. So the order is forced both ways,
and left to chance:

* ``writes-late``: the results that are written since the checkpoint before are held back, and are
  not there yet when the agent dies. A framework that saves only when its results are stored cannot
  be brought into this order: then they are let in, the save comes, and the agent dies there.
* ``save-late``: the save waits until every result that was on its way is stored; then the agent
  dies before it is let in.
* ``natural``: the agent dies on entry, whatever has been stored by then. With single results under
  way that is chance, and is tried several times.

The proof is the held call of that very save, and the kill check. Each save of the run without a
fault is tried; it is named by what it holds.

ERROR when the target announces no save, when the save does not come in the faulted run, or when the
kill did not land as designed.
"""

from __future__ import annotations

from typing import Any

from plugpull.fault_desk import HOLD, HeldFault, Reached
from plugpull.faults import GO_ON
from plugpull.killcheck import pull_the_plug
from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import AgentProcess, CannotStart
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.killing import note_stderr, settle
from plugpull.scenarios.store_writes import (
    BEGIN,
    END,
    SAVE,
    WATCHED,
    WRITES,
    StoreWriteName,
    go_on,
    writes_at,
)
from plugpull.scenarios.trying import try_killed
from plugpull.subject import Subject
from plugpull.verdicts import PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["KillAtSave"]

WRITES_LATE, SAVE_LATE, NATURAL = "writes-late", "save-late", "natural"

_HELD_WRITE = f"write:{WRITES}"

# Seconds between two looks at a run that may have come to a standstill.
_GLANCE = 0.2


class KillAtSave:
    """SIGKILL on entry to a checkpoint's write."""

    name = "kill-at-save"
    for_agents = False
    fault_points = (WRITES_LATE, SAVE_LATE, NATURAL)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end, and list its saves.

        Raises:
            NotUsable: It failed, or announced no save.
        """
        del settings
        with lab.trial(subject, WATCHED) as trial:
            ended, effects = run_unfaulted(trial, lab.limits.unfaulted)
            desk = trial.provider.faults
            saves = writes_at(desk, BEGIN, "unfaulted", SAVE)
            writes = writes_at(desk, BEGIN, "unfaulted", WRITES)
            if not saves:
                raise NotUsable(
                    "the run without a fault announced no save: nothing went through store_write",
                    {"stage": "unfaulted", "fault_points": desk.evidence()},
                )
        forced = (WRITES_LATE, SAVE_LATE) if writes else ()
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=tuple(
                Case(point, str(save), number, by_chance=point == NATURAL and bool(writes))
                for number, save in enumerate(saves)
                for point in (*forced, NATURAL)
            )
            + (() if writes else self._missing(subject)),
            evidence={
                "effects": effects,
                "seconds": round(ended.seconds, 3),
                "saves": [str(save) for save in saves],
                "names": saves,
            },
        )

    def _missing(self, subject: Subject) -> tuple[Case, ...]:
        """The forced orders, where there is one kind of write and the target does not say so."""
        return tuple(
            Case(point, number=-1)
            for point in (WRITES_LATE, SAVE_LATE)
            if subject.has(self.name, point)
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill at the save, go on as a user would, and count."""
        names: list[StoreWriteName] = unfaulted.evidence["names"]

        def run(
            trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
        ) -> Judgement:
            if case.number < 0:
                return error(
                    f"no single result was ever written ({WRITES}...), so no order can be forced: "
                    "the target has to declare this fault point as not supported"
                )
            rule = _Order(names, case.number, point)
            judgement = _run(trial, unfaulted, rule, limit, evidence)
            evidence["fault_points"] = trial.provider.faults.evidence()
            return judgement

        return try_killed(
            self.name,
            lab,
            subject,
            unfaulted,
            case,
            run=run,
            variables=WATCHED,
            shown=("effects", "seconds", "saves"),
        )


class _Order:
    """The rule that holds the save, and before it the single results where they are to be late."""

    def __init__(self, saves: list[StoreWriteName], number: int, point: str) -> None:
        self.save = saves[number]
        self.point = point
        self._before = saves[number - 1] if number else None
        self._holds_writes = point == WRITES_LATE and self._before is None
        #: Set once the framework has shown that it waits for its results.
        self.writes_let_in = False

    def __call__(self, reached: Reached) -> str:
        """The word for one fault point."""
        if reached.phase != "start":
            return GO_ON
        if self.save.begins(reached):
            return HOLD
        if self.point != WRITES_LATE or self.writes_let_in:
            return GO_ON
        if self._before is not None and self._before.begins(reached):
            # What comes from here on belongs to the save that is waited for.
            self._holds_writes = True
            return GO_ON
        late = self._holds_writes and reached.point.startswith(_HELD_WRITE)
        return HOLD if late and reached.point.endswith(f":{BEGIN}") else GO_ON


def _run(
    trial: Trial, unfaulted: Unfaulted, rule: _Order, limit: float, evidence: dict[str, Any]
) -> Judgement:
    provider = trial.provider
    provider.phase = "start"
    provider.faults.follow(rule)
    try:
        agent = trial.launch("start")
    except CannotStart as reason:
        return error(f"the agent could not be started: {trial.subject.argv[0]}: {reason}")
    held = _wait_for_save(trial, agent, rule, limit, evidence)
    if held is None:
        evidence["ended_by_itself"] = agent.poll()
        trial.end(agent)
        provider.faults.let_go()
        note_stderr(evidence, trial.stderr("start"))
        return error(f"start never came to the save {rule.save} within {limit:g} s")
    if rule.point != NATURAL:
        # Results that are on their way are stored, or held back, before the agent dies.
        settle(trial)
    evidence["stored_before"] = [str(one) for one in writes_at(provider.faults, END, "start")]
    evidence["late"] = _late(trial)
    kill = pull_the_plug(agent, held)
    evidence["kill"] = kill.evidence
    trial.end(agent)
    if kill.problem:
        trial.sweep()
    provider.faults.let_go()
    if kill.problem:
        note_stderr(evidence, trial.stderr("start"))
        return error(f"the kill did not land in the save: {kill.problem}")
    broken = go_on(trial, limit, evidence, after="the kill")
    reported = trial.inspect(limit)
    if reported is not None:
        evidence["reported"] = reported
    return (
        broken
        or judge_effects(unfaulted.effects, provider.effects, when="after resume")
        or judge_history(reported, when="after resume")
        or Judgement(PASS, Outcome.HELD, "every effect happened once")
    )


def _wait_for_save(
    trial: Trial, agent: AgentProcess, rule: _Order, limit: float, evidence: dict[str, Any]
) -> HeldFault | None:
    """The held save; results that it turns out to wait for are let in."""
    desk = trial.provider.faults
    waited = 0.0
    while waited < limit:
        held = desk.wait_held(rule.save.begin, _GLANCE, lambda: agent.poll() is None)
        if held is not None or agent.poll() is not None:
            return held
        waited += _GLANCE
        if rule.writes_let_in or desk.wait_held(_HELD_WRITE, 0, lambda: True) is None:
            continue
        # A held result and no save: if the run stands still, it is the result that it waits for.
        settle(trial)
        if desk.wait_held(rule.save.begin, 0, lambda: True) is None:
            rule.writes_let_in = True
            evidence["save_waits_for_its_writes"] = True
            desk.let_go(GO_ON)
    return None


def _late(trial: Trial) -> list[str]:
    """The single results that had begun and were not stored."""
    desk = trial.provider.faults
    made = {str(one) for one in writes_at(desk, END, "start", WRITES)}
    return [str(one) for one in writes_at(desk, BEGIN, "start", WRITES) if str(one) not in made]
