"""Every way of ours to stop early: what happened, why probably, what to do next.

Standard library only: both the core (inside a cell) and the planner's side raise these.
"""

from __future__ import annotations

__all__ = ["ERROR_EXIT", "INTERRUPTED_EXIT", "PlugpullError", "UsageError"]

#: Something could not be run as designed, or was asked for wrongly.
ERROR_EXIT = 2
#: Stopped by Ctrl-C, as a shell reports it.
INTERRUPTED_EXIT = 130


class PlugpullError(Exception):
    """A mistake or a missing condition that a person can mend.

    Args:
        what: What happened, in one sentence, naming the place.
        why: The probable cause, if it adds anything.
        then: What to do next, if there is something.
    """

    exit_code = ERROR_EXIT

    def __init__(self, what: str, *, why: str = "", then: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.then = then

    def __str__(self) -> str:
        lines = [self.what]
        if self.why:
            lines.append(f"  why: {self.why}")
        if self.then:
            lines.append(f"  next: {self.then}")
        return "\n".join(lines)


class UsageError(PlugpullError):
    """The command line, a manifest or a declaration says something that cannot be meant."""
