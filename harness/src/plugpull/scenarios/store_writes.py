"""Writes to a store that the framework lets its users plug in, as they come to the fault desk.

A target wraps each of them (:func:`plugpull.faults.store_write`), and each is known by what is
written: ``save:`` for a checkpoint, ``writes:`` for results of single steps that are stored by
themselves. Names come from contents, never from the order in which calls happen to come.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from plugpull.fault_desk import FaultDesk, Reached
from plugpull.faults import FAIL, FAULTS_VARIABLE, GO_ON
from plugpull.lab import Ended, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.scenarios.base import error, judge_ended_resume
from plugpull.scenarios.killing import note_stderr
from plugpull.verdicts import Judgement

__all__ = [
    "BEGIN",
    "END",
    "SAVE",
    "WATCHED",
    "WRITES",
    "FailingWrites",
    "StoreWriteName",
    "go_on",
    "writes_at",
]

#: Environment with which a target announces its writes.
WATCHED = {FAULTS_VARIABLE: "write"}

#: On entry to a write, and when it was made.
BEGIN, END = "begin", "end"

#: How the contents begin: of checkpoints, and of single results.
SAVE, WRITES = "save:", "writes:"

_POINT = "write:"


@dataclass(frozen=True, slots=True)
class StoreWriteName:
    """One write: its content, and the how many-th with this content it is.

    Attributes:
        content: What is written, ``save:2``.
        number: Counted from 1.
    """

    content: str
    number: int

    def __str__(self) -> str:
        return self.content if self.number == 1 else f"{self.content}-{self.number}"

    @property
    def begin(self) -> str:
        """Its fault point on entry."""
        return f"{_POINT}{self.content}:{BEGIN}"

    def begins(self, reached: Reached) -> bool:
        """Whether this is the entry to it."""
        return reached.point == self.begin and reached.number == self.number


def writes_at(desk: FaultDesk, end: str, phase: str, kind: str = "") -> list[StoreWriteName]:
    """The writes that began (:data:`BEGIN`) or were made (:data:`END`), in order.

    Args:
        desk: Where they were announced.
        end: Which of the two.
        phase: The part of the run.
        kind: :data:`SAVE` or :data:`WRITES`; empty for both.
    """
    found: list[StoreWriteName] = []
    for one in desk.reached:
        content = _content(one, end)
        if content is not None and one.phase == phase and content.startswith(kind):
            found.append(StoreWriteName(content, one.number))
    return found


def _content(reached: Reached, end: str) -> str | None:
    point = reached.point
    if not point.startswith(_POINT) or not point.endswith(f":{end}"):
        return None
    return point[len(_POINT) : -len(end) - 1]


class FailingWrites:
    """A rule by which writes fail while the run starts, and all others are made.

    Args:
        write: The write that fails.
        end: Where: on entry, so that it is lost, or when it was made, so that its word is.
        from_then_on: All writes behind it fail as well, until the process has ended.
    """

    def __init__(self, write: StoreWriteName, end: str, *, from_then_on: bool = False) -> None:
        self.write = write
        self._point = f"{_POINT}{write.content}:{end}"
        self._from_then_on = from_then_on
        #: The first one that failed; ``None`` as long as none did.
        self.failed: Reached | None = None
        #: The process group of the process that was told so.
        self.group: int | None = None

    def __call__(self, reached: Reached) -> str:
        """The word for one fault point."""
        if reached.phase != "start":
            return GO_ON
        if self.failed is not None:
            again = self._from_then_on and reached.point.endswith(f":{BEGIN}")
            return FAIL if again else GO_ON
        if reached.point != self._point or reached.number != self.write.number:
            return GO_ON
        self.failed = reached
        # The process waits for its answer, so it is there.
        self.group = os.getpgid(reached.pid) if reached.pid else None
        return FAIL


def go_on(trial: Trial, limit: float, evidence: dict[str, Any], *, after: str) -> Judgement | None:
    """Do what a user would do after a start that did not end well.

    That is ``resume``; and ``start`` once more where no checkpoint had been stored and nothing had
    happened, because then there is no run yet that could be resumed.

    Returns:
        A judgement if it did not end well, ``None`` if it exited 0.
    """
    provider = trial.provider
    saved = writes_at(provider.faults, END, "start", SAVE)
    fresh = not saved and not any(provider.effects.values())
    verb = "start" if fresh else "resume"
    evidence["went_on_with"] = verb
    provider.phase = "resume"
    before = len(provider.calls)
    try:
        ended: Ended = trial.run(verb, limit, generation=1)
    except CannotStart as reason:
        return error(f"{verb} could not be started: {trial.subject.argv[0]}: {reason}")
    evidence["resume_returncode"] = ended.returncode
    note_stderr(evidence, ended.stderr)
    return judge_ended_resume(
        trial.subject,
        ended,
        new_effects=any(call.recorded for call in provider.calls[before:]),
        limit=limit,
        after=after,
    )
