"""What the program is told from outside, and where it keeps what outlives it."""

from __future__ import annotations

import os
from pathlib import Path

#: The id of the flow's state, by which another process finds it.
ORDER = "order-42"
REQUEST = "Charge my card $42 for order 42."
#: What the customer says in the next turn.
QUESTION = "When does it arrive?"

SAVED = os.environ.get("PLUGPULL_SAVED", "persist")
KEY = os.environ.get("PLUGPULL_KEY", "none")
#: Who makes an outcome of what a person has said: the flow's own ``code``, or the ``model``.
OUTCOME = os.environ.get("PLUGPULL_OUTCOME", "code")

APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"
WORLD = os.environ.get("PLUGPULL_WORLD", "")

MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"
#: The argument of the tool that says how much is to be charged, and how much that is.
AMOUNT = ("cents", 4200) if WORLD == "tool-schema-changed" else ("amount", 42)

#: What the model asks for, turn by turn.
WISHES = {
    "two": [["charge_card_1", "charge_card_2"]],
    "sibling": [["notify_shop", "charge_card"]],
    "after-step": [["reserve_stock"], ["charge_card"]],
}.get(APPROVAL, [["charge_card"]])
if BATCH:
    WISHES = [[f"charge_card_{number + 1}" for number in range(BATCH)]]


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
