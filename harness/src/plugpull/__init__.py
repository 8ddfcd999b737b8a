"""plugpull: pull the plug on an AI agent in the middle of a run, and see what breaks.

An agent under test needs one name from here, :func:`~plugpull.effects.record_effect`; a target with
fault points of its own needs :func:`~plugpull.faults.fault` and
:func:`~plugpull.faults.store_write` too. The others are for tests that crash a
subject inside their own process: :func:`~plugpull.conformance.conform`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from plugpull._version import __version__

if TYPE_CHECKING:
    from plugpull.conformance import (
        ConformanceReport,
        Context,
        Effect,
        EffectLog,
        Finding,
        InjectedCrash,
        InjectedKill,
        conform,
    )
    from plugpull.effects import record_effect
    from plugpull.faults import fault, store_write

__all__ = [
    "ConformanceReport",
    "Context",
    "Effect",
    "EffectLog",
    "Finding",
    "InjectedCrash",
    "InjectedKill",
    "__version__",
    "conform",
    "fault",
    "record_effect",
    "store_write",
]

_HOMES = {
    "fault": "plugpull.faults",
    "record_effect": "plugpull.effects",
    "store_write": "plugpull.faults",
}


def __getattr__(name: str) -> Any:
    # Imported at first use: ``python -m plugpull.effects`` warns about a module that its own
    # package has imported already, and the agent's standard error is evidence. Every agent under
    # test imports this package, and none of them needs the rest.
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(importlib.import_module(_HOMES.get(name, "plugpull.conformance")), name)
