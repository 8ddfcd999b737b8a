"""Crash any agent at every one of its effects, inside the process, and compare how it ends.

``conform`` is a drop-in for that of crashresume 0.1.0; ``strict=True`` closes its holes. What a
kill of the real process does to real files is what ``plugpull --agent`` shows.
"""

from plugpull.conformance.check import conform
from plugpull.conformance.effects import Context, Effect, EffectLog, InjectedCrash, InjectedKill
from plugpull.conformance.report import ConformanceReport, Finding

__all__ = [
    "ConformanceReport",
    "Context",
    "Effect",
    "EffectLog",
    "Finding",
    "InjectedCrash",
    "InjectedKill",
    "conform",
]
