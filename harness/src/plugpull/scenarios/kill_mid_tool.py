"""kill-mid-tool: SIGKILL inside a tool, before or after its effect, then resume.

What should be true after: the provider saw every effect of the unfaulted run exactly once, and in
the stored history each call has one answer and each answer its call.

ERROR when the run could not be killed as designed: the agent ended or fell silent before its tool
called the provider, or the kill check failed. The proof that the fault landed is the held call, the
caller's process id from the kernel, and the agent's exit status (:mod:`plugpull.killcheck`).

SIGKILL is a process crash. It is no power cut: what the process had written is still in the page
cache.
"""

from __future__ import annotations

from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Case, Settings, Unfaulted
from plugpull.scenarios.killing import kill_in_call, resume
from plugpull.scenarios.trying import try_killed
from plugpull.scenarios.whole_runs import judge_stored, run_whole
from plugpull.subject import Subject
from plugpull.verdicts import PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["KillMidTool"]


class KillMidTool:
    """SIGKILL inside a tool."""

    name = "kill-mid-tool"
    for_agents = True
    fault_points = (BEFORE_EFFECT, AFTER_EFFECT)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` to its end.

        Raises:
            NotUsable: It failed, its tool never called the provider, or its history is broken.
        """
        del settings
        return run_whole(lab, subject, [Case(point) for point in self.fault_points])

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill at the fault point, resume, and count."""
        return try_killed(self.name, lab, subject, unfaulted, case, run=_run)


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    killed = kill_in_call(trial, point, limit, evidence)
    if isinstance(killed, Judgement):
        return killed
    broken = resume(trial, limit, evidence) or judge_effects(
        unfaulted.effects, trial.provider.effects, when="after resume"
    )
    stored = judge_stored(trial, limit, evidence, when="after resume")
    return (
        broken
        or stored
        or Judgement(PASS, Outcome.HELD, f"the provider saw exactly 1 {killed.effect} effect")
    )
