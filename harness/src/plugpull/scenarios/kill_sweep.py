"""kill-sweep: SIGKILL at every call of a run in turn, and at random moments, then resume.

What should be true after: the end state is that of a run without a fault. Every effect happened
exactly once, the final output that ``inspect`` reports is the same, and so is what was left in the
work folder.

Fault points: before and after the effect of each call (``before-effect``, ``after-effect``); the
same with a second kill at the first call of the resume (``...-twice``); and ``random-moment``, a
seeded time after the first call, which the evidence states so that it can be replayed.

ERROR when a kill did not land as designed, or when runs without a fault do not leave the same
files. A file whose contents differ between two runs without a fault (a database with times in it)
is compared by its name alone, and the evidence says so.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plugpull.endstate import Entry, changes, snapshot, tree_hash
from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import CannotStart, kill_group
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.killing import kill_in_call, resume
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["KillSweep", "choose_calls"]

BEFORE_TWICE = f"{BEFORE_EFFECT}-twice"
AFTER_TWICE = f"{AFTER_EFFECT}-twice"
RANDOM_MOMENT = "random-moment"

_SINGLE = {BEFORE_TWICE: BEFORE_EFFECT, AFTER_TWICE: AFTER_EFFECT}
_SHOWN_CHANGES = 3


@dataclass(frozen=True, slots=True)
class EndState:
    """What a run comes to.

    Attributes:
        tree: What it left in its work folder.
        output: The final output that ``inspect`` reports, ``None`` where it reports none.
    """

    tree: Mapping[str, Entry]
    output: Any


class KillSweep:
    """SIGKILL at every call."""

    name = "kill-sweep"
    for_agents = True
    fault_points = (BEFORE_EFFECT, AFTER_EFFECT, BEFORE_TWICE, AFTER_TWICE, RANDOM_MOMENT)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run twice without a fault: what there is to kill at, and what the end state is.

        Raises:
            NotUsable: A run failed, made no call, or the two left different files.
        """
        limit = lab.limits.unfaulted
        ignore = (*subject.ignore, *settings.ignore)
        with lab.trial(subject) as trial:
            ended, effects = run_unfaulted(trial, limit)
            calls = [call.effect for call in trial.provider.calls]
            first = _end_state(trial, limit, ignore)
        if not calls:
            message = "the agent exited (code 0) and its tool never called the provider"
            raise NotUsable(message, {"stage": "unfaulted", "effects": {}, "calls": []})
        with lab.trial(subject) as trial:
            span = _seconds_after_first_call(trial, limit)
            second = _end_state(trial, limit, ignore)
        _same_files(first, second)
        unstable = [path for path, entry in first.tree.items() if second.tree[path] != entry]
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=tuple(_cases(calls, span, settings)),
            evidence={
                "effects": effects,
                "seconds": round(ended.seconds, 3),
                "calls": calls,
                "end_state": first,
                "unstable": unstable,
                "ignore": ignore,
            },
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill, resume, and compare the end states."""
        limit = lab.limits.faulted(unfaulted.seconds)
        expected: EndState = unfaulted.evidence["end_state"]
        evidence: dict[str, Any] = {
            "unfaulted": {
                **{key: unfaulted.evidence[key] for key in ("effects", "seconds", "calls")},
                "tree_hash": tree_hash(expected.tree),
                "output": expected.output,
            },
            "compared_by_name": unfaulted.evidence["unstable"],
            "limit": round(limit, 3),
            "launcher": lab.launcher.name,
        }
        with lab.trial(subject) as trial:
            judgement = self._run(trial, unfaulted, case, limit, evidence)
            evidence["effects"] = trial.provider.effects
            evidence["calls"] = [call.to_json() for call in trial.provider.calls]
            if strays := trial.sweep():
                evidence["left_group"] = strays
            if judgement.verdict != PASS:
                trial.keep(f"{self.name}-{subject.variant}-{case.kill_point}-{case.point_detail}")
        return Result(
            scenario=self.name,
            target=subject.target,
            kill_point=case.kill_point,
            judgement=Judgement(
                judgement.verdict, judgement.outcome, f"{_place(case)}: {judgement.detail}"
            ),
            evidence=evidence,
            variant=subject.variant,
            point_detail=case.point_detail,
            timing_dependent=case.kill_point == RANDOM_MOMENT,
        )

    def _run(
        self,
        trial: Trial,
        unfaulted: Unfaulted,
        case: Case,
        limit: float,
        evidence: dict[str, Any],
    ) -> Judgement:
        problem = (
            _kill_at_moment(trial, case, limit, evidence)
            if case.kill_point == RANDOM_MOMENT
            else _kill_at_call(trial, case, limit, evidence)
        )
        broken = (
            problem
            or resume(trial, limit, evidence)
            or judge_effects(unfaulted.effects, trial.provider.effects, when="after resume")
        )
        if broken:
            return broken
        found = _end_state(trial, limit, unfaulted.evidence["ignore"])
        evidence |= {"tree_hash": tree_hash(found.tree), "output": found.output}
        expected: EndState = unfaulted.evidence["end_state"]
        return _judge_end_state(expected, found, unfaulted.evidence["unstable"], evidence) or (
            Judgement(PASS, Outcome.HELD, "the end state is that of a run without a fault")
        )


def choose_calls(points: str, count: int, seed: int) -> list[int]:
    """Which calls are killed, as numbers from 1.

    Args:
        points: ``all``, a number (a sample of so many), or ``k`` and a number (that call alone).
        count: How many calls the run makes.
        seed: What the sample is drawn with.
    """
    everything = range(1, count + 1)
    if points == "all":
        return list(everything)
    if points.startswith("k"):
        return [number for number in everything if number == int(points[1:])]
    size = min(int(points), count)
    return sorted(random.Random(f"calls {seed}").sample(everything, size))  # noqa: S311


def _cases(calls: list[str], span: float, settings: Settings) -> list[Case]:
    if settings.moment is not None:
        return [Case(RANDOM_MOMENT, f"{settings.moment:g}s", seconds=settings.moment)]
    chosen = choose_calls(settings.points, len(calls), settings.seed)
    if not chosen:
        raise NotUsable(
            f"the run makes {len(calls)} calls, so there is none to kill at {settings.points}",
            {"stage": "unfaulted", "calls": calls},
        )
    cases = [
        Case(point, f"{number}-{calls[number - 1]}", number)
        for points in ((BEFORE_EFFECT, AFTER_EFFECT), (BEFORE_TWICE, AFTER_TWICE))
        for number in chosen
        for point in points
    ]
    for number in range(1, settings.moments + 1):
        draw = random.Random(f"moment {settings.seed} {number}").random()  # noqa: S311
        detail = f"seed{settings.seed}-{number}"
        cases.append(Case(RANDOM_MOMENT, detail, seconds=round(draw * span, 6)))
    return cases


def _kill_at_call(
    trial: Trial, case: Case, limit: float, evidence: dict[str, Any]
) -> Judgement | None:
    point = _SINGLE.get(case.kill_point, case.kill_point)
    killed = kill_in_call(trial, point, limit, evidence, number=case.number)
    if isinstance(killed, Judgement):
        return killed
    if case.kill_point not in _SINGLE:
        return None
    first = evidence.pop("kill")
    again = kill_in_call(trial, point, limit, evidence, verb="resume")
    second = evidence.pop("kill", None)
    evidence["kill"], evidence["second_kill"] = first, second
    if isinstance(again, Judgement):
        if evidence.pop("ended_by_itself", None) == 0:
            # A resume that has nothing left to call offers no place for a second kill.
            evidence["second_kill"] = "not reached: the resume made no call"
            return None
        return again
    return None


def _kill_at_moment(
    trial: Trial, case: Case, limit: float, evidence: dict[str, Any]
) -> Judgement | None:
    """Kill so many seconds after the first call; after the end of the run if it ends before."""
    trial.provider.phase = "start"
    evidence["moment"] = case.seconds
    try:
        agent = trial.launch("start")
    except CannotStart as reason:
        return error(f"the agent could not be started: {trial.subject.argv[0]}: {reason}")
    if not trial.provider.wait_called(limit, lambda: agent.poll() is None):
        trial.end(agent)
        return error("the agent never called the provider")
    status = agent.wait(case.seconds)
    kill_group(agent.pid)
    status = agent.wait(limit) if status is None else status
    trial.end(agent)
    evidence["start_status"] = status
    if status not in {0, -signal.SIGKILL}:
        return error(f"the agent ended with status {status}, neither by itself nor by SIGKILL")
    return None


def _end_state(trial: Trial, limit: float, ignore: tuple[str, ...]) -> EndState:
    tree = snapshot(trial.work, ignore) if trial.work.is_dir() else {}
    reported = trial.inspect(limit) or {}
    return EndState(tree, reported.get("output"))


def _seconds_after_first_call(trial: Trial, limit: float) -> float:
    """How long a run goes on after its first call.

    Raises:
        NotUsable: This run failed where the one before it did not.
    """
    try:
        agent = trial.launch("start")
    except CannotStart as reason:
        raise NotUsable(f"the agent could not be started: {reason}", {}) from reason
    trial.provider.wait_called(limit, lambda: agent.poll() is None)
    begun = time.monotonic()
    status = agent.wait(limit)
    seconds = time.monotonic() - begun
    trial.end(agent)
    if status != 0:
        raise NotUsable(
            f"the second run without a fault ended with {status}",
            {"stage": "unfaulted", "stderr": trial.stderr("start")},
        )
    return seconds


def _same_files(first: EndState, second: EndState) -> None:
    if set(first.tree) == set(second.tree) and first.output == second.output:
        return
    differing = changes(first.tree, second.tree) or ["the output that inspect reports"]
    raise NotUsable(
        "two runs without a fault do not end alike, so a faulted one cannot be judged: "
        f"{differing[0]} (leave such files out with --ignore PATTERN)",
        {"stage": "unfaulted", "differs": differing},
    )


def _judge_end_state(
    expected: EndState, found: EndState, unstable: list[str], evidence: dict[str, Any]
) -> Judgement | None:
    stable = {path: found.tree.get(path, Entry("")) for path in unstable if path in found.tree}
    differing = changes({**expected.tree, **stable}, found.tree)
    if expected.output != found.output:
        differing.append(f"output: {found.output!r} instead of {expected.output!r}")
    if not differing:
        return None
    evidence["differs"] = differing
    if (expected.tree and not found.tree) or (expected.output and not found.output):
        return Judgement(FAIL, Outcome.STATE_LOST, f"state lost: {_shown(differing)}")
    return Judgement(FAIL, Outcome.DIVERGED, f"end state diverged: {_shown(differing)}")


def _shown(differing: list[str]) -> str:
    more = len(differing) - _SHOWN_CHANGES
    return "; ".join(differing[:_SHOWN_CHANGES]) + (f"; and {more} more" if more > 0 else "")


def _place(case: Case) -> str:
    if case.kill_point == RANDOM_MOMENT:
        return f"{case.seconds:.6f} s after the first call"
    return f"call {case.number}"
