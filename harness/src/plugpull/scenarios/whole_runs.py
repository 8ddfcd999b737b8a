"""The run without a fault that most scenarios begin with, and what it leaves to compare with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from plugpull.lab import Ended, Lab, Trial
from plugpull.scenarios.base import Case, NotUsable, Unfaulted, run_unfaulted
from plugpull.scenarios.history import find_break, judge_history, read_history
from plugpull.subject import Subject
from plugpull.verdicts import Judgement

__all__ = ["NEXT_TURN", "judge_stored", "run_whole"]

#: The effect with which a target reports that the turn after this one came to its end.
NEXT_TURN = "next_turn"


def run_whole(
    lab: Lab,
    subject: Subject,
    cases: Sequence[Case],
    *,
    variables: Mapping[str, str] | None = None,
    points: Iterable[str] = (),
    next_turn: bool = False,
) -> Unfaulted:
    """Run without a fault: ``start`` to its end, and the next turn where one is wanted.

    Args:
        lab: Where it happens.
        subject: What is run.
        cases: What there will be to try.
        variables: Environment for each process, on top of the subject's.
        points: Fault points that ``start`` has to come to, each as often as it stands here.
        next_turn: Whether the user says something more, in a new process.

    Returns:
        Among the evidence is ``stored``: how many entries of each kind the history holds, ``None``
        for a subject that does not tell.

    Raises:
        NotUsable: It failed, had no effect, missed a point, or left a history that is broken.
    """
    limit = lab.limits.unfaulted
    with lab.trial(subject, variables) as trial:
        ended, effects = run_unfaulted(trial, limit)
        facts = {
            "stage": "unfaulted",
            "effects": effects,
            "calls": [call.to_json() for call in trial.provider.calls],
            "start_returncode": ended.returncode,
            **({"stderr": ended.stderr} if ended.stderr else {}),
        }
        if not effects:
            raise NotUsable(
                "the agent exited (code 0) and its tool never called the provider: "
                "report the effect with record_effect where the tool calls the service",
                facts,
            )
        reached = Counter(one.point for one in trial.provider.faults.reached)
        if missing := Counter(points) - reached:
            raise NotUsable(
                "the run without a fault did not come to the fault point "
                f"{' nor to '.join(missing)} as often as it takes, so there is nothing to break",
                {**facts, "reached": dict(reached)},
            )
        seconds = ended.seconds
        if next_turn:
            seconds += _say_more(trial, limit, facts).seconds
            effects = trial.provider.effects
        stored = _stored(trial.inspect(limit), facts)
    return Unfaulted(
        effects=tuple(effects),
        seconds=seconds,
        cases=tuple(cases),
        evidence={"effects": effects, "seconds": round(seconds, 3), "stored": stored},
    )


def judge_stored(
    trial: Trial, limit: float, evidence: dict[str, Any], *, when: str
) -> Judgement | None:
    """A FAIL for a stored history that is not well-formed; it stands in the evidence."""
    reported = trial.inspect(limit)
    if reported is not None:
        evidence["reported"] = reported
    return judge_history(reported, when=when)


def _say_more(trial: Trial, limit: float, facts: dict[str, Any]) -> Ended:
    """The next turn, in a new process.

    Raises:
        NotUsable: It did not end well, or not in the effect that reports its end.
    """
    trial.provider.phase = "next-turn"
    ended = trial.run("next-turn", limit, generation=1)
    facts["next_turn_returncode"] = ended.returncode
    if ended.stderr:
        facts["stderr"] = ended.stderr
    if ended.returncode != 0:
        how = "did not end" if ended.returncode is None else f"ended with {ended.returncode}"
        raise NotUsable(f"without a fault the next turn {how}", facts)
    for name, count in trial.provider.effects.items():
        if count != 1:
            raise NotUsable(f"without a fault the next turn left {count} {name} effects", facts)
    if NEXT_TURN not in trial.provider.effects:
        raise NotUsable(f"without a fault the next turn never reported {NEXT_TURN}", facts)
    return ended


def _stored(reported: dict[str, Any] | None, facts: dict[str, Any]) -> dict[str, int] | None:
    """How many entries of each kind are stored.

    Raises:
        NotUsable: The history cannot be read, or is broken.
    """
    if reported is None:
        return None
    facts["reported"] = reported
    try:
        history = read_history(reported)
    except ValueError as problem:
        raise NotUsable(
            f"what the run without a fault stored cannot be read: {problem}", facts
        ) from problem
    if problem_found := find_break(history):
        raise NotUsable(f"the history without a fault is broken: {problem_found}", facts)
    return dict(Counter(one.kind for one in history))
