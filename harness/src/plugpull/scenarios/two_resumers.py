"""two-resumers: a run was killed in its tool, and two processes resume it at once.

What should be true after: every effect happened exactly once. The second resumer may do nothing, do
the same under the same key, or be refused.

Fault point: ``at-once``. The first resumer is held in its tool, after the provider recorded the
effect; meanwhile the second one is started, and only when it has ended, or waits, is the first one
answered. So the two overlap in the one place that matters, on a machine of any speed. The proof is
the kill check for the first process, and the held call for the overlap.

ERROR when the kill did not land as designed, or the first resume made no call to be held in.
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.killing import kill_in_call, note_stderr
from plugpull.scenarios.trying import try_killed
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["TwoResumers"]

AT_ONCE = "at-once"

#: Seconds after which a second resumer that still runs counts as waiting for the first one. It
#: decides nothing but when the first one is let go.
_WAITS = 10.0


class TwoResumers:
    """Two processes resume one run."""

    name = "two-resumers"
    for_agents = True
    fault_points = (AT_ONCE,)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end.

        Raises:
            NotUsable: It failed, or its tool never called the provider.
        """
        del settings
        with lab.trial(subject) as trial:
            ended, effects = run_unfaulted(trial, lab.limits.unfaulted)
        if not effects:
            raise NotUsable(
                "the agent exited (code 0) and its tool never called the provider",
                {"stage": "unfaulted", "effects": {}, "calls": []},
            )
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=(Case(AT_ONCE),),
            evidence={"effects": effects, "seconds": round(ended.seconds, 3)},
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill, resume twice at once, and count."""
        return try_killed(self.name, lab, subject, unfaulted, case, run=_run)


def _run(
    trial: Trial, unfaulted: Unfaulted, _point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    killed = kill_in_call(trial, BEFORE_EFFECT, limit, evidence)
    if isinstance(killed, Judgement):
        return killed
    provider = trial.provider
    provider.phase = "resume"
    provider.hold_next(AFTER_EFFECT)
    try:
        first = trial.launch("resume", generation=1)
        held = provider.wait_held(limit, lambda: first.poll() is None)
        if held is None:
            note_stderr(evidence, trial.stderr("resume"))
            return error("the first resume made no call to be held in")
        second = trial.launch("resume", generation=1)
    except CannotStart as reason:
        return error(f"resume could not be started: {reason}")
    second_status = second.wait(_WAITS)
    evidence["second_waited"] = second_status is None
    provider.answer_held()
    first_status = first.wait(limit)
    second_status = second.wait(limit) if second_status is None else second_status
    for process in (first, second):
        trial.end(process)
    note_stderr(evidence, trial.stderr("resume"))
    evidence |= {"resume_returncode": first_status, "second_returncode": second_status}
    if first_status is None or second_status is None:
        which = "first" if first_status is None else "second"
        return Judgement(
            FAIL, Outcome.HUNG, f"the {which} resume hung: still running after {limit:g} s"
        )
    wrong = judge_effects(unfaulted.effects, provider.effects, when="after two resumes at once")
    return wrong or _judge_ends(trial, first_status, second_status)


def _judge_ends(trial: Trial, first: int, second: int) -> Judgement:
    """Every effect happened once; what is left is how the two ended."""
    if first != 0:
        return Judgement(
            FAIL, Outcome.CRASHED, f"the first resume ended with {first} beside a second one"
        )
    refusal = trial.subject.refused(trial.stderr("resume")) if second != 0 else None
    if refusal:
        return Judgement(PASS, Outcome.REFUSED, f"the second resume was refused: {refusal}")
    ending = "" if second == 0 else f"; the second resume ended with {second}"
    return Judgement(PASS, Outcome.HELD, f"every effect happened once{ending}")
