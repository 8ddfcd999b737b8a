"""What the program is told from outside, and where it keeps what outlives it.

``PLUGPULL_SESSION``
    Where the conversation is saved: ``files`` (a file for each message), ``checkpoints`` (the same,
    and the run pauses before and after its tools), or a ``snapshot`` of the whole agent, written
    after each ``message``, after each ``invocation``, or when a ``trigger`` says so
    (``snapshot-message``, ``snapshot-invocation``, ``snapshot-trigger``).
``PLUGPULL_GO_ON``
    How a saved run goes on: the agent is called without a ``prompt``, or told to ``continue``.
``PLUGPULL_KEY``
    What a payment sends the payment service as idempotency key: ``none``, or the ``tool-use-id``.
``PLUGPULL_TOOLS``
    How the calls of one turn are run: ``concurrent`` or ``sequential``.
``PLUGPULL_ASKS``
    What asks a human: a ``hook`` before the tool, or the ``tool`` itself.
``PLUGPULL_NESTED``
    Where a nested agent's conversation is kept while it waits for a human: by the agent that has
    called it (``caller``), or in a session of its ``own``.
``PLUGPULL_STOP``
    How a stream is stopped: by ``cancel``, or by leaving its loop (``leave``).
``PLUGPULL_RETRY``
    ``model``: a call of the model that failed is made again.

``PLUGPULL_BATCH``, ``PLUGPULL_WORLD``, ``PLUGPULL_APPROVAL``, ``PLUGPULL_DECISIONS`` and
``PLUGPULL_STREAM`` are the scenarios' own: see docs/what-a-target-is-asked.md.
"""

from __future__ import annotations

import os
from pathlib import Path

ORDER = "order-42"

#: What the customer asks for, what a run is told that goes on, and what they ask in the next turn.
REQUEST = "Charge my card $42 for order 42."
CONTINUE = "Please continue."
QUESTION = "One more question: when does it arrive?"

SESSION = os.environ.get("PLUGPULL_SESSION", "files")
TOLD_TO_CONTINUE = os.environ.get("PLUGPULL_GO_ON", "") == "continue"
KEYED = os.environ.get("PLUGPULL_KEY", "none") == "tool-use-id"
SEQUENTIAL = os.environ.get("PLUGPULL_TOOLS", "") == "sequential"
TOOL_ASKS = os.environ.get("PLUGPULL_ASKS", "") == "tool"
OWN_SESSION = os.environ.get("PLUGPULL_NESTED", "") == "own"
LEAVES = os.environ.get("PLUGPULL_STOP", "") == "leave"
RETRIES = os.environ.get("PLUGPULL_RETRY", "") == "model"

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"

#: Whether the agent that charges the card is a tool of another one.
NESTED = APPROVAL.startswith("nested")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"


def turns() -> list[list[str]]:
    """The effects that the customer's order takes: those of one list in one turn of the model."""
    charges = [f"charge_card_{number}" for number in range(1, BATCH + 1)] or ["charge_card"]
    if APPROVAL == "two":
        charges = ["charge_card_1", "charge_card_2"]
    if APPROVAL == "sibling":
        charges = ["charge_card", "notify_shop"]
    return [["reserve_stock"], charges] if APPROVAL.endswith("after-step") else [charges]


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
