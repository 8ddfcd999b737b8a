"""A context that dies in earnest: nothing is recorded after its crash, and who goes on is noticed.

An exception is a poor copy of a kill, because a subject can catch it. What it does then no dead
process could do, so a run in which that happened says nothing about a crash.
"""

from __future__ import annotations

import sys
import threading
from typing import Any

from plugpull.conformance.effects import Context, Effect, EffectLog, InjectedCrash, InjectedKill
from plugpull.conformance.life import leaves
from plugpull.conformance.report import AFTER

__all__ = ["MortalContext"]


class MortalContext(Context):
    """A context by the strict rules.

    Args:
        run_id: Names the run.
        log: Where effects are recorded.
        crash_at: The number of the effect to crash at, counted from 1; ``None``: no crash.
        when: ``before`` or ``after`` that effect is recorded.
        crash: What the crash raises.

    Attributes:
        calls: How many effects were asked for, up to the crash.
        died: Whether the crash was injected.
        outlived: How the subject went on in spite of it; ``None`` if it did not.
        crash: What the crash raises.
        only_looking: The subject is asked for its state, so an effect is a mistake.
    """

    def __init__(
        self,
        run_id: str,
        log: EffectLog,
        crash_at: int | None = None,
        *,
        when: str = AFTER,
        crash: type[InjectedCrash | InjectedKill] = InjectedCrash,
    ) -> None:
        super().__init__(run_id, log, crash_at)
        self.calls = 0
        self.died = False
        self.outlived: str | None = None
        self.only_looking = False
        self._when = when
        self.crash = crash
        self._first: BaseException | None = None
        self._thread = threading.get_ident()
        self._last_call: tuple[tuple[int, int | None], object] | None = None
        self._went_on = False
        self._over = False
        self._turn = threading.Lock()

    def effect(self, kind: str, payload: Any = None, key: str | None = None) -> Effect:
        """Report an effect; see :meth:`Context.effect`.

        Raises:
            InjectedCrash: The process dies here, or has died before.
            InjectedKill: The same, where the check was asked for it.
            TypeError: ``kind`` is no text, or ``key`` cannot be compared.
            ValueError: ``kind`` is empty.
            RuntimeError: ``state()`` has an effect.
        """
        if not isinstance(kind, str):
            msg = f"an effect's kind is text, not {kind!r}"
            raise TypeError(msg)
        if not kind:
            msg = "an effect needs a kind"
            raise ValueError(msg)
        hash(key)
        with self._turn:
            if self._over:
                msg = (
                    f"this ctx is of a process of {self.run_id} that has ended; "
                    "use the one that the factory was given last"
                )
                raise self.crash(msg)
            if self.died:
                self._went_on |= self._is_back(kind, payload, key)
                msg = f"{kind}: the process is dead"
                raise self.crash(msg)
            if self.only_looking:
                msg = f"state() is to be read, and has the effect {kind}"
                raise RuntimeError(msg)
            self.calls += 1
            if self.calls != self._crash_at:
                return self.effects.record(kind, payload, key)
            if self._when == AFTER:
                self.effects.record(kind, payload, key)
            self.died = True
            self._last_call = (_strand(), (kind, key, repr(payload)))
            self._first = self.crash(f"crash {self._when} effect #{self.calls} ({kind})")
            raise self._first

    def _is_back(self, kind: str, payload: Any, key: str | None) -> bool:
        """Whether the one that calls is the one that has died.

        Other threads and tasks only die at their next effect. A worker's thread goes from tool to
        tool, so there it has to be the same effect again.
        """
        if self._last_call is None or self._last_call[0] != _strand():
            return False
        thread, task = self._last_call[0]
        if thread == self._thread or task is not None:
            return True
        return self._last_call[1] == (kind, key, repr(payload))

    def over(self, error: BaseException | None = None) -> None:
        """The run has ended, by an exception or by itself."""
        self._over = True
        if not self.died:
            return
        if error is None:
            self.outlived = "the subject caught the crash and went on"
            return
        found = list(leaves(error))
        others = [each for each in found if not isinstance(each, self.crash)]
        if others:
            raised = type(others[0]).__name__
            self.outlived = f"the subject caught the crash and raised {raised} in its place"
        elif self._went_on and not any(each is self._first for each in found):
            self.outlived = "the subject caught the crash and tried again"
        self._first = None


def _strand() -> tuple[int, int | None]:
    """Which thread, and which task of its event loop if it has one, is running."""
    asyncio = sys.modules.get("asyncio")
    task = None
    if asyncio is not None:
        try:
            task = asyncio.current_task()
        except RuntimeError:
            task = None
    return threading.get_ident(), None if task is None else id(task)
