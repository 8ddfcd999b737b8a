"""What the program is told from outside, and where it keeps what outlives it.

Everything comes from the environment, so that a new process is told the same as the one that died.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

ORDER = "order-42"

#: A thread is LangGraph's word for one conversation; its id is all that a new process has to know.
CONFIG: dict[str, Any] = {"configurable": {"thread_id": ORDER}}

#: Which of LangGraph's two APIs: ``graph`` or ``functional``.
API = os.environ.get("PLUGPULL_API", "graph")
DURABILITY = os.environ.get("PLUGPULL_DURABILITY", "async")
KEY = os.environ.get("PLUGPULL_KEY", "none")
DISPATCH = os.environ.get("PLUGPULL_DISPATCH", "node")
RETRY = os.environ.get("PLUGPULL_RETRY", "none")
TOOL_ERRORS = os.environ.get("PLUGPULL_TOOL_ERRORS", "raise")
ANSWERS = os.environ.get("PLUGPULL_ANSWERS", "plain")
REPAIR = os.environ.get("PLUGPULL_REPAIR", "none")
SERIALIZER = os.environ.get("PLUGPULL_SERIALIZER", "default")

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"

#: Whether a human is asked by an agent within the agent, and whether a step comes before.
NESTED = "nested" in APPROVAL
AFTER_STEP = "after-step" in APPROVAL


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])


def checkpoints() -> str:
    """The SQLite file with the checkpoints."""
    return str(workdir() / "checkpoints.sqlite")
