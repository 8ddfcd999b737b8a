"""What the environment says about a run: which variant it is, and how it is asked."""

from __future__ import annotations

import json
import os
from pathlib import Path

ORDER = "order-42"
REQUEST = "Charge my card $42 for order 42."
NEXT_REQUEST = "Thank you. When will it arrive?"

WORKDIR = Path(os.environ.get("PLUGPULL_WORKDIR", "."))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
STREAMED = os.environ.get("PLUGPULL_STREAM", "") == "1"
KEEPS_CLASSES = os.environ.get("PLUGPULL_STATE", "") == "classes"

#: ``event``: the idempotency key is a field of the event that asks for the payment.
KEY = os.environ.get("PLUGPULL_KEY", "none")
#: How the run is saved: ``json`` or ``pickle`` snapshots.
SAVED_AS = os.environ.get("PLUGPULL_SAVED_AS", "json")
#: Which steps have a retry policy: those of the ``tool``, those of the ``model``, or ``none``.
RETRY = os.environ.get("PLUGPULL_RETRY", "none")
#: How a human is asked: with ``events`` between two steps, or by ``waiting`` within one.
ASKED_BY = os.environ.get("PLUGPULL_ASKED_BY", "events")
#: What comes first where a run was cut off and the user writes again: ``message`` or ``resume``.
FIRST = os.environ.get("PLUGPULL_FIRST", "resume")

AMOUNT = ("cents", 4200) if WORLD == "tool-schema-changed" else ("amount", 42)
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"


def wishes() -> list[str]:
    """The tools that the model will ask for in its turn."""
    if WORLD == "tool-removed":
        return []
    if BATCH:
        return [f"charge_card_{number}" for number in range(1, BATCH + 1)]
    shapes = {
        "two": ["charge_card_1", "charge_card_2"],
        "sibling": ["charge_card", "notify_shop"],
    }
    return shapes.get(APPROVAL, ["charge_card"])


def is_gated(name: str) -> bool:
    """Whether a human is asked before this tool runs."""
    return bool(APPROVAL) and name.startswith("charge_card")


def decisions() -> list[tuple[str, str]]:
    """What a human has decided: the tool that waits, and the word."""
    said = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    return [(one["call"], one["decision"]) for one in said]


def report(found: dict[str, object]) -> None:
    """Leave for the harness what was read."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
