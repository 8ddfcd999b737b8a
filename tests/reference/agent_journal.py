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


@dataclass(slots=True)
class _Story:
    """What the journal of one task says so far."""

    task: str = "absent"
    steps: dict[int, str] = field(default_factory=dict)
    attempts: Counter[int] = field(default_factory=Counter)
    runs: dict[str, list[int]] = field(default_factory=dict)
    recovered: dict[str, list[int]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def hear(self, run: str, kind: str, step: int | None, data: dict[str, object]) -> None:
        if kind == "task_created":
            self.task = "pending"
            self.steps = dict.fromkeys(range(int(str(data["steps"]))), "pending")
            return
        if kind == "step_recovered":
            self._move(step, "running", "pending", kind)
            self.recovered.setdefault(run, []).append(-1 if step is None else step)
            return
        if kind == "run_started":
            if run in self.runs:
                self.wrong.append(f"{run} started twice")
            self.runs[run] = list(data["recovered"])  # type: ignore[call-overload]
            return
        if run not in self.runs:
            self.wrong.append(f"{kind} of {run}, which never started")
        if kind == "step_started":
            self._move(step, "pending", "running", kind)
            self.task = "running"
            self.attempts[step or 0] += 1
            if data["attempt"] != self.attempts[step or 0]:
                self.wrong.append(f"step {step} says attempt {data['attempt']}")
        elif kind == "step_finished":
            self._move(step, "running", "done", kind)
        elif kind == "step_error":
            self._move(step, "running", "pending", kind)
        elif kind == "task_failed":
            self._move(step, "pending", "failed", kind)
            self.task = "failed"
        elif kind == "task_done":
            self.task = "done"
        else:
            self.wrong.append(f"an unknown event {kind}")

    def _move(self, step: int | None, before: str, after: str, kind: str) -> None:
        found = self.steps.get(-1 if step is None else step)
        if found != before:
            self.wrong.append(f"{kind} of step {step}, which is {found}")
        self.steps[-1 if step is None else step] = after


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
        if attempts != dict(story.attempts):
            wrong.append(f"attempts are {attempts}, the journal says {dict(story.attempts)}")
        if story.recovered != {run: left for run, left in story.runs.items() if left}:
            wrong.append(f"recovered {story.recovered}, and the runs say {story.runs}")
        wrong += [
            f"step {index} is {status} and {'has' if output else 'lacks'} an output"
            for owner, index, status, _, output in steps
            if owner == task and (status == "done") != bool(output)
        ]
    return wrong
