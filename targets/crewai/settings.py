"""What the program is told from outside, and where it keeps what outlives it."""

from __future__ import annotations

import os
from pathlib import Path

#: The id of the flow's state, by which another process finds it.
ORDER = "order-42"
REQUEST = "Charge my card $42 for order 42."

SAVED = os.environ.get("PLUGPULL_SAVED", "persist")
KEY = os.environ.get("PLUGPULL_KEY", "none")

APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
