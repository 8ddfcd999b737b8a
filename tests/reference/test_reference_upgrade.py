"""A task that one version of the agent began, and another goes on with."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from agent_bench import REFERENCE, TASK, Bench, Lab, spawn
from agent_checks import append_only, completes
from agent_journal import contradictions
from agent_mutants import Mutant, more, mutant

TODAY = 2

#: Before the journal was protected.
EARLIER = mutant(
    "schema 1",
    "database.py",
    ("SCHEMA = len(_MIGRATIONS)", "SCHEMA = 1"),
    ("_MIGRATIONS[version:]", "_MIGRATIONS[version:1]"),
    red=set(),
)
#: A column more, which today's agent knows nothing of.
LATER = mutant(
    "schema 3",
    "database.py",
    more(
        '"CREATE INDEX events_of_task ON events (task_id, seq)",\n    ),',
        after='\n    ("ALTER TABLE steps ADD COLUMN cost REAL NOT NULL DEFAULT 0",),',
    ),
    red=set(),
)


def version(lab: Lab) -> int:
    """The schema's number in the database."""
    ((number,),) = lab.query("PRAGMA user_version")
    return int(number)


@pytest.mark.parametrize("point", ["before_effect:1", "after_effect:2", "after_commit:0"])
@pytest.mark.parametrize(
    ("older", "newer", "numbers"),
    [(EARLIER, None, (1, TODAY)), (None, LATER, (TODAY, TODAY + 1))],
    ids=["from 1 to today", "from today to the next"],
)
def test_the_next_version_goes_on(
    tmp_path: Path,
    older: Mutant | None,
    newer: Mutant | None,
    numbers: tuple[int, int],
    point: str,
) -> None:
    """Created and killed under one, resumed under the other: done once, the schema brought up."""
    agents = [made.make(tmp_path) if made else REFERENCE for made in (older, newer)]
    name, _, step = point.partition(":")
    lab = Bench(tmp_path / "labs", agents[0], spawn).killed_at(name, int(step))
    assert version(lab) == numbers[0]
    completes(replace(lab, agent=agents[1]))
    assert version(lab) == numbers[1]
    assert contradictions(lab.database) == []


def test_an_older_version_keeps_its_hands_off(tmp_path: Path) -> None:
    """It says which schema it found and which it knows, and changes nothing."""
    lab = Bench(tmp_path / "labs", LATER.make(tmp_path), spawn).killed_at("after_effect", 1)
    before = lab.events()
    ended = replace(lab, agent=REFERENCE).run()
    assert ended.returncode == 1
    assert "schema 3" in ended.stderr
    assert f"knows {TODAY}" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert lab.events() == before
    completes(lab)


def test_a_database_without_a_number(tmp_path: Path) -> None:
    """The tables as they were before schemas had numbers, with a step that was interrupted."""
    bench = Bench(tmp_path, REFERENCE, spawn)
    lab = bench.empty()
    with closing(sqlite3.connect(lab.database)) as connection, connection:
        connection.executescript(
            """
            CREATE TABLE tasks (id TEXT PRIMARY KEY, goal TEXT, status TEXT, created_at REAL,
                updated_at REAL);
            CREATE TABLE steps (task_id TEXT, idx INTEGER, tool TEXT, input TEXT,
                status TEXT DEFAULT 'pending', output TEXT, attempts INTEGER DEFAULT 0,
                PRIMARY KEY (task_id, idx));
            CREATE TABLE events (seq INTEGER PRIMARY KEY AUTOINCREMENT, ts REAL, task_id TEXT,
                run_id TEXT, kind TEXT, step_idx INTEGER, data TEXT);
            INSERT INTO tasks VALUES ('t1', 'Report', 'running', 1.5, 2.5);
            INSERT INTO steps VALUES
                ('t1', 0, 'fetch', '{"path": "input/notes.txt"}', 'running', NULL, 1),
                ('t1', 1, 'summarize', '{"from": 0}', 'pending', NULL, 0),
                ('t1', 2, 'write_artifact', '{"from": 1}', 'pending', NULL, 0);
            INSERT INTO events (ts, task_id, run_id, kind, step_idx, data) VALUES
                (1.5, 't1', 'a', 'task_created', NULL, '{"steps": 3}'),
                (2.0, 't1', 'b', 'run_started', NULL, '{"recovered": []}'),
                (2.5, 't1', 'b', 'step_started', 0, '{"attempt": 1, "tool": "fetch"}');
            """
        )
    completes(lab)
    assert version(lab) == TODAY
    assert contradictions(lab.database) == []
    assert lab.steps_of("step_recovered") == [0]


def test_what_an_upgrade_adds_holds_for_old_events(tmp_path: Path) -> None:
    """A journal that was begun without protection has it after the upgrade."""

    class Upgraded(Bench):
        def killed_at(self, point: str, step: int) -> Lab:
            lab = replace(super().killed_at(point, step), agent=REFERENCE)
            assert lab.call("status", TASK).returncode == 0
            return lab

    append_only(Upgraded(tmp_path / "labs", EARLIER.make(tmp_path), spawn))


def test_a_tool_that_is_gone(tmp_path: Path) -> None:
    """A step whose tool this version lacks is named before anything is run or recovered."""
    without = mutant(
        "no write_artifact", "plan.py", ('    "write_artifact": ("from", int),\n', ""), red=set()
    ).make(tmp_path)
    lab = Bench(tmp_path / "labs", REFERENCE, spawn).killed_at("before_effect", 2)
    before = lab.events()
    ended = replace(lab, agent=without).run()
    assert ended.returncode == 1
    assert "write_artifact" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert lab.events() == before
    completes(lab)
