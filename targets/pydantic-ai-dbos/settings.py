"""What the environment says about a run, and how DBOS is set up.

* configuration: https://docs.dbos.dev/python/reference/configuration
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

ORDER = "order-42"
NESTED = f"{ORDER}-desk"
NEXT_TURN = f"{ORDER}-turn-2"
AGAIN = f"{ORDER}-again"
REQUEST = "Charge my card $42 for order 42."
NEXT_REQUEST = "Thank you. When will it arrive?"

#: ``capability`` (DBOSDurability, from 2.14 on) or ``wrapper`` (DBOSAgent, deprecated since then).
DURABLE = os.environ.get("PLUGPULL_DURABLE", "capability")
#: Whether the tools are steps: ``step``, or ``plain``.
TOOLS_ARE = os.environ.get("PLUGPULL_TOOLS", "step")
KEY = os.environ.get("PLUGPULL_KEY", "none")
RETRY = os.environ.get("PLUGPULL_RETRY", "none")
GRACE = int(os.environ.get("PLUGPULL_GRACE", "0"))

BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
APPROVAL = os.environ.get("PLUGPULL_APPROVAL", "")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"
#: The workflow that asks the human: the order itself, or the agent within.
ASKER = NESTED if APPROVAL.startswith("nested") else ORDER


def database() -> str:
    """Where DBOS keeps everything."""
    return f"sqlite:///{Path(os.environ['PLUGPULL_WORKDIR']) / 'dbos.sqlite'}"


def config() -> dict[str, Any]:
    """DBOS on SQLite, with nobody else to talk to."""
    pinned = os.environ.get("PLUGPULL_APP_VERSION")
    return {
        "name": "shop",
        "system_database_url": database(),
        "log_level": "WARNING",
        "notification_listener_polling_interval_sec": 0.05,
        # Releases of DBOS before 3.0 serve an admin interface unless they are told not to.
        "run_admin_server": False,
        **({"application_version": pinned} if pinned else {}),
    }


def decisions() -> list[tuple[str, str]]:
    """What a human has decided: the effect that waits, and the word."""
    said = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    return [(one["call"], one["decision"]) for one in said]


def report(found: dict[str, object]) -> None:
    """Leave what was read for the harness."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
