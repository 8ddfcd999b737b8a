"""What the program is told from outside, and where it keeps what outlives it.

Everything comes from the environment, so that a new process is told the same as the one that died.
"""

from __future__ import annotations

import os
from pathlib import Path

ORDER = "order-42"

#: What the customer asks for, what they say to a run that is taken up with a prompt, and what they
#: ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
PATIENCE_PLEASE = "And thank you for your patience."
QUESTION = "One more question: when does it arrive?"

IDEMPOTENT = os.environ.get("PLUGPULL_IDEMPOTENT", "yes") == "yes"
KEY_IN_ARGUMENTS = os.environ.get("PLUGPULL_KEY", "none") == "in-arguments"
ERRORS_FOR_MODEL = os.environ.get("PLUGPULL_ERRORS", "rise") == "tool-error"
STOPS_UNSETTLED = os.environ.get("PLUGPULL_UNSETTLED", "go-on") == "stop"
RESUMES_WITH_PROMPT = os.environ.get("PLUGPULL_RESUME", "finish") == "continue"

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")

MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"
#: What the tool calls the amount, and how much it is.
AMOUNT = ("cents", 4200) if WORLD == "tool-schema-changed" else ("amount", 42)


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
