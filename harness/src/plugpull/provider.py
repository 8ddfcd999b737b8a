"""The fake provider: the outside service on which a tool has its effect.

It lives in the harness, beyond the reach of a kill, and counts the way a payment service with
idempotency keys does. One call at a time can be held: before it is recorded, or after it was
recorded and before it is answered. What happens then is the harness's business.

The same socket takes the calls of other fault points (:mod:`plugpull.faults`), which are no effects
and are handed on to the :class:`~plugpull.fault_desk.FaultDesk`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from plugpull.call_gates import CallGates
from plugpull.fault_desk import FaultDesk
from plugpull.provider_calls import (
    Call,
    HeldCall,
    distinct_effects,
    read_effect,
    read_point,
    read_request,
)
from plugpull.wire import Connection, Server

__all__ = ["AFTER_EFFECT", "BEFORE_EFFECT", "Provider"]

#: The tool has started; the provider has the call and has not recorded the effect.
BEFORE_EFFECT = "before-effect"
#: The provider has recorded the effect; the tool has no answer yet.
AFTER_EFFECT = "after-effect"

# How often a waiting harness looks whether the agent is still there.
_GLANCE = 0.02


class Provider:
    """Counts effects, and can hold the next call.

    Args:
        path: Where its socket is made.
    """

    def __init__(self, path: Path) -> None:
        self.phase = "unfaulted"
        self.faults = FaultDesk()
        #: Closed, they take precedence over :meth:`hold_next`.
        self.gates = CallGates()
        self._lock = threading.Lock()
        self._calls: list[Call] = []
        self._taken: list[str] = []
        self._refused: list[str] = []
        self._point: str | None = None
        self._only: str | None = None
        self._stop_there = False
        self._until_held = 0
        self._held: HeldCall | None = None
        self._answers_held = False
        self._called = threading.Event()
        self._arrived = threading.Event()
        self._released = threading.Event()
        #: Seconds for which each answer is kept back, to see which calls are open side by side.
        self.linger = 0.0
        self._open: list[str] = []
        self._side_by_side: set[str] = set()
        self._first_call: float | None = None
        self._server = Server(path, self._serve)

    @property
    def path(self) -> Path:
        """Where the socket is."""
        return self._server.path

    @property
    def calls(self) -> tuple[Call, ...]:
        """Every call so far, in the order in which the provider took them."""
        with self._lock:
            return tuple(self._calls)

    def remember(self, calls: Iterable[Call]) -> None:
        """Go on counting where an earlier provider stopped, whose run is taken up here."""
        with self._lock:
            self._calls += calls

    @property
    def taken(self) -> tuple[str, ...]:
        """The effects whose callers have their answer: they hung up after it, or sent more."""
        with self._lock:
            return tuple(self._taken)

    @property
    def refused(self) -> tuple[str, ...]:
        """Why calls were refused: lines that were not the protocol's."""
        with self._lock:
            return tuple(self._refused)

    @property
    def first_call(self) -> float | None:
        """When the first call came, on the monotonic clock."""
        with self._lock:
            return self._first_call

    @property
    def side_by_side(self) -> frozenset[str]:
        """The effects whose calls were seen open at one time, while :attr:`linger` was set."""
        with self._lock:
            return frozenset(self._side_by_side)

    @property
    def effects(self) -> dict[str, int]:
        """Distinct effects per name. A call without a key is always one more."""
        return distinct_effects(self.calls)

    def hold_next(
        self, point: str, number: int = 1, effect: str | None = None, *, stop_there: bool = False
    ) -> None:
        """Hold the next call, or a later one. All others are answered, before and after.

        Args:
            point: :data:`BEFORE_EFFECT` or :data:`AFTER_EFFECT`.
            number: Which one, counted from 1.
            effect: Count the calls with this effect only, ``None`` for all.
            stop_there: Hold what comes after it as well, and record none of that.
        """
        with self._lock:
            self._point = point
            self._only = effect
            self._stop_there = stop_there
            self._until_held = number
            self._held = None
            self._answers_held = False
            self._arrived.clear()
            self._released.clear()

    def wait_held(self, seconds: float, still_going: Callable[[], bool]) -> HeldCall | None:
        """The held call, or ``None`` when the agent ended, or the time did, before one came."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._arrived.wait(_GLANCE):
                return self._held
            if not still_going():
                # The agent may have made its call as the last thing it did.
                return self._held if self._arrived.wait(_GLANCE) else None
        return None

    def wait_called(self, seconds: float, still_going: Callable[[], bool]) -> bool:
        """Wait for the first call; ``False`` when the agent ended, or the time did, before."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self._called.wait(_GLANCE):
                return True
            if not still_going():
                return self._called.wait(_GLANCE)
        return False

    def drop_held(self) -> None:
        """Close the held call without an answer. Nothing is held any more."""
        self._let_go(answer=False)

    def answer_held(self) -> None:
        """Answer the held call after all, as a service does that was slow. Nothing is held then.

        What was held before it was recorded is recorded now.
        """
        self._let_go(answer=True)

    def _let_go(self, *, answer: bool) -> None:
        with self._lock:
            self._point = None
            self._stop_there = False
            self._answers_held = answer
        self._released.set()

    def close(self) -> None:
        """Stop; calls that are open fail in their callers."""
        self._released.set()
        self.faults.close()
        self.gates.drop()
        self._server.close()

    def _serve(self, connection: Connection) -> None:
        answered = None
        while True:
            line = connection.read_line()
            if answered is not None:
                with self._lock:
                    self._taken.append(answered)
            if not line:
                return
            try:
                request = read_request(line)
                if "fault" in request:
                    word = self.faults.serve(read_point(request), connection, self.phase)
                    if word is None:
                        return
                    answered = None
                    connection.answer({"do": word})
                    continue
                name, key = read_effect(request)
            except ValueError as error:
                with self._lock:
                    self._refused.append(str(error))
                connection.answer({"error": str(error)})
                return
            if not self._take(name, key, connection):
                return
            if self.linger:
                self._keep_back(name)
            answered = name
            connection.answer({"ok": True})

    def _take(self, name: str, key: str | None, connection: Connection) -> bool:
        """Record the call; ``False`` if it was held and gets no answer."""
        if self.gates.has_closed(name):
            return self._take_at_gate(name, key, connection)
        with self._lock:
            if self._first_call is None:
                self._first_call = time.monotonic()
            if self._only in {None, name}:
                self._until_held -= 1
                point = self._point if self._until_held == 0 else None
            else:
                point = None
            behind = point is None and self._stop_there and self._held is not None
            recorded = point != BEFORE_EFFECT and not behind
            place = len(self._calls)
            self._calls.append(Call(name, key, connection.pid, self.phase, recorded))
            self._called.set()
            if point is None and not behind:
                return True
            if not behind:
                self._held = HeldCall(name, key, connection)
        self._arrived.set()
        self._released.wait()
        with self._lock:
            if self._answers_held:
                self._calls[place] = replace(self._calls[place], recorded=True)
            return self._answers_held

    def _take_at_gate(self, name: str, key: str | None, connection: Connection) -> bool:
        """Record the call once it is let through; ``False`` if it gets no answer."""
        with self._lock:
            place = len(self._calls)
            self._calls.append(Call(name, key, connection.pid, self.phase, recorded=False))
        if not self.gates.pass_through(HeldCall(name, key, connection)):
            return False
        with self._lock:
            self._calls[place] = replace(self._calls[place], recorded=True)
        return True

    def _keep_back(self, name: str) -> None:
        with self._lock:
            self._open.append(name)
            if len(self._open) > 1:
                self._side_by_side.update(self._open)
        # Set only when the provider closes, as nothing is held meanwhile.
        self._released.wait(self.linger)
        with self._lock:
            self._open.remove(name)
