"""plugpull: pull the plug on an AI agent in the middle of a run, and see what breaks.

An agent under test needs one name from here, :func:`~plugpull.effects.record_effect`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plugpull._version import __version__

if TYPE_CHECKING:
    from plugpull.effects import record_effect

__all__ = ["__version__", "record_effect"]


def __getattr__(name: str) -> Any:
    # Imported at first use: ``python -m plugpull.effects`` warns about a module that its own
    # package has imported already, and the agent's standard error is evidence.
    if name == "record_effect":
        from plugpull.effects import record_effect  # noqa: PLC0415

        return record_effect
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
