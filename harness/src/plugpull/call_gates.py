"""Gates for calls to the provider: each named effect's calls wait until they are let through.

For a turn whose calls may come in any order or side by side: whatever comes first, the harness
decides which of them is recorded, and which one is still open when the agent is killed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plugpull.provider_calls import HeldCall

__all__ = ["CallGates"]

# How often a waiting harness looks whether the agent is still there.
_GLANCE = 0.02


class CallGates:
    """All open at first."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._closed: set[str] = set()
        self._waiting: dict[str, list[HeldCall]] = {}
        self._dropped = 0

    def close(self, *effects: str) -> None:
        """Let calls with these effects wait from here on."""
        with self._changed:
            self._closed.update(effects)

    def open(self, effect: str) -> None:
        """Let those that wait with this effect through, and those that come later."""
        with self._changed:
            self._closed.discard(effect)
            self._changed.notify_all()

    def drop(self) -> None:
        """Close every call that waits without an answer, and open all gates."""
        with self._changed:
            self._dropped += 1
            self._closed.clear()
            self._changed.notify_all()

    def waiting(self, effect: str) -> HeldCall | None:
        """The first call that waits with this effect."""
        with self._changed:
            return next(iter(self._waiting.get(effect, ())), None)

    def wait_for(
        self, effects: tuple[str, ...], seconds: float, still_going: Callable[[], bool]
    ) -> HeldCall | None:
        """The first call that waits with one of these effects, looked for in their order.

        Returns:
            ``None`` when the agent ended, or the time did, before there was one.
        """
        end = time.monotonic() + seconds
        while True:
            # Asked before the look: a call may have come as the last thing the agent did.
            over = time.monotonic() >= end or not still_going()
            with self._changed:
                found = [one for name in effects for one in self._waiting.get(name, ())]
                if found or over:
                    return found[0] if found else None
                self._changed.wait(_GLANCE)

    def pass_through(self, held: HeldCall) -> bool:
        """Wait at the gate; ``False`` for a call that is to get no answer."""
        effect = held.effect
        with self._changed:
            dropped = self._dropped
            self._waiting.setdefault(effect, []).append(held)
            self._changed.notify_all()
            while effect in self._closed and self._dropped == dropped:
                self._changed.wait()
            self._waiting[effect].remove(held)
            return self._dropped == dropped

    def has_closed(self, effect: str) -> bool:
        """Whether a call with this effect would have to wait."""
        with self._changed:
            return effect in self._closed
