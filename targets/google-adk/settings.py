"""What the program is told from outside, and where it keeps what outlives it.

Everything comes from the environment, so that a new process is told the same as the one that died.
"""

from __future__ import annotations

import os
from pathlib import Path

APP = "shop"
USER = "ada"
ORDER = "order-42"

#: What the customer asks for, and what they ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
QUESTION = "One more question: when does it arrive?"

SERVICE = os.environ.get("PLUGPULL_SERVICE", "sqlite")
KEY = os.environ.get("PLUGPULL_KEY", "none")
NEXT = os.environ.get("PLUGPULL_NEXT", "plain")
ASKS = os.environ.get("PLUGPULL_ASKS", "confirmation")
RETRY = os.environ.get("PLUGPULL_RETRY", "none")
STOP = os.environ.get("PLUGPULL_STOP", "close")

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"

MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"
NESTED = APPROVAL.startswith("nested")
LONG_RUNNING = ASKS == "long-running"


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
