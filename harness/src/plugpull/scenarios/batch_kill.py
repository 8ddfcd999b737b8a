"""batch-kill: the model asks for several tool calls at once; killed between two of their results.

What should be true after: a call that had its answer is not made again, every effect of the batch
happened exactly once, and in the stored history each call has exactly one answer.

Fault points: ``between-results``, where the second call that comes is held and not recorded, and
``between-results-recorded``, where it is recorded and has no answer. At both, the first call has
its answer: its caller has hung up after it, or sent something else. What comes behind the second
call is held too and not recorded, so that a batch of parallel calls is in the same state at the
kill as one whose calls follow each other.

The harness gives the framework a moment to save the first result: it waits until the run stands
still. That is kindness and no proof, so a framework that saves results one by one is not failed for
being slower than the kill; one that never does fails either way.

ERROR when the unfaulted run makes no such batch or its history cannot be read, when the first call
did not get its answer, or when a kill did not land as designed.
"""

from __future__ import annotations

import threading
import time
from typing import Any

from plugpull.lab import Ended, Lab, Trial
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted, error, run_unfaulted
from plugpull.scenarios.history import batch_size, find_break, read_history
from plugpull.scenarios.killing import kill_in_call, resume, settle
from plugpull.scenarios.trying import try_killed
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["BATCH_VARIABLE", "BatchKill"]

#: Environment variable that says how many calls the model asks for at once.
BATCH_VARIABLE = "PLUGPULL_BATCH"

_SIZE = 3
_BATCH = {BATCH_VARIABLE: str(_SIZE)}
_NAMES = frozenset(f"charge_card_{number}" for number in range(1, _SIZE + 1))
_HELD_CALL = 2
_POINTS = {"between-results": BEFORE_EFFECT, "between-results-recorded": AFTER_EFFECT}

# In seconds: the most to wait until the first call's answer is taken, and how often to look.
_TAKES_WITHIN = 10.0
_GLANCE = 0.01


class BatchKill:
    """SIGKILL between two results of one batch of tool calls."""

    name = "batch-kill"
    for_agents = False
    fault_points = tuple(_POINTS)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` with a batch to its end.

        Raises:
            NotUsable: It failed, made no batch, or what it stored cannot be read or is broken.
        """
        del settings
        limit = lab.limits.unfaulted
        with lab.trial(subject, _BATCH) as trial:
            ended, effects = run_unfaulted(trial, limit)
            calls = [call.effect for call in trial.provider.calls]
            if set(calls[:_SIZE]) != _NAMES:
                raise NotUsable(
                    f"the run without a fault made the calls {', '.join(calls) or 'none'}, and "
                    f"{BATCH_VARIABLE}={_SIZE} asks for {', '.join(sorted(_NAMES))} first",
                    {"stage": "unfaulted", "effects": effects},
                )
            reported = trial.inspect(limit)
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=tuple(Case(point) for point in self.fault_points),
            evidence={
                "effects": effects,
                "seconds": round(ended.seconds, 3),
                "stored_calls": _stored_calls(reported, ended),
            },
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Kill at the second call, resume, and look at what was called again."""
        return try_killed(
            self.name,
            lab,
            subject,
            unfaulted,
            case,
            run=_run,
            variables=_BATCH,
            shown=("effects", "seconds", "stored_calls"),
        )


def _run(
    trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
) -> Judgement:
    answered: list[str] = []
    killed = kill_in_call(
        trial,
        _POINTS[point],
        limit,
        evidence,
        number=_HELD_CALL,
        stop_there=True,
        before_kill=lambda: answered.extend(_wait_taken(trial)),
    )
    if isinstance(killed, Judgement):
        return killed
    evidence["answered"] = answered
    if not answered:
        return error(
            "the first call of the batch had not got its answer when the second one was held, so "
            "nothing lies between two results"
        )
    if strangers := {*answered, killed.effect} - _NAMES:
        return error(f"the start did not begin with its batch, but called {min(strangers)}")
    broken = resume(trial, limit, evidence)
    if (reported := trial.inspect(limit)) is not None:
        evidence["reported"] = reported
    # What was answered comes first: it is what this scenario is about.
    expected = sorted(unfaulted.effects, key=lambda name: name not in answered)
    return (
        broken
        or judge_effects(expected, trial.provider.effects, when="after resume")
        or _judge_repeated(trial, answered)
        or _judge_history(reported, unfaulted.evidence["stored_calls"])
        or Judgement(PASS, Outcome.HELD, f"{', '.join(answered)} was answered and not called again")
    )


def _wait_taken(trial: Trial) -> tuple[str, ...]:
    """Wait until the first call's answer is taken and there was time to save it.

    Returns:
        The effects whose callers have their answers. To be asked before the kill, which makes
        every caller hang up.
    """
    end = time.monotonic() + _TAKES_WITHIN
    while not trial.provider.taken and time.monotonic() < end:
        threading.Event().wait(_GLANCE)
    settle(trial)
    return trial.provider.taken


def _stored_calls(reported: dict[str, Any] | None, ended: Ended) -> int | None:
    """How many calls the history of the run without a fault holds; ``None`` if it has no calls.

    Raises:
        NotUsable: It cannot be read, is broken, or shows that the calls were no batch.
    """
    if reported is None:
        return None
    evidence = {"stage": "unfaulted", "reported": reported, "start_returncode": ended.returncode}
    try:
        history = read_history(reported)
    except ValueError as problem:
        raise NotUsable(
            f"what the run without a fault stored cannot be read: {problem}", evidence
        ) from problem
    if problem_found := find_break(history):
        raise NotUsable(f"the history without a fault is broken: {problem_found}", evidence)
    calls = sum(one.kind == "call" for one in history)
    if calls and batch_size(history) != _SIZE:
        raise NotUsable(
            f"in the history without a fault {batch_size(history)} calls come before the first "
            f"answer, and {BATCH_VARIABLE}={_SIZE} asks for {_SIZE} in one turn",
            evidence,
        )
    return calls or None


def _judge_repeated(trial: Trial, answered: list[str]) -> Judgement | None:
    """A key keeps a second call from having an effect; the tool ran again all the same."""
    for call in trial.provider.calls:
        if call.phase == "resume" and call.effect in answered:
            return Judgement(
                FAIL,
                Outcome.REPEATED,
                f"call repeated: {call.effect} had its answer and was called again after resume "
                "(its key kept it from a second effect)",
            )
    return None


def _judge_history(reported: dict[str, Any] | None, stored_calls: int | None) -> Judgement | None:
    """Each call of the stored history has exactly one answer, and no call is missing."""
    if reported is None:
        return None
    try:
        history = read_history(reported)
    except ValueError as problem:
        return Judgement(
            FAIL,
            Outcome.STATE_LOST,
            f"what is stored can no longer be read after resume: {problem}",
        )
    calls = sum(one.kind == "call" for one in history)
    broken = find_break(history)
    if broken is None and stored_calls is not None and calls < stored_calls:
        broken = f"it holds {calls} calls (expected {stored_calls})"
    if broken is None:
        return None
    return Judgement(FAIL, Outcome.UNPAIRED, f"stored history broken: {broken}")
