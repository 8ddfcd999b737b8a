"""What the program is told from outside, and where it keeps what outlives it.

Everything comes from the environment, so that a new process is told the same as the one that died.
"""

from __future__ import annotations

import os
from pathlib import Path

#: The application's id and its partition: one customer's order.
ORDER = "order-42"
CUSTOMER = "customer-7"

#: What the customer asks for, and what they ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
QUESTION = "One more question: when does it arrive?"

STORE = os.environ.get("PLUGPULL_STORE", "sqlite")
KEY = os.environ.get("PLUGPULL_KEY", "none")
TOOLS = os.environ.get("PLUGPULL_TOOLS", "one-action")
NEXT = os.environ.get("PLUGPULL_NEXT", "resume")
RESUME_AT_NEXT_ACTION = os.environ.get("PLUGPULL_RESUME", "next-action") == "next-action"
EVENTS = os.environ.get("PLUGPULL_EVENTS", "iterate")
SERDE = os.environ.get("PLUGPULL_SERDE", "registered")

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"

MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
