"""Agents that meet a failure around their tool well or badly on purpose; standard library only.

PLUGPULL_CONTROL says which one to be; what each must come to stands in target.json. They share one
small framework: a step is noted in a journal once it is done, and a resume runs what is not noted.

provider-ack-lost: a charge that got no answer is sent again, with the same key or with a new one.

graceful-stop: asked to stop, one notes the step that it is in and goes, the other just goes once
the step is done.

model-error-after-tool: one asks its model once more, the other begins from the top, as its resume
does too.
"""

from __future__ import annotations

import os
import signal
import sys
import uuid
from pathlib import Path

from plugpull import fault, record_effect

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
KIND = os.environ["PLUGPULL_CONTROL"]
ORDER = "order-42"
JOURNAL = WORK / "journal"

asked_to_stop: list[int] = []


def done() -> list[str]:
    """The steps that are noted."""
    return JOURNAL.read_text(encoding="utf-8").split() if JOURNAL.exists() else []


def note(step: str) -> None:
    """Note a step as done, whole or not at all."""
    half = JOURNAL.with_suffix(".half")
    half.write_text("\n".join([*done(), step]), encoding="utf-8")
    half.replace(JOURNAL)


def charge() -> None:
    """Charge the card; what gets no answer is sent again."""
    key = uuid.uuid4().hex if KIND == "sends-a-new-key" else ORDER
    if KIND in {"notes-its-step", "drops-its-step"}:
        record_effect("charge_card")
        return
    try:
        record_effect("charge_card", key=key)
    except ConnectionError:
        record_effect("charge_card", key=ORDER)


def ask_model() -> None:
    """The model's last words, which it may have to be asked for again."""
    try:
        fault("model:after-tool")
    except ConnectionError:
        if KIND != "asks-its-model-again":
            raise
        fault("model:after-tool")


def run() -> None:
    """Run every step that is not noted, until asked to stop."""
    if "charge" not in done():
        charge()
        if KIND != "begins-from-the-top" and not (KIND == "drops-its-step" and asked_to_stop):
            note("charge")
    if asked_to_stop:
        sys.exit(0)
    ask_model()
    record_effect("finish_order", key=ORDER)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda number, _: asked_to_stop.append(number))
    try:
        run()
    except ConnectionError:
        if KIND != "begins-from-the-top":
            raise
        run()
