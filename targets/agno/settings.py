"""What the program is told from outside, and where it keeps what outlives it.

Everything comes from the environment, so that a new process is told the same as the one that died.
"""

from __future__ import annotations

import os
from pathlib import Path

ORDER = "order-42"

#: The ids that the application gives: they are all that stays the same from process to process.
SESSION = "shop-session"
RUN = f"{ORDER}-run"

#: What the customer asks for, and what they ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
QUESTION = "One more question: when does it arrive?"

CHECKPOINT = os.environ.get("PLUGPULL_CHECKPOINT", "runs")
KEY = os.environ.get("PLUGPULL_KEY", "none")
CONTINUE = os.environ.get("PLUGPULL_CONTINUE", "run-id")
NEXT = os.environ.get("PLUGPULL_NEXT", "plain")
RETRY = os.environ.get("PLUGPULL_RETRY", "none")

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"

MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
