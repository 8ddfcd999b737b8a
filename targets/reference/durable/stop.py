"""Stopping when a deploy asks for it: the step under way is finished and stored, none is begun.

A process that SIGTERM ends at once leaves a step interrupted, and the next run has to do it again.
One that stops between two steps leaves nothing to do again. That is a kindness and no guarantee:
whoever asks will not wait for ever, and then comes SIGKILL.
"""

from __future__ import annotations

import signal
from types import FrameType

__all__ = ["Stop"]


class Stop:
    """Whether this process has been asked to stop."""

    __slots__ = ("_asked",)

    def __init__(self) -> None:
        self._asked = False

    def listen(self) -> Stop:
        """Take SIGTERM as the request, from now on. To be called in the main thread."""
        # A handler interrupts no call that waits for an answer: Python makes it again.
        signal.signal(signal.SIGTERM, self._hear)
        return self

    def asked(self) -> bool:
        """Looked at between two steps."""
        return self._asked

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        self._asked = True
