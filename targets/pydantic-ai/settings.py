"""What the program is told from outside, and where it keeps what outlives it.

Everything comes from the environment, so that a new process is told the same as the one that died.
"""

from __future__ import annotations

import os
from pathlib import Path

ORDER = "order-42"

#: What the customer asks for, what they asked before, and what they ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
EARLIER = "What have I ordered?"
QUESTION = "One more question: when does it arrive?"

HISTORY = os.environ.get("PLUGPULL_HISTORY", "per-node")
KEY = os.environ.get("PLUGPULL_KEY", "none")
NEXT = os.environ.get("PLUGPULL_NEXT", "plain")
RETRY = os.environ.get("PLUGPULL_RETRY", "none")
EVENTS = os.environ.get("PLUGPULL_EVENTS", "node")
SIGTERM = os.environ.get("PLUGPULL_SIGTERM", "default")

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"

MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
