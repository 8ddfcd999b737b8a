"""two-resumers: two processes go on with one run at once, after a crash or with one approval.

What should be true after: every effect happened exactly once. The second process may do nothing, do
the same under the same key, or be refused.

Fault points: ``at-once``, where the run was killed in its tool and is resumed twice, and
``approvals-at-once``, where it waited for a human, whose decision arrives twice, as after a double
click. The first process is held in its tool, after the provider recorded the effect; meanwhile the
second one is started, and only when it has ended, or waits, is the first one answered. So the two
overlap in the one place that matters, on a machine of any speed. The proof is the kill check for
the killed process, and the held call for the overlap.

ERROR when the kill did not land as designed, the run did not wait for the human, or the first of
the two made no call to be held in.
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.approving import pause, set_aside, set_decisions
from plugpull.scenarios.base import Case, Settings, Unfaulted, error
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.killing import kill_in_call, note_stderr
from plugpull.scenarios.with_a_human import (
    ASKS,
    run_with_and_without,
    try_with_or_without,
)
from plugpull.stderr_tail import tail
from plugpull.subject import Subject
from plugpull.verdicts import ERROR, FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["APPROVALS_AT_ONCE", "TwoResumers"]

AT_ONCE = "at-once"
APPROVALS_AT_ONCE = "approvals-at-once"

#: Seconds after which a second resumer that still runs counts as waiting for the first one. It
#: decides nothing but when the first one is let go.
_WAITS = 10.0


class TwoResumers:
    """Two processes go on with one run."""

    name = "two-resumers"
    for_agents = True
    fault_points = (AT_ONCE, APPROVALS_AT_ONCE)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run to the end, with and without a human.

        Raises:
            NotUsable: It failed, or its tool never called the provider.
        """
        del settings
        points = [point for point in self.fault_points if subject.has(self.name, point)]
        return run_with_and_without(lab, subject, points, plain=AT_ONCE, asking=APPROVALS_AT_ONCE)

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Stop, go on twice at once, and count."""
        asks = case.kill_point == APPROVALS_AT_ONCE
        return try_with_or_without(self.name, lab, subject, unfaulted, case, asks=asks, run=_run)


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    if point == AT_ONCE:
        verb, expected = "resume", unfaulted.evidence["effects"]
        stopped = kill_in_call(trial, BEFORE_EFFECT, limit, evidence)
        if isinstance(stopped, Judgement):
            return stopped
    else:
        verb, expected = "approve", unfaulted.evidence["approved"]
        if wrong := pause(trial, ASKS, limit, evidence):
            return Judgement(ERROR, None, f"the run did not wait: {wrong.detail}")
        set_decisions(trial, ASKS.approve_all)
    statuses = _go_on_twice(trial, verb, limit, evidence)
    if isinstance(statuses, Judgement):
        return statuses
    if None in statuses:
        which = "first" if statuses[0] is None else "second"
        return Judgement(
            FAIL, Outcome.HUNG, f"the {which} {verb} hung: still running after {limit:g} s"
        )
    if (reported := trial.inspect(limit)) is not None:
        evidence["reported"] = reported
    when = f"after two {verb}s at once" if verb == "resume" else "after two approvals at once"
    return (
        judge_effects(tuple(expected), trial.provider.effects, when=when)
        or _judge_first(verb, statuses[0])
        or judge_history(reported, when=when)
        or _judge_second(trial, verb, statuses[1])
    )


def _go_on_twice(
    trial: Trial, verb: str, limit: float, evidence: dict[str, Any]
) -> tuple[int | None, int | None] | Judgement:
    """How the two ended that overlapped in the tool; an ERROR if they did not."""
    provider = trial.provider
    provider.phase = verb
    provider.hold_next(AFTER_EFFECT)
    try:
        first = trial.launch(verb, generation=1)
        held = provider.wait_held(limit, lambda: first.poll() is None)
        if held is None:
            note_stderr(evidence, trial.stderr(verb))
            return error(f"the first {verb} made no call to be held in")
        # What the second one says is its own: it may be a refusal.
        said_by_first = set_aside(trial, verb)
        second = trial.launch(verb, generation=1)
    except CannotStart as reason:
        return error(f"{verb} could not be started: {reason}")
    second_status = second.wait(_WAITS)
    evidence["second_waited"] = second_status is None
    provider.answer_held()
    first_status = first.wait(limit)
    second_status = second.wait(limit) if second_status is None else second_status
    for process in (first, second):
        trial.end(process)
    note_stderr(evidence, trial.stderr(verb) if first_status == 0 else tail(said_by_first))
    evidence |= {"resume_returncode": first_status, "second_returncode": second_status}
    return first_status, second_status


def _judge_first(verb: str, status: int | None) -> Judgement | None:
    """Every effect happened once; the first of the two has to end well."""
    if status == 0:
        return None
    return Judgement(
        FAIL, Outcome.CRASHED, f"the first {verb} ended with {status} beside a second one"
    )


def _judge_second(trial: Trial, verb: str, status: int | None) -> Judgement:
    """What is left is how the second one ended."""
    refusal = trial.subject.refused(trial.stderr(verb)) if status != 0 else None
    if refusal:
        return Judgement(PASS, Outcome.REFUSED, f"the second {verb} was refused: {refusal}")
    ending = "" if status == 0 else f"; the second {verb} ended with {status}"
    return Judgement(PASS, Outcome.HELD, f"every effect happened once{ending}")
