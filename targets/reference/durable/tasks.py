"""Tasks and their steps: every change of state, each in one transaction with its event.

::

    pending ──start──▶ running ──finish──▶ done
       ▲                  │
       ├──── recover ─────┤   its process died
       └── retry, wait ───┘   its tool raised, or cannot end now
    pending ──give_up──▶ failed ──reopen──▶ pending
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from durable import journal
from durable.database import transaction
from durable.errors import AgentError
from durable.plan import Plan, PlannedStep

__all__ = ["Step", "Task", "TaskLog", "create", "exists", "load"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One step as it is stored.

    Attributes:
        index: Its place in the plan, from 0.
        tool: The tool's name.
        input: What the plan gives it.
        status: ``pending``, ``running``, ``done`` or ``failed``.
        attempts: How often it was started, whatever came of it.
        output: What the tool returned; ``None`` until the step is done.
    """

    index: int
    tool: str
    input: Json
    status: str
    attempts: int
    output: Json | None


@dataclass(frozen=True, slots=True)
class Task:
    """One task as it is stored.

    Attributes:
        id: Its name.
        goal: What it is for.
        status: ``pending``, ``running``, ``done`` or ``failed``.
        steps: In the order of the plan.
    """

    id: str
    goal: str
    status: str
    steps: tuple[Step, ...]

    @property
    def next_step(self) -> Step | None:
        """The first step that is to be run; ``None`` when there is none left."""
        return next((step for step in self.steps if step.status == "pending"), None)

    @property
    def outputs(self) -> dict[int, Json]:
        """What is known for certain: the outputs of the steps that are done."""
        return {step.index: step.output for step in self.steps if step.output is not None}


def exists(connection: sqlite3.Connection, task_id: str) -> bool:
    """Whether there is a task of that name."""
    rows = connection.execute("SELECT 1 FROM tasks WHERE id = ?", (task_id,))
    return rows.fetchone() is not None


def create(connection: sqlite3.Connection, task_id: str, plan: Plan, run_id: str) -> None:
    """Store a task with its plan. From now on the plan is the database's, not the file's.

    Raises:
        AgentError: There is a task of that name.
    """
    now = time.time()
    with transaction(connection):
        if exists(connection, task_id):
            raise AgentError(f"there is a task {task_id} already; nothing was changed")
        connection.execute(
            "INSERT INTO tasks (id, goal, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
            (task_id, plan.goal, "pending", now, now),
        )
        _insert(connection, task_id, 0, plan.steps)
        journal.append(connection, task_id, run_id, "task_created", steps=len(plan.steps))


def load(connection: sqlite3.Connection, task_id: str) -> Task:
    """Read a task.

    Raises:
        AgentError: There is none of that name.
    """
    # One statement sees one state, even while another process runs the task.
    rows = connection.execute(
        "SELECT t.goal, t.status, s.idx, s.tool, s.input, s.status, s.attempts, s.output"
        " FROM tasks t LEFT JOIN steps s ON s.task_id = t.id WHERE t.id = ? ORDER BY s.idx",
        (task_id,),
    ).fetchall()
    if not rows:
        raise AgentError(f"unknown task {task_id}")
    steps = tuple(_step(row[2:]) for row in rows if row[2] is not None)
    return Task(task_id, rows[0][0], rows[0][1], steps)


@dataclass(frozen=True, slots=True)
class TaskLog:
    """Changes one task on behalf of one process. Its caller holds the task's lock.

    Attributes:
        connection: The database.
        task_id: The task.
        run_id: Names the process in the journal.
    """

    connection: sqlite3.Connection
    task_id: str
    run_id: str

    def recover(self) -> None:
        """Take back the steps that a dead process left running, and say that this one begins."""
        with transaction(self.connection):
            rows = self.connection.execute(
                "SELECT idx FROM steps WHERE task_id = ? AND status = 'running' ORDER BY idx",
                (self.task_id,),
            ).fetchall()
            left = [index for (index,) in rows]
            for index in left:
                self._set_step(index, "pending")
                self._append("step_recovered", index)
            self._append("run_started", recovered=left)

    def start(self, step: Step) -> None:
        """Committed before the tool is called: from here on nobody knows whether it ran."""
        with transaction(self.connection):
            self.connection.execute(
                "UPDATE steps SET status = 'running', attempts = attempts + 1"
                " WHERE task_id = ? AND idx = ?",
                (self.task_id, step.index),
            )
            self._set_task("running")
            self._append("step_started", step.index, tool=step.tool, attempt=step.attempts + 1)

    def finish(self, step: Step, output: Json) -> None:
        """Committed after the tool returned: from here on it is not called for this step.

        An output may ask for further steps (``then``): a crash leaves both, or neither.
        """
        with transaction(self.connection):
            added = self._add([PlannedStep(**one) for one in output.get("then", ())])
            self.connection.execute(
                "UPDATE steps SET status = 'done', output = ? WHERE task_id = ? AND idx = ?",
                (json.dumps(output, sort_keys=True), self.task_id, step.index),
            )
            self._append("step_finished", step.index, tool=step.tool, **added)

    def retry(self, step: Step, error: Exception) -> None:
        """The tool raised: the step is to be run again."""
        with transaction(self.connection):
            self._set_step(step.index, "pending")
            self._append("step_error", step.index, error=repr(error))

    def wait(self, step: Step) -> None:
        """The tool cannot end now. It did nothing wrong, so that costs no attempt."""
        with transaction(self.connection):
            self._set_step(step.index, "pending", attempts=step.attempts)
            self._append("step_unfinished", step.index)

    def give_up(self, step: Step) -> None:
        """The step used up its attempts, and the task ends with it."""
        with transaction(self.connection):
            self._set_step(step.index, "failed")
            self._set_task("failed")
            self._append("task_failed", step.index, reason="max_attempts")

    def reopen(self, step: Step) -> None:
        """A person wants the step that was given up tried again, with all its attempts."""
        with transaction(self.connection):
            self._set_step(step.index, "pending", attempts=0)
            self._set_task("pending")
            self._append("step_reopened", step.index)

    def extend(self, steps: Sequence[PlannedStep]) -> None:
        """A task that was done has more to do."""
        with transaction(self.connection):
            self._set_task("pending")
            self._append("task_extended", **self._add(steps))

    def complete(self) -> None:
        """Every step is done."""
        with transaction(self.connection):
            self._set_task("done")
            self._append("task_done")

    def _append(self, kind: journal.Kind, step: int | None = None, **data: Any) -> None:
        journal.append(self.connection, self.task_id, self.run_id, kind, step, **data)

    def _add(self, steps: Sequence[PlannedStep]) -> Json:
        """Store steps behind those that there are, and return what the journal says of it."""
        if not steps:
            return {}
        (there,) = self.connection.execute(
            "SELECT COUNT(*) FROM steps WHERE task_id = ?", (self.task_id,)
        ).fetchone()
        _insert(self.connection, self.task_id, there, steps)
        return {"added": len(steps)}

    def _set_step(self, index: int, status: str, attempts: int | None = None) -> None:
        self.connection.execute(
            "UPDATE steps SET status = ?, attempts = COALESCE(?, attempts)"
            " WHERE task_id = ? AND idx = ?",
            (status, attempts, self.task_id, index),
        )

    def _set_task(self, status: str) -> None:
        self.connection.execute(
            "UPDATE tasks SET status = ?, updated_at = ? WHERE id = ?",
            (status, time.time(), self.task_id),
        )


def _insert(
    connection: sqlite3.Connection, task_id: str, first: int, steps: Iterable[PlannedStep]
) -> None:
    for index, step in enumerate(steps, first):
        connection.execute(
            "INSERT INTO steps (task_id, idx, tool, input) VALUES (?, ?, ?, ?)",
            (task_id, index, step.tool, json.dumps(step.input, sort_keys=True)),
        )


def _step(row: tuple[int, str, str, str, int, str | None]) -> Step:
    index, tool, given, status, attempts, output = row
    stored = None if output is None else json.loads(output)
    return Step(index, tool, json.loads(given), status, attempts, stored)
