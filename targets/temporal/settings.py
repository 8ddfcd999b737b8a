"""What the environment says about a run: which variant it is, where the server is, whose run it is.

A workflow must not read its environment, which may be another one at its replay: it is told.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

ORDER = "order-42"
REQUEST = "Charge my card $42 for order 42."
NEXT_REQUEST = "Thank you. When will it arrive?"

WORLD = os.environ.get("PLUGPULL_WORLD", "")
KEY = os.environ.get("PLUGPULL_KEY", "none")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"
ASKED_BY = os.environ.get("PLUGPULL_ASKED_BY", "signal")
GRACE = float(os.environ.get("PLUGPULL_GRACE", "0"))


@dataclass(frozen=True)
class Setup:
    """What a workflow is told.

    Attributes:
        approval: The shape in which it asks a human, as ``PLUGPULL_APPROVAL`` has it.
        batch: How many payments one turn asks for; 0 for one that has no number.
        attempts: How often an activity is tried; 0 without limit, which is the default.
        model: The model's name.
        chat: Whether the conversation stays open for what the user says next.
    """

    approval: str = ""
    batch: int = 0
    attempts: int = 0
    model: str = ""
    chat: bool = False


def setup() -> Setup:
    """The run as the environment wants it."""
    return Setup(
        approval=os.environ.get("PLUGPULL_APPROVAL", ""),
        batch=int(os.environ.get("PLUGPULL_BATCH", "0")),
        attempts=int(os.environ.get("PLUGPULL_ATTEMPTS", "0")),
        model=MODEL,
        chat=os.environ.get("PLUGPULL_CHAT", "no") == "yes",
    )


def address() -> str:
    """Where the server is."""
    return f"127.0.0.1:{os.environ['PLUGPULL_PORT_GRPC']}"


def run_name() -> str:
    """The workflow's id, which no other run on this server has."""
    return f"{ORDER}-{os.environ['PLUGPULL_TRIAL']}"


def decisions() -> list[tuple[str, str]]:
    """What a human has decided: the effect that waits, and the word."""
    said = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    return [(one["call"], one["decision"]) for one in said]


def report(found: dict[str, object]) -> None:
    """Leave what was read for the harness."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
