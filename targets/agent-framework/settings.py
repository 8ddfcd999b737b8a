"""What is set from outside: which of the shop's programs runs, and in what world.

``PLUGPULL_API``
    ``functional``, ``functional-agent``, ``graph``, ``graph-agent`` or ``two-orders``: see the
    modules of these names.
``PLUGPULL_KEY``
    What a payment sends the payment service as idempotency key: ``none``, the ``tool-call-id``
    that the model gave its call, or the ``ticket`` that an earlier step of the run has made.
``PLUGPULL_DISPATCH``
    How the calls of one turn are run: ``together``, ``one-by-one``, or together with the first one
    behind a ``look-up`` that is a step of its own. For two orders: ``swapped``.
``PLUGPULL_RETRY``
    How a call of the model that failed is made again: by a ``middleware`` or by a ``decorator``.
``PLUGPULL_TYPES``
    ``registered``: the shop's own classes are named to the checkpoint storage.
``PLUGPULL_BATCH``, ``PLUGPULL_APPROVAL``, ``PLUGPULL_WORLD``
    How many payments the model asks for in one turn, in which shape the run asks a human, and what
    has changed since the run was saved.
``PLUGPULL_STATE``, ``PLUGPULL_STREAM``
    What the shop keeps in the state of the run, and whether the run is streamed.
"""

from __future__ import annotations

import os
from pathlib import Path

ORDER = "order-42"
REQUEST = "Charge my card $42 for order 42."

API = os.environ.get("PLUGPULL_API", "functional")
KEY = os.environ.get("PLUGPULL_KEY", "none")
DISPATCH = os.environ.get("PLUGPULL_DISPATCH", "together")
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
WORLD = os.environ.get("PLUGPULL_WORLD", "")
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"
RETRY = os.environ.get("PLUGPULL_RETRY", "")
REGISTERED = os.environ.get("PLUGPULL_TYPES", "") == "registered"
STREAM = os.environ.get("PLUGPULL_STREAM", "") == "1"
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

#: Whether the part that asks a human is a workflow inside the workflow.
NESTED = APPROVAL.startswith("nested")


def turns() -> list[list[str]]:
    """The effects that the customer's order takes: those of one list in one turn of the model."""
    charges = [f"charge_card_{number}" for number in range(1, BATCH + 1)] or ["charge_card"]
    if APPROVAL == "two":
        charges = ["charge_card_1", "charge_card_2"]
    if APPROVAL == "sibling":
        charges = ["charge_card", "notify_shop"]
    return [["reserve_stock"], charges] if APPROVAL.endswith("after-step") else [charges]


def is_gated(effect: str) -> bool:
    """Whether a human has to approve it first."""
    return bool(APPROVAL) and effect.startswith("charge_card")


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])
