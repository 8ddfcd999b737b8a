"""lost-session-write where the store is the framework's own, behind its documented interface.

The target wraps that store, and the harness makes one write fail: on entry (``write-lost``), after
it was made (``ack-lost``), or on entry with every write behind it until the process has ended
(``outage``). What fails is a ``ConnectionError`` in the place of the store's answer.

A run that goes on regardless and exits 0 is judged too: in the end nothing may be missing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from plugpull.lab import Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.scenarios.base import Case, NotUsable, Unfaulted, error
from plugpull.scenarios.history import judge_history, read_history
from plugpull.scenarios.killing import note_stderr
from plugpull.scenarios.store_writes import (
    BEGIN,
    END,
    SAVE,
    WATCHED,
    WRITES,
    FailingWrites,
    StoreWriteName,
    go_on,
    writes_at,
)
from plugpull.scenarios.trying import try_killed
from plugpull.store import ACK_LOST, OUTAGE, WRITE_LOST
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["POINTS", "find_cases", "kinds_of", "try_store_case"]

#: Where a write can fail.
POINTS = (WRITE_LOST, ACK_LOST, OUTAGE)

_KINDS = "stored_kinds"


def find_cases(
    trial: Trial, effects: dict[str, int], seconds: float, limit: float
) -> Unfaulted | None:
    """Every write of a run without a fault that has just ended, each to be lost in each way.

    Returns:
        ``None`` where the target announced no write.

    Raises:
        NotUsable: What was stored cannot be read, or is broken.
    """
    names = writes_at(trial.provider.faults, BEGIN, "unfaulted")
    if not names:
        return None
    kinds = kinds_of(trial, limit)
    race = _race(names)
    return Unfaulted(
        effects=tuple(effects),
        seconds=seconds,
        cases=tuple(
            Case(point, str(name), number, by_chance=point == OUTAGE and race)
            for number, name in enumerate(names)
            for point in POINTS
        ),
        evidence={
            "effects": effects,
            "seconds": round(seconds, 3),
            "writes": [str(name) for name in names],
            "names": names,
            _KINDS: kinds,
        },
    )


def _race(names: list[StoreWriteName]) -> bool:
    """Whether checkpoints are written beside single results: which one fails first is chance."""
    return all(any(one.content.startswith(kind) for one in names) for kind in (SAVE, WRITES))


def kinds_of(trial: Trial, limit: float) -> dict[str, int] | None:
    """How many entries of each kind are stored; ``None`` for a target without ``inspect``.

    Raises:
        NotUsable: It cannot be read, or is broken already.
    """
    reported = trial.inspect(limit)
    if reported is None:
        return None
    if broken := judge_history(reported, when="without a fault"):
        raise NotUsable(broken.detail, {"stage": "unfaulted", "reported": reported})
    return dict(Counter(entry.kind for entry in read_history(reported)))


def try_store_case(
    name: str,
    lab: Lab,
    subject: Subject,
    unfaulted: Unfaulted,
    case: Case,
    *,
    variables: Mapping[str, str],
) -> Result:
    """Let the write fail, go on as a user would, and compare what is there in the end.

    Args:
        name: The scenario's.
        lab: Where it is tried.
        subject: Who is asked.
        unfaulted: What the run without a fault showed.
        case: The write, and how it fails.
        variables: What that run was told beside.
    """
    write: StoreWriteName = unfaulted.evidence["names"][case.number]

    def run(
        trial: Trial, unfaulted: Unfaulted, point: str, limit: float, evidence: dict[str, Any]
    ) -> Judgement:
        rule = FailingWrites(
            write, END if point == ACK_LOST else BEGIN, from_then_on=point == OUTAGE
        )
        judgement = _run(trial, unfaulted, rule, limit, evidence)
        evidence["fault_points"] = trial.provider.faults.evidence()
        return judgement

    return try_killed(
        name,
        lab,
        subject,
        unfaulted,
        case,
        run=run,
        variables={**variables, **WATCHED},
        shown=("effects", "seconds", "writes", _KINDS),
    )


def _run(
    trial: Trial,
    unfaulted: Unfaulted,
    rule: FailingWrites,
    limit: float,
    evidence: dict[str, Any],
) -> Judgement:
    provider, write = trial.provider, rule.write
    provider.phase = "start"
    provider.faults.follow(rule)
    try:
        started = trial.run("start", limit)
    except CannotStart as reason:
        return error(f"the agent could not be started: {trial.subject.argv[0]}: {reason}")
    evidence["start_code"] = started.returncode
    if started.stderr:
        evidence["start_stderr"] = started.stderr
    if rule.failed is None:
        note_stderr(evidence, started.stderr)
        return error(f"start never made the write {write}, so it could not be lost")
    evidence["failed_write"] = {"write": str(write), "pid": rule.failed.pid, "group": rule.group}
    if rule.group not in trial.groups:
        return error(
            f"the write {write} came from pid {rule.failed.pid}, outside the agent's process group"
        )
    if started.returncode is None:
        return Judgement(
            FAIL, Outcome.HUNG, f"start hung after the failed write: still there after {limit:g} s"
        )
    broken, when = None, "at the end"
    if started.returncode != 0:
        when = "after resume"
        broken = go_on(trial, limit, evidence, after="the failed write")
    reported = trial.inspect(limit)
    if reported is not None:
        evidence["reported"] = reported
    return (
        broken
        or judge_effects(unfaulted.effects, provider.effects, when=when)
        or judge_history(reported, when=when)
        or _judge_kinds(unfaulted.evidence[_KINDS], reported, when, silent=started.returncode == 0)
        or Judgement(PASS, Outcome.HELD, "everything is stored and happened exactly once")
    )


def _judge_kinds(
    expected: dict[str, int] | None, reported: dict[str, Any] | None, when: str, *, silent: bool
) -> Judgement | None:
    """A FAIL for entries of the stored history that are missing or there twice."""
    if expected is None or reported is None:
        return None
    found = Counter(entry.kind for entry in read_history(reported))
    for kind in sorted({*expected, *found}):
        wanted, there = expected.get(kind, 0), found[kind]
        if there == wanted:
            continue
        outcome = Outcome.STATE_LOST if there < wanted else Outcome.DUPLICATED
        silently = " silently" if silent and there < wanted else ""
        word = "lost" if there < wanted else "doubled"
        return Judgement(
            FAIL,
            outcome,
            f"stored history {word}{silently}: {there} entries of kind {kind} {when} "
            f"(expected {wanted})",
        )
    return None
