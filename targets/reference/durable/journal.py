"""The journal: one row for everything that happens to a task, never changed and never removed.

===============  ==================================  ===========================================
kind             data                                meaning
===============  ==================================  ===========================================
task_created     steps: how many                     the plan is stored, and fixed from now on
step_recovered                                       a dead process left it running; it is pending
run_started      recovered: indexes of those steps   a process begins to work on the task
step_started     tool, attempt: from 1               committed before the tool is called
step_finished    tool; added: how many further       its output is stored, and with it the steps
                 steps, if any                       that it asks for
step_unfinished                                      the tool cannot end now, and has not failed;
                                                     the step is pending again, and the run ends
step_error       error                               the tool raised; the step is pending again
task_done                                            every step is done
task_failed      reason: max_attempts                a step used up its attempts
step_reopened                                        a person wants the failed step tried again
task_extended    added: how many steps               a task that was done has more to do
===============  ==================================  ===========================================

Each ``step_started`` is followed by exactly one of ``step_finished``, ``step_recovered``,
``step_unfinished`` and ``step_error`` of the same step.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from typing import Any, Literal

__all__ = ["Kind", "append", "entries"]

Kind = Literal[
    "task_created",
    "step_recovered",
    "run_started",
    "step_started",
    "step_finished",
    "step_unfinished",
    "step_error",
    "task_done",
    "task_failed",
    "step_reopened",
    "task_extended",
]


def append(
    connection: sqlite3.Connection,
    task_id: str,
    run_id: str,
    kind: Kind,
    step: int | None = None,
    **data: Any,
) -> None:
    """Add one event.

    Raises:
        RuntimeError: Outside a transaction. An event is committed with the change that it tells
            of, or not at all.
    """
    if not connection.in_transaction:
        msg = f"{kind} would be written without the change that it tells of"
        raise RuntimeError(msg)
    connection.execute(
        "INSERT INTO events (ts, task_id, run_id, kind, step_idx, data) VALUES (?, ?, ?, ?, ?, ?)",
        (time.time(), task_id, run_id, kind, step, json.dumps(data, sort_keys=True)),
    )


def entries(connection: sqlite3.Connection, task_id: str) -> Iterator[dict[str, Any]]:
    """A task's events in their order, each as one flat object.

    ``ts`` is in seconds since 1970, ``run`` names the process that wrote the event.
    """
    rows = connection.execute(
        "SELECT seq, ts, run_id, kind, step_idx, data FROM events WHERE task_id = ? ORDER BY seq",
        (task_id,),
    )
    for seq, ts, run_id, kind, step, data in rows:
        yield {
            "seq": seq,
            "ts": ts,
            "run": run_id,
            "kind": kind,
            "step": step,
            **json.loads(data),
        }
