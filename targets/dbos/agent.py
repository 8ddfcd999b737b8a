"""An order on DBOS: a program that recovers what was not done when it launches.

* recovery: https://docs.dbos.dev/python/tutorials/workflow-tutorial#workflow-guarantees
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
from collections.abc import Callable

import newer_sqlite  # noqa: F401 - has to come before DBOS
from dbos import DBOS, SetWorkflowID, WorkflowStatus
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


def start() -> bool:
    """A run from its beginning. The workflow's id makes it one run, however often it is asked."""
    with SetWorkflowID(ORDER):
        DBOS.start_workflow(take_order, setup(), REQUEST)
    return go_on()


def go_on(decided: frozenset[str] = frozenset()) -> bool:
    """Wait until the run is over, or waits for somebody: then ``True``."""
    order = DBOS.retrieve_workflow(ORDER)
    check_version(order.get_status())
    while order.get_status().status in OPEN:
        waiting = setup()["approval"] and DBOS.get_event(asker(), "waiting", timeout_seconds=0)
        if waiting and decided.isdisjoint(waiting):
            print("waits for a human:", *waiting)
            return True
        time.sleep(PAUSE)
    print(order.get_result()[-1]["content"])
    return False


def check_version(status: WorkflowStatus) -> None:
    """Nobody goes on with a workflow of another application version: say so, and do not wait.

    https://docs.dbos.dev/python/tutorials/upgrading-workflows#versioning
    """
    theirs, ours = status.app_version, DBOS.application_version
    if status.status in OPEN and theirs != ours:
        sys.exit(f"{ORDER} stays as it is: of application version {theirs}, and this is {ours}")


def resume() -> bool:
    """Go on: what was not done is under way already, and what has failed is forked."""
    order = DBOS.retrieve_workflow(ORDER)
    if order.get_status().status == "ERROR":
        failed = max(step["function_id"] for step in DBOS.list_workflow_steps(ORDER))
        with SetWorkflowID(AGAIN):
            print(DBOS.fork_workflow(ORDER, failed).get_result()[-1]["content"])
        return False
    return go_on()


def approve() -> bool:
    """Hand on what was decided, one thing after the other, and go on."""
    asked: dict[str, str] = DBOS.get_event(asker(), "asked")
    for effect, word in decisions():
        DBOS.send(asker(), word, topic=asked[effect])
    return go_on(frozenset(effect for effect, _ in decisions()))


def next_turn() -> bool:
    """Something new from the user."""
    with SetWorkflowID(NEXT_TURN):
        print(DBOS.start_workflow(say, setup(), NEXT_REQUEST).get_result()[-1]["content"])
    return False


VERBS: dict[str, Callable[[], bool]] = {
    "start": start,
    "resume": resume,
    "approve": approve,
    "next-turn": next_turn,
}


def main(verb: str) -> bool:
    """One verb; whether the run waits for a human."""
    if verb == "inspect":
        report(read_history())
        return False
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("stopped; the next launch goes on"))
    DBOS(config=config())
    DBOS.launch()
    try:
        return bool(VERBS[verb]())
    finally:
        DBOS.destroy(workflow_completion_timeout_sec=GRACE)


if __name__ == "__main__":
    if main(sys.argv[-1]):
        # The workflow waits in a thread that outlives destroy(), and the interpreter would wait for
        # it until the human has decided.
        sys.stdout.flush()
        os._exit(0)
