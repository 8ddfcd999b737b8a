"""Agents for the tests of two-resumers: ``pair.py KIND VERB``.

Each charges a card and closes the order; they differ in what two processes do to each other.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import fcntl
import os
import sys
from pathlib import Path

from plugpull import record_effect

KIND, VERB = sys.argv[1:]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])


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


def main() -> None:
    second = VERB == "resume" and is_second()
    if KIND == "silent" and VERB == "resume":
        return
    if KIND in {"locked", "patient"}:
        lock(wait=KIND == "patient")
    if KIND == "second-dies" and second:
        raise RuntimeError("out of luck")
    if KIND == "second-takes-over" and second:
        (WORK / "stolen").touch()
    charge("order-42" if KIND in {"keyed", "first-dies", "second-takes-over"} else None)
    if KIND == "first-dies" and VERB == "resume" and not second:
        raise RuntimeError("out of luck")
    if not (WORK / "stolen").exists():
        record_effect("finish_order", key="order-42")


if __name__ == "__main__":
    main()
