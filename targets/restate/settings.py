"""What the environment says about a run: which variant it is, where the server is, whose run it is.

A handler must not read its environment, which may be another one when it is replayed: it is told.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

ORDER = "order-42"
REQUEST = "Charge my card $42 for order 42."
NEXT_REQUEST = "Thank you. When will it arrive?"

WORLD = os.environ.get("PLUGPULL_WORLD", "")
KEY = os.environ.get("PLUGPULL_KEY", "none")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"
GRACE = float(os.environ.get("PLUGPULL_GRACE", "3"))
NESTED = os.environ.get("PLUGPULL_APPROVAL", "").startswith("nested")

ADMIN = f"127.0.0.1:{os.environ.get('PLUGPULL_PORT_ADMIN')}"
INGRESS = f"127.0.0.1:{os.environ.get('PLUGPULL_PORT_INGRESS')}"


def setup() -> dict[str, Any]:
    """The run as the environment wants it: how it asks a human, its batch, its attempts."""
    return {
        "approval": os.environ.get("PLUGPULL_APPROVAL", ""),
        "batch": int(os.environ.get("PLUGPULL_BATCH", "0")),
        "attempts": int(os.environ.get("PLUGPULL_ATTEMPTS", "0")),
        "model": MODEL,
    }


def run_name() -> str:
    """The key of the order's object, which no other run on this server has."""
    return f"{ORDER}-{os.environ['PLUGPULL_TRIAL']}"


def workdir() -> Path:
    """Where the application keeps its own files."""
    return Path(os.environ["PLUGPULL_WORKDIR"])


def decisions() -> list[tuple[str, str]]:
    """What a human has decided: the effect that waits, and the word."""
    said = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    return [(one["call"], one["decision"]) for one in said]


def report(found: dict[str, object]) -> None:
    """Leave what was read for the harness."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
