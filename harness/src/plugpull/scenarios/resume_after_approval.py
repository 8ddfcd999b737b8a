"""resume-after-approval: the run pauses for a human and its process ends; a new one goes on.

What should be true: no gated effect before the approval, exactly one after it, none after a
rejection and none while nobody has decided. Whatever else the run did happens exactly once, a step
that was done before the pause included. Who is asked, in which shape, what is decided and what may
have happened then is a table: :mod:`plugpull.scenarios.approvals`.

Where nothing but the pause is tried (``approved``, ``streamed``, ``nested``, ...), the pause and
the change of process are the fault. The run without a fault is the plainest shape, and it only has
to come to its end: an effect too many in it is what ``approved`` is there to find.

``missing`` and ``absent-for-one``: what was left open is decided in a further process, and then
everything is there once. A framework may pause again or refuse; where it refuses, nothing of what
it was told counts as told. ``killed-before-effect`` and ``killed-after-effect``: killed in the
gated call, and then told the same once more, because the application still has the saved state and
the decision. ``sibling-killed``: see :mod:`plugpull.scenarios.sibling_kill`; killed before the
pause, the run goes on with ``resume``, and then the human decides.

ERROR when the run without a fault does not come to its end, ``start`` comes to no pause, the step
was not done before it, the call to be killed in never came, or a kill did not land as designed.
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.scenarios.approvals import FINISH, POINTS, SIBLING, Decision, Point, Round
from plugpull.scenarios.approving import (
    Process,
    judge_unapproved,
    note_process,
    pause,
    run_approved,
    run_process,
    set_aside,
    set_decisions,
)
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.killing import kill_in_call
from plugpull.scenarios.sibling_kill import kill_in_sibling
from plugpull.scenarios.trying import try_killed
from plugpull.subject import Subject
from plugpull.verdicts import PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["ResumeAfterApproval"]

_SIBLING_POINTS = tuple(name for name, plan in POINTS.items() if plan.killed_in == SIBLING)


class ResumeAfterApproval:
    """A human decides tomorrow, and another process hears it."""

    name = "resume-after-approval"
    for_agents = False
    fault_points = tuple(POINTS)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run the plainest shape through its pause to its end, and the one with a sibling.

        Raises:
            NotUsable: The plainest shape did not come to its end.
        """
        del settings
        plain = run_approved(lab, subject, "one", strictly=False)
        evidence = {**plain, "sibling": None}
        if any(subject.has(self.name, point) for point in _SIBLING_POINTS):
            try:
                evidence["sibling"] = run_approved(lab, subject, "sibling", strictly=True)
            except NotUsable as problem:
                evidence["sibling"] = {**problem.evidence, "problem": problem.detail}
        return Unfaulted(
            effects=tuple(plain["effects"]),
            seconds=plain["seconds"],
            cases=tuple(Case(point) for point in POINTS if subject.has(self.name, point)),
            evidence=evidence,
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Pause, decide in new processes, and count."""
        plan = POINTS[case.kill_point]
        sibling = ("sibling",) if plan.killed_in else ()
        return try_killed(
            self.name,
            lab,
            subject,
            unfaulted,
            case,
            run=_run,
            variables=plan.variables,
            shown=("effects", "seconds", *sibling),
        )


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    plan = POINTS[point]
    if plan.killed_in and (problem := unfaulted.evidence["sibling"].get("problem")):
        return error(f"in this shape: {problem}")
    wrong = _come_to_the_pause(trial, plan, limit, evidence) or _decide(
        trial, plan, limit, evidence
    )
    if wrong is not None and wrong.verdict != PASS:
        return wrong
    reported = trial.inspect(limit)
    if reported is not None:
        evidence["reported"] = reported
    return (
        judge_history(reported, when="after the last decision")
        or wrong
        or Judgement(PASS, Outcome.HELD, _held(plan, evidence))
    )


def _come_to_the_pause(
    trial: Trial, plan: Point, limit: float, evidence: dict[str, Any]
) -> Judgement | None:
    """``None`` when the run waits for a human and no gated effect has happened."""
    if not plan.killed_in:
        return pause(trial, plan.asks, limit, evidence)
    killed = kill_in_sibling(trial, plan, "start", limit, evidence)
    if isinstance(killed, Judgement):
        return killed
    if killed:
        return pause(trial, plan.asks, limit, evidence, verb="resume")
    return judge_unapproved(trial, plan.asks, frozenset(), when="before anybody had decided")


def _decide(trial: Trial, plan: Point, limit: float, evidence: dict[str, Any]) -> Judgement | None:
    """Tell each round what was decided; ``None`` when all came out as they should."""
    refused = False
    for one in plan.rounds:
        decided = one.after_refusal if refused and one.after_refusal is not None else one.decided
        if decided is None:
            continue
        died = _kill_if_asked(trial, plan, decided, limit, evidence)
        if died is not None:
            return died
        done = run_process(trial, "approve", limit, evidence, decided)
        if isinstance(done, Judgement):
            return done
        refusal = done.refusal(trial.subject) if one.may_refuse else None
        refused = refusal is not None
        if refusal:
            evidence["refusal"] = refusal
        wrong = judge_unapproved(trial, plan.asks, one.allowed, when=_when(decided))
        if wrong is None and refusal is None:
            wrong = _judge_end(trial, plan, one, done, limit)
        if wrong is not None:
            return wrong
    if plan.rejected:
        return _judge_rejected(trial)
    return judge_effects(plan.asks.effects, trial.provider.effects, when="after the approval")


def _kill_if_asked(
    trial: Trial,
    plan: Point,
    decided: tuple[Decision, ...],
    limit: float,
    evidence: dict[str, Any],
) -> Judgement | None:
    """Kill a process that goes on with ``decided``; a judgement if that was not done."""
    if plan.killed:
        set_decisions(trial, decided)
        set_aside(trial, "approve")
        call = kill_in_call(
            trial, plan.killed, limit, evidence, verb="approve", effect=plan.asks.gated[0]
        )
        if isinstance(call, Judgement):
            return call
        note_process(trial, "approve", evidence["kill"]["agent_status"], evidence, decided)
        return None
    if not plan.killed_in or "kill" in evidence:
        return None
    killed = kill_in_sibling(trial, plan, "approve", limit, evidence, decisions=decided)
    if killed is False:
        return error(f"{plan.killed_in} was called neither before the pause nor after it")
    return killed if isinstance(killed, Judgement) else None


def _judge_end(
    trial: Trial, plan: Point, one: Round, done: Process, limit: float
) -> Judgement | None:
    """How a process ended that was told what was decided; ``None`` if it exited 0.

    One that was told too much may say so, as long as everything was done once.
    """
    after = "the kill" if plan.killed or plan.killed_in else "the pause"
    wrong = done.judge(trial.subject, limit, after=after)
    everything = dict.fromkeys(plan.asks.effects, 1)
    if wrong is None or done.ended.returncode is None or trial.provider.effects != everything:
        return wrong
    if not one.may_refuse:
        return wrong
    if said := trial.subject.refused(done.ended.stderr):
        return Judgement(PASS, Outcome.REFUSED, f"the second decision was refused: {said}")
    return Judgement(
        PASS,
        Outcome.HELD,
        f"every effect happened once; told twice, approve ended with {done.ended.returncode}",
    )


def _judge_rejected(trial: Trial) -> Judgement | None:
    """After a rejection the run may close the order once or leave it; nothing else may happen."""
    effects = trial.provider.effects
    expected = (FINISH,) if effects.get(FINISH) else ()
    return judge_effects(expected, effects, when="after the rejection")


def _when(decided: tuple[Decision, ...]) -> str:
    if not decided:
        return "although nobody had decided"
    if any(one.decision == "reject" for one in decided):
        return "after the rejection"
    return "although it was not approved"


def _held(plan: Point, evidence: dict[str, Any]) -> str:
    """What a PASS has seen."""
    gated = " or ".join(plan.asks.gated)
    of_each = " of each" if len(plan.asks.gated) > 1 else ""
    if plan.rejected:
        return f"no {gated} effect before the rejection and none after it"
    sentence = f"no {gated} effect before the approval, and exactly 1{of_each} after it"
    if plan.asks.before:
        sentence += f"; {' and '.join(plan.asks.before)} was not done again"
    if plan.killed_in:
        sentence += (
            f"; {plan.killed_in} was killed in {evidence['sibling_called_in']} and happened once"
        )
    if refusal := evidence.get("refusal"):
        sentence += f" (refused until everything was decided: {refusal})"
    return sentence
