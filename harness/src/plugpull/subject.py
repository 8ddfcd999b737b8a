"""What a scenario is run on: one variant of a target, or a user's own agent."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from plugpull.notes import Note

__all__ = ["Subject"]


@dataclass(frozen=True, slots=True)
class Subject:
    """A command that takes a verb, and what is known about it.

    Attributes:
        target: What people read: ``langgraph 1.2.11 durability=sync``, or the user's command.
        argv: The command line without the verb.
        variant: Name of the variant.
        environment: What tells the program which variant it is.
        program: The Python program in ``argv`` for a target, ``None`` for a user's command.
        timing_dependent: The target says that its verdicts may differ from run to run.
        inspects: Whether it has the verb ``inspect``.
        refusals: Patterns over standard error by which a resume says no.
        notes: What to add to a result, under which condition.
        ignore: Glob patterns of files that are no part of its end state.
        worlds: The changes it can be resumed under, each with what a refusal has to name.
        lacking: Scenario and fault point, for each that it declares it cannot be asked for.
    """

    target: str
    argv: tuple[str, ...]
    variant: str = "default"
    environment: Mapping[str, str] = field(default_factory=dict)
    program: Path | None = None
    timing_dependent: bool = False
    inspects: bool = False
    refusals: tuple[re.Pattern[str], ...] = ()
    notes: tuple[Note, ...] = ()
    ignore: tuple[str, ...] = ()
    worlds: Mapping[str, re.Pattern[str]] = field(default_factory=dict)
    lacking: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def for_program(cls, program: Path, **fields: object) -> Subject:
        """A subject whose command is a Python program run by this very interpreter."""
        return cls(argv=(sys.executable, str(program)), program=program, **fields)  # type: ignore[arg-type]

    def has(self, scenario: str, kill_point: str) -> bool:
        """Whether it can be asked for this fault point."""
        return (scenario, kill_point) not in self.lacking

    def refused(self, stderr: str) -> str | None:
        """The line in which a resume refused, or ``None`` when it did not."""
        for pattern in self.refusals:
            for line in reversed(stderr.splitlines()):
                if pattern.search(line):
                    return line.strip()
        return None
