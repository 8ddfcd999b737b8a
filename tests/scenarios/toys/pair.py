"""Agents for the tests of two-resumers: ``pair.py KIND FOLDER VERB``.

Each charges a card and closes the order; they differ in what two processes do to each other. FOLDER
outlives a run, for those that behave well only the first time.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from pathlib import Path

from plugpull import record_effect

KIND, FOLDER, VERB = sys.argv[1:]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])
ASKS = "PLUGPULL_APPROVAL" in os.environ
GOES_ON = VERB in {"resume", "approve"}


def lock(*, wait: bool) -> None:
    file = os.open(WORK / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        sys.exit("somebody else has this run")


def is_second() -> bool:
    """Whether another resume has come before this one."""
    try:
        (WORK / f"first-{VERB}").touch(exist_ok=False)
    except FileExistsError:
        return True
    return False


def charge(key: str | None = None) -> None:
    done = WORK / "charged"
    if not done.exists():
        record_effect("charge_card", key=key)
        done.touch()


def did_before() -> bool:
    """Whether an earlier run of this toy came to this line."""
    place = Path(FOLDER) / f"{KIND}-{VERB}-{ASKS}"
    before = place.exists()
    place.touch()
    return before


def report() -> None:
    lost = KIND == "loses-its-history"
    history = [{"kind": "call", "id": "1"}, *([] if lost else [{"kind": "answer", "id": "1"}])]
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"history": history}))


def come_to_the_pause() -> None:
    if KIND == "next-start-fails" and did_before():
        sys.exit("no such order")
    if KIND == "next-start-charges" and did_before():
        charge()


def misbehaves() -> bool:
    """Whether this one goes on for real: the first approval is that of the run without a fault."""
    return VERB == "resume" or (VERB == "approve" and did_before())


def main() -> None:
    second = GOES_ON and is_second()
    if KIND == "silent" and misbehaves():
        return
    if KIND == "hangs" and second:
        time.sleep(600)
    if KIND in {"locked", "patient"}:
        lock(wait=KIND == "patient")
    if KIND == "second-dies" and second:
        raise RuntimeError("out of luck")
    if KIND == "second-takes-over" and second:
        (WORK / "stolen").touch()
    keyed = KIND in {"keyed", "first-dies", "second-takes-over"} or "KEYED" in os.environ
    charge("order-42" if keyed else None)
    if KIND == "first-dies" and not second and misbehaves():
        raise RuntimeError("out of luck")
    if not (WORK / "stolen").exists():
        record_effect("finish_order", key="order-42")


if __name__ == "__main__":
    if VERB == "inspect":
        report()
    elif VERB == "start" and ASKS:
        come_to_the_pause()
    else:
        main()
