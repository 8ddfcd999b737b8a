"""What a subject sees of the check: a context through which it reports its effects.

The context is where a crash is injected: the subject calls :meth:`Context.effect` at the place
where it would call the outside service, and never returns from the call that is to be its last.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import Any

__all__ = ["Context", "Effect", "EffectLog", "InjectedCrash", "InjectedKill"]


class InjectedCrash(RuntimeError):
    """The subject's process is taken to be dead from here on.

    An ordinary exception, so a subject may catch it and go on, which no dead process does. With
    ``strict=True`` that is reported.
    """


class InjectedKill(BaseException):
    """The same, for a subject whose framework catches every :class:`Exception` a tool raises.

    ``except Exception`` lets it through. Used with ``uncatchable=True``.
    """


@dataclass(frozen=True)
class Effect:
    """One call that a subject made to the outside world.

    Attributes:
        kind: What happens, for example ``"charge"``: the effect's name.
        payload: What is sent along; not compared.
        key: The idempotency key that is sent along, or ``None``.
        seq: Its place among the calls of its log, counted from 0.
    """

    # No slots: reports are turned into JSON through ``vars``, here as in the package whose
    # interface this is.

    kind: str
    payload: Any = None
    key: str | None = None
    seq: int = 0


class EffectLog:
    """The calls that the outside world took, kept over the restarts of one run.

    A subject may ask it what has already happened, as it could ask a payment service.
    """

    def __init__(self) -> None:
        self._effects: list[Effect] = []
        # Agents call tools from threads.
        self._lock = threading.Lock()

    def record(self, kind: str, payload: Any = None, key: str | None = None) -> Effect:
        """Take a call down."""
        with self._lock:
            effect = Effect(kind, payload, key, len(self._effects))
            self._effects.append(effect)
        return effect

    @property
    def effects(self) -> list[Effect]:
        """All calls in their order; a copy."""
        with self._lock:
            return list(self._effects)

    def keys(self) -> list[str]:
        """The keys of all calls that had one, in their order, repeats included."""
        return [effect.key for effect in self.effects if effect.key is not None]


class Context:
    """What the factory is given at each start of the subject.

    Args:
        run_id: Names the run; see the attribute.
        log: Where effects are recorded.
        crash_at: The number of the effect, counted from 1 in this context, from which on every
            call ends in :class:`InjectedCrash` after it was recorded. ``None``: no crash.

    Attributes:
        run_id: The same for a crashed run and its resume, and another for every crash point. What
            has to outlive a restart belongs into a store that is chosen by it.
        effects: The log.
    """

    def __init__(self, run_id: str, log: EffectLog, crash_at: int | None = None) -> None:
        self.run_id = run_id
        self.effects = log
        self._crash_at = crash_at
        self._count = 0

    def effect(self, kind: str, payload: Any = None, key: str | None = None) -> Effect:
        """Report an effect on the outside world, at the place where it would happen.

        Args:
            kind: The effect's name.
            payload: Whatever helps a reader; not compared.
            key: The idempotency key that is sent along.

        Raises:
            InjectedCrash: This is where the process dies.
        """
        effect = self.effects.record(kind, payload, key)
        self._count += 1
        if self._crash_at is not None and self._count >= self._crash_at:
            msg = f"crash injected after effect #{self._count} ({kind})"
            raise InjectedCrash(msg)
        return effect
