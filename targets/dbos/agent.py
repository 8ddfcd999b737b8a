"""An order on DBOS: a program that recovers what was not done when it launches.

* recovery: https://docs.dbos.dev/python/tutorials/workflow-tutorial#reliability-guarantees
* starting a workflow once, and waiting for it:
  https://docs.dbos.dev/python/tutorials/workflow-tutorial#workflow-ids-and-idempotency
* going on after a failure: https://docs.dbos.dev/python/tutorials/workflow-management
* shutting down: https://docs.dbos.dev/python/reference/dbos-class#destroy
"""

from __future__ import annotations

import os
import signal
import sys
import time
from typing import Any

import newer_sqlite  # noqa: F401 - has to come before DBOS
from dbos import DBOS, SetWorkflowID
from order import say, take_order
from settings import (
    AGAIN,
    GRACE,
    NEXT_REQUEST,
    NEXT_TURN,
    ORDER,
    REQUEST,
    asker,
    config,
    decisions,
    report,
    setup,
)
from stored import read_history

OPEN = {"PENDING", "ENQUEUED"}
PAUSE = 0.05


def start() -> None:
    """A run from its beginning. The workflow's id makes it one run, however often it is asked."""
    with SetWorkflowID(ORDER):
        DBOS.start_workflow(take_order, setup(), REQUEST)
    go_on()


def go_on(decided: frozenset[str] = frozenset()) -> None:
    """Wait until the run is over, or waits for somebody."""
    order = DBOS.retrieve_workflow(ORDER)
    while order.get_status().status in OPEN:
        waiting = setup()["approval"] and DBOS.get_event(asker(), "waiting", timeout_seconds=0)
        if waiting and decided.isdisjoint(waiting):
            print("waits for a human:", *waiting)
            return
        time.sleep(PAUSE)
    print(order.get_result()[-1]["content"])


def resume() -> None:
    """Go on: what was not done is under way already, and what has failed is forked."""
    order = DBOS.retrieve_workflow(ORDER)
    if order.get_status().status == "ERROR":
        failed = max(step["function_id"] for step in DBOS.list_workflow_steps(ORDER))
        with SetWorkflowID(AGAIN):
            print(DBOS.fork_workflow(ORDER, failed).get_result()[-1]["content"])
        return
    go_on()


def approve() -> None:
    """Hand on what was decided, one thing after the other, and go on."""
    asked: dict[str, str] = DBOS.get_event(asker(), "asked")
    for effect, word in decisions():
        DBOS.send(asker(), word, topic=asked[effect])
    go_on(frozenset(effect for effect, _ in decisions()))


def next_turn() -> None:
    """Something new from the user."""
    with SetWorkflowID(NEXT_TURN):
        print(DBOS.start_workflow(say, setup(), NEXT_REQUEST).get_result()[-1]["content"])


VERBS: dict[str, Any] = {
    "start": start,
    "resume": resume,
    "approve": approve,
    "next-turn": next_turn,
}


def main(verb: str) -> None:
    """One verb."""
    if verb == "inspect":
        report(read_history())
        return
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped; the next launch goes on"))
    DBOS(config=config())
    DBOS.launch()
    try:
        VERBS[verb]()
    finally:
        DBOS.destroy(workflow_completion_timeout_sec=GRACE)


if __name__ == "__main__":
    main(sys.argv[-1])
