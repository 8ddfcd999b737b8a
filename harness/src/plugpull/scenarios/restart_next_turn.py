"""restart-next-turn: SIGKILL inside a tool, and then the user says something new.

Nobody resumes the run: a new process takes the user's next message in the same conversation, the
way the framework documents for a next turn. The fake model refuses a history in which a call has no
answer, as real providers do.

What should be true after: the next turn comes to its end, exactly once; both messages of the user
are stored; each call in the stored history has one answer and each answer its call; and no effect
of the turn that was cut off happened twice. That turn may stay unfinished, so an effect that had
not happened at the kill may be missing for ever.

Fault points: ``before-effect`` and ``after-effect``, as in kill-mid-tool.

ERROR when the kill did not land as designed, or when the same two turns do not work without a
fault. The proof of the landing is the kill check: the held call, the caller's process id from the
kernel, and the agent's exit status (:mod:`plugpull.killcheck`).
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Case, Settings, Unfaulted
from plugpull.scenarios.killing import go_on, kill_in_call
from plugpull.scenarios.trying import try_killed
from plugpull.scenarios.turns import judge_conversation, judge_turns
from plugpull.scenarios.whole_runs import run_whole
from plugpull.subject import Subject
from plugpull.verdicts import PASS, Judgement, Outcome, Result

__all__ = ["RestartNextTurn"]


class RestartNextTurn:
    """SIGKILL inside a tool, then a new message."""

    name = "restart-next-turn"
    for_agents = False
    fault_points = (BEFORE_EFFECT, AFTER_EFFECT)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run both turns, each in a process of its own.

        Raises:
            NotUsable: One of them failed, or what they stored is broken.
        """
        del settings
        return run_whole(lab, subject, [Case(point) for point in self.fault_points], next_turn=True)

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill at the fault point, take the next turn, and look."""
        shown = ("effects", "seconds", "stored")
        return try_killed(self.name, lab, subject, unfaulted, case, run=_run, shown=shown)


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    killed = kill_in_call(trial, point, limit, evidence)
    if isinstance(killed, Judgement):
        return killed
    broken = go_on(trial, limit, evidence, verb="next-turn")
    if (reported := trial.inspect(limit)) is not None:
        evidence["reported"] = reported
    effects = trial.provider.effects
    return (
        broken
        or judge_turns(unfaulted.effects, effects)
        or judge_conversation(reported, unfaulted.evidence["stored"])
        or Judgement(
            PASS,
            Outcome.HELD,
            f"the conversation went on, with {effects[killed.effect]} {killed.effect} effect",
        )
    )
