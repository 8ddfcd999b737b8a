"""How long a process may take: never so short that a busy machine decides a verdict."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a process may take, in seconds, before it counts as hanging.

    Attributes:
        timeout: What the user asked for (``--timeout``); ``None`` for the rules below.
    """

    timeout: float | None = None

    #: Without a fault nothing is known yet about how long a run takes.
    UNFAULTED = 300.0
    #: A faulted run gets at least this, and ten times as long as the run without a fault took,
    #: so that a busy machine decides no verdict.
    LEAST = 60.0
    FACTOR = 10

    @property
    def unfaulted(self) -> float:
        """For the run without a fault."""
        return self.UNFAULTED if self.timeout is None else self.timeout

    def faulted(self, unfaulted_seconds: float) -> float:
        """For each process of a faulted run."""
        if self.timeout is not None:
            return self.timeout
        return max(self.LEAST, self.FACTOR * unfaulted_seconds)
