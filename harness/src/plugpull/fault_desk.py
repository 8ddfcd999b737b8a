"""The harness's side of a fault point: who stands where, and what they are told.

Everything that comes in is kept as a fact: which point, which process (as the kernel names it), in
which phase, and what it was told. A scenario gives one rule that answers; a rule may also say that
a process has to wait, and then the scenario decides: kill it, or let it go.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from plugpull.faults import GO_ON
from plugpull.wire import Connection

__all__ = ["DROP", "HOLD", "FaultDesk", "HeldFault", "Reached", "Rule"]

#: The process waits until the scenario has decided.
HOLD = "hold"
#: The call is closed without an answer, which the target sees as a ``ConnectionError``.
DROP = "drop"

# How often a waiting harness looks whether the agent is still there.
_GLANCE = 0.02


@dataclass(frozen=True, slots=True)
class Reached:
    """A fault point that a process came to.

    Attributes:
        point: Its name.
        number: The how many-th time this name came in this trial, counted from 1.
        pid: The process, as the kernel names it.
        phase: Which part of the run was going on.
    """

    point: str
    number: int
    pid: int | None
    phase: str


@dataclass(slots=True)
class HeldFault:
    """A process that waits at a fault point.

    Attributes:
        reached: The point and the process.
        connection: Its open call.
    """

    reached: Reached
    connection: Connection
    _word: str = DROP
    _decided: threading.Event = field(default_factory=threading.Event)

    @property
    def pid(self) -> int | None:
        """The process, as the kernel names it."""
        return self.connection.pid

    def answer(self, word: str) -> None:
        """Let it go, with a word of :mod:`plugpull.faults` or :data:`DROP`."""
        self._word = word
        self._decided.set()

    def wait(self) -> str:
        """The word, once there is one."""
        self._decided.wait()
        return self._word


#: Says what a process is told at a point; called for one process at a time.
Rule = Callable[[Reached], str]


class FaultDesk:
    """Answers at fault points, by one rule at a time; without one, everything goes on."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._rule: Rule = lambda _: GO_ON
        self._reached: list[tuple[Reached, str]] = []
        self._held: list[HeldFault] = []
        self._closed = False

    def follow(self, rule: Rule) -> None:
        """Answer by this rule from here on."""
        with self._changed:
            self._rule = rule

    @property
    def reached(self) -> tuple[Reached, ...]:
        """Every point that was reached, in the order in which they came."""
        with self._changed:
            return tuple(one for one, _ in self._reached)

    def evidence(self) -> list[dict[str, Any]]:
        """The same, with what each was told, as it stands in a result's evidence."""
        with self._changed:
            return [
                {"point": one.point, "pid": one.pid, "phase": one.phase, "told": word}
                for one, word in self._reached
            ]

    def wait_held(
        self, beginning: str, seconds: float, still_going: Callable[[], bool]
    ) -> HeldFault | None:
        """The first process that waits at a point with this beginning and was not let go.

        Returns:
            ``None`` when the agent ended, or the time did, before there was one.
        """
        end = time.monotonic() + seconds
        with self._changed:
            while True:
                for held in self._held:
                    if held.reached.point.startswith(beginning):
                        return held
                if time.monotonic() >= end or not still_going():
                    # The agent may have come there as the last thing it did.
                    self._changed.wait(_GLANCE)
                    return next(
                        (one for one in self._held if one.reached.point.startswith(beginning)),
                        None,
                    )
                self._changed.wait(_GLANCE)

    def let_go(self, word: str = DROP) -> None:
        """Tell every process that waits this word."""
        with self._changed:
            waiting = list(self._held)
        for held in waiting:
            held.answer(word)

    def close(self) -> None:
        """Nobody waits any more."""
        with self._changed:
            self._closed = True
        self.let_go()

    def serve(self, point: str, connection: Connection, phase: str) -> str | None:
        """Take in a process at a point; what it is told, ``None`` for no answer."""
        with self._changed:
            number = 1 + sum(one.point == point for one, _ in self._reached)
            reached = Reached(point, number, connection.pid, phase)
            word = DROP if self._closed else self._rule(reached)
            self._reached.append((reached, word))
            held = HeldFault(reached, connection) if word == HOLD else None
            if held is not None:
                self._held.append(held)
            place = len(self._reached) - 1
            self._changed.notify_all()
        if held is not None:
            word = held.wait()
            with self._changed:
                self._held.remove(held)
                self._reached[place] = (reached, f"{HOLD}, {word}")
        return None if word == DROP else word
