"""Ending in good order: LangGraph's cooperative drain, from 1.2 on.

On SIGTERM the run stops after the step that is going on, with its checkpoint saved:
https://docs.langchain.com/oss/python/langgraph/fault-tolerance#graceful-shutdown

Earlier releases document nothing, so SIGTERM ends the process there as it ends any Python program.
"""

from __future__ import annotations

import signal
from typing import Any

try:
    from langgraph.errors import GraphDrained as Drained
    from langgraph.runtime import RunControl
except ImportError:

    class Drained(Exception):  # type: ignore[no-redef]
        """Never raised: this release cannot be asked to stop."""

    RunControl = None  # type: ignore[assignment, misc]

__all__ = ["Drained", "drained_by_sigterm"]


def drained_by_sigterm() -> dict[str, Any]:
    """The argument with which a run can be asked to stop; SIGTERM is what asks."""
    if RunControl is None:
        return {}
    control = RunControl()
    signal.signal(signal.SIGTERM, lambda *_: control.request_drain("sigterm"))
    return {"control": control}
