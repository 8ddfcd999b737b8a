"""Whether the state in a database and its journal tell the same story.

The journal is played from the beginning, and what it comes to is held against the tables. A change
that was committed without its event, or an event without its change, shows as a contradiction.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# What an event says of its step, before and after, and of its task.
_STEP_MOVES = {
    "step_recovered": ("running", "pending"),
    "step_started": ("pending", "running"),
    "step_finished": ("running", "done"),
    "step_error": ("running", "pending"),
    "step_unfinished": ("running", "pending"),
    "task_failed": ("pending", "failed"),
    "step_reopened": ("failed", "pending"),
}
_TASK_MOVES = {
    "step_started": "running",
    "task_done": "done",
    "task_failed": "failed",
    "step_reopened": "pending",
    "task_extended": "pending",
}


@dataclass(slots=True)
class _Story:
    """What the journal of one task says so far."""

    task: str = "absent"
    steps: dict[int, str] = field(default_factory=dict)
    attempts: Counter[int] = field(default_factory=Counter)
    runs: dict[str, list[int]] = field(default_factory=dict)
    recovered: dict[str, list[int]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def hear(self, run: str, kind: str, step: int, data: dict[str, Any]) -> None:
        """The next event."""
        if kind == "task_created":
            self.task = "pending"
            self.steps = dict.fromkeys(range(data["steps"]), "pending")
        elif kind == "step_recovered":
            self.recovered.setdefault(run, []).append(step)
        elif kind == "run_started":
            if run in self.runs:
                self.wrong.append(f"{run} started twice")
            self.runs[run] = data["recovered"]
        elif run not in self.runs and kind not in {"step_reopened", "task_extended"}:
            self.wrong.append(f"{kind} of {run}, which never started")
        if kind in _STEP_MOVES:
            self._move(kind, step)
        self.task = _TASK_MOVES.get(kind, self.task)
        there = len(self.steps)
        self.steps |= dict.fromkeys(range(there, there + data.get("added", 0)), "pending")
        if kind == "step_started":
            self.attempts[step] += 1
            if data["attempt"] != self.attempts[step]:
                self.wrong.append(f"step {step} says attempt {data['attempt']}")

    def _move(self, kind: str, step: int) -> None:
        before, after = _STEP_MOVES[kind]
        if self.steps.get(step) != before:
            self.wrong.append(f"{kind} of step {step}, which is {self.steps.get(step)}")
        self.steps[step] = after
        if kind == "step_reopened":
            del self.attempts[step]
        if kind == "step_unfinished":
            self.attempts[step] -= 1


def contradictions(database: Path) -> list[str]:
    """Where tables and journal disagree, in words; empty when they tell the same story."""
    with closing(sqlite3.connect(database)) as connection:
        tasks = dict(connection.execute("SELECT id, status FROM tasks"))
        steps = connection.execute(
            "SELECT task_id, idx, status, attempts, output IS NOT NULL FROM steps ORDER BY idx"
        ).fetchall()
        events = connection.execute(
            "SELECT task_id, run_id, kind, step_idx, data FROM events ORDER BY seq"
        ).fetchall()
    stories: dict[str, _Story] = {task: _Story() for task in tasks}
    for task, run, kind, step, data in events:
        stories.setdefault(task, _Story()).hear(run, kind, step, json.loads(data))
    wrong: list[str] = []
    for task, story in stories.items():
        wrong += story.wrong
        if story.task != tasks.get(task, "absent"):
            wrong.append(f"task {task} is {tasks.get(task)}, its journal says {story.task}")
        stored = {index: status for owner, index, status, _, _ in steps if owner == task}
        if stored != story.steps:
            wrong.append(f"the steps are {stored}, the journal says {story.steps}")
        attempts = {i: n for owner, i, _, n, _ in steps if owner == task and n}
        if attempts != dict(+story.attempts):
            wrong.append(f"attempts are {attempts}, the journal says {dict(story.attempts)}")
        if story.recovered != {run: left for run, left in story.runs.items() if left}:
            wrong.append(f"recovered {story.recovered}, and the runs say {story.runs}")
        wrong += [
            f"step {index} is {status} and {'has' if output else 'lacks'} an output"
            for owner, index, status, _, output in steps
            if owner == task and (status == "done") != bool(output)
        ]
    return wrong
