"""The command of the reference agent: what it prints, and what it says to a mistake."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from agent_bench import NOTES, PLAN, REFERENCE, SUMMARY, TASK, Bench, Ended, Lab
from agent_checks import baseline, completes
from agent_journal import contradictions


def refused(ended: Ended, *words: str) -> None:
    """It says no, in words, and not as a traceback."""
    assert ended.returncode == 1, ended
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    for word in words:
        assert word in ended.stderr


def exported(lab: Lab) -> list[dict[str, Any]]:
    """The journal as the agent exports it."""
    ended = lab.call("export", TASK)
    assert ended.returncode == 0, ended.stderr
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_status_of_a_killed_task(bench: Bench) -> None:
    """The status names the task, its goal, and each step with its attempts."""
    lab = bench.killed_at("after_effect", 1)
    assert json.loads(lab.call("status", TASK).stdout) == {
        "task": TASK,
        "goal": PLAN["goal"],
        "status": "running",
        "steps": [
            {"idx": 0, "tool": "fetch", "status": "done", "attempts": 1},
            {"idx": 1, "tool": "summarize", "status": "running", "attempts": 1},
            {"idx": 2, "tool": "write_artifact", "status": "pending", "attempts": 0},
        ],
    }


def test_export_of_a_good_run(bench: Bench) -> None:
    """One object a line: number, time, process, kind and step, and what the kind adds."""
    lab = bench.killed_at("after_effect", 2)
    completes(lab)
    entries = exported(lab)
    runs = list(dict.fromkeys(entry["run"] for entry in entries))
    assert len(runs) == 3
    assert [entry["seq"] for entry in entries] == sorted({entry["seq"] for entry in entries})
    assert all(isinstance(entry["ts"], float) for entry in entries)
    told = [
        {key: value for key, value in entry.items() if key not in {"seq", "ts", "run"}}
        for entry in entries
    ]
    tools = ["fetch", "summarize", "write_artifact"]
    assert told[0] == {"kind": "task_created", "step": None, "steps": 3}
    assert told[1] == {"kind": "run_started", "step": None, "recovered": []}
    assert (
        told[2:-5]
        == [
            entry
            for step, tool in enumerate(tools)
            for entry in (
                {"kind": "step_started", "step": step, "tool": tool, "attempt": 1},
                {"kind": "step_finished", "step": step, "tool": tool},
            )
        ][:-1]
    )
    assert told[-5:] == [
        {"kind": "step_recovered", "step": 2},
        {"kind": "run_started", "step": None, "recovered": [2]},
        {"kind": "step_started", "step": 2, "tool": "write_artifact", "attempt": 2},
        {"kind": "step_finished", "step": 2, "tool": "write_artifact"},
        {"kind": "task_done", "step": None},
    ]


def test_export_of_a_failed_run(bench: Bench) -> None:
    """Each failure with its error, then the end with its reason."""
    lab = bench.created()
    (lab.work / "input" / "notes.txt").unlink()
    assert lab.run(AGENT_MAX_ATTEMPTS="2").returncode == 2
    entries = exported(lab)
    assert [entry["kind"] for entry in entries[2:]] == [
        *["step_started", "step_error"] * 2,
        "task_failed",
    ]
    assert "FileNotFoundError" in entries[3]["error"]
    assert entries[-1]["reason"] == "max_attempts"


def test_what_the_tools_return(bench: Bench) -> None:
    """The notes with their length and hash; the first three lines that are not empty."""
    lab = bench.created()
    completes(lab)
    assert lab.output(0) == {
        "chars": len(NOTES),
        "sha256": hashlib.sha256(NOTES.encode()).hexdigest(),
        "text": NOTES,
    }
    assert lab.output(1) == {"summary": SUMMARY, "engine": "stub"}
    assert lab.output(2) == {
        "path": str(lab.work / "artifacts" / f"{TASK}-2.md"),
        "deduplicated": False,
    }


@pytest.mark.parametrize("verb", ["run", "status", "export"])
def test_an_unknown_task(bench: Bench, verb: str) -> None:
    """Without a database as well as in one; neither it nor a lock is made for it."""
    lab = bench.empty()
    refused(lab.call(verb, "t9"), "unknown task t9", "state.db")
    assert not lab.database.exists()
    lab = bench.created()
    refused(lab.call(verb, "t9"), "unknown task t9")
    assert not list(lab.work.glob("*t9*"))


def test_a_second_create(bench: Bench) -> None:
    """It is refused, and the first task is as it was."""
    lab = bench.killed_at("after_commit", 0)
    before = lab.events()
    refused(lab.call("create", TASK, "plan.json"), TASK, "already")
    assert lab.events() == before
    completes(lab)


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (None, "cannot be read"),
        ("{", "not JSON"),
        ("[" * 200_000, "not JSON"),
        ([], "has to be an object"),
        ({"steps": PLAN["steps"]}, "goal"),
        ({"goal": "g", "steps": []}, "at least one step"),
        ({"goal": "g", "steps": ["fetch"]}, "steps[0]"),
        ({"goal": "g", "steps": [{"tool": "teleport", "input": {}}]}, "no tool 'teleport'"),
        ({"goal": "g", "steps": [{"tool": "fetch", "input": {}}]}, "input.path"),
        ({"goal": "g", "steps": [{"tool": "summarize", "input": {"from": 0}}]}, "earlier step"),
        ({"goal": "g", "steps": [{"tool": "summarize", "input": {"from": True}}]}, "input.from"),
    ],
)
def test_a_plan_with_a_mistake(bench: Bench, plan: object, words: str) -> None:
    """It is named with its place, and no task and no database come of it."""
    lab = bench.empty()
    path = lab.work / "bad.json"
    if plan is not None:
        path.write_text(plan if isinstance(plan, str) else json.dumps(plan), encoding="utf-8")
    refused(lab.call("create", TASK, "bad.json"), "bad.json", words)
    assert not lab.database.exists()


@pytest.mark.parametrize(
    "arguments",
    [(), ("fly", "t1"), ("run",), ("create", "t1"), ("create", "../t1", "plan.json")],
)
def test_a_command_line_with_a_mistake(bench: Bench, arguments: tuple[str, ...]) -> None:
    """Exit status 1: 2 would say that a task failed."""
    refused(bench.empty().call(*arguments), "usage:")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AGENT_CRASH_AT", "after_efect:2"),
        ("AGENT_CRASH_AT", "after_effect"),
        ("AGENT_CRASH_AT", "after_effect:3"),
        ("AGENT_MAX_ATTEMPTS", "0"),
        ("AGENT_MAX_ATTEMPTS", "many"),
        ("AGENT_STEP_DELAY", "nan"),
        ("AGENT_LLM", "olama"),
    ],
)
def test_a_setting_with_a_mistake(bench: Bench, name: str, value: str) -> None:
    """A hook that never fires would look like a crash that was survived; so nothing is run."""
    lab = bench.created()
    before = lab.events()
    refused(lab.run(**{name: value}), name)
    assert lab.events() == before


def test_a_file_that_is_no_database(bench: Bench) -> None:
    """It is said, and the file stays as it is."""
    lab = bench.empty()
    lab.database.write_text("no database", encoding="utf-8")
    refused(lab.run(), "state.db", "not a database")
    assert lab.database.read_text(encoding="utf-8") == "no database"


def test_an_artifact_of_somebody_else(bench: Bench) -> None:
    """A key that was used for another content is an error, and not taken for the result."""
    lab = bench.created()
    artifact = lab.work / "artifacts" / f"{TASK}-2.md"
    artifact.parent.mkdir()
    artifact.write_text("something else", encoding="utf-8")
    assert lab.run().returncode == 2
    assert "FileExistsError" in exported(lab)[-2]["error"]
    assert artifact.read_text(encoding="utf-8") == "something else"


def test_the_lock_is_the_databases(bench: Bench) -> None:
    """It stands beside the database under the task's name, and a link to it meets the same one."""
    lab = bench.created()
    (lab.work / "link.db").symlink_to(lab.database)
    running = lab.start("run", TASK, AGENT_STEP_DELAY="60")
    try:
        lab.wait_until(lambda: bool(lab.steps_of("step_started")))
        assert (lab.work / f"state.db.{TASK}.lock").exists()
        command = [sys.executable, str(REFERENCE / "agent.py"), "--db", "link.db", "run", TASK]
        second = subprocess.run(command, cwd=lab.work, capture_output=True, check=False)
        assert second.returncode == 3
        other = [*command[:-2], "create", "t2", "plan.json"]
        assert subprocess.run(other, cwd=lab.work, check=False).returncode == 0
    finally:
        running.kill()  # type: ignore[attr-defined]
        running.wait()
    assert lab.call("run", "t2").returncode == 0


def test_ctrl_c(bench: Bench) -> None:
    """It ends with 130 and without a traceback; the next run goes on."""
    lab = bench.created()
    running = lab.start("run", TASK, AGENT_STEP_DELAY="60")
    lab.wait_until(lambda: bool(lab.steps_of("step_started")))
    running.send_signal(signal.SIGINT)  # type: ignore[attr-defined]
    assert running.wait() == 130
    assert "Traceback" not in (lab.work / "stderr.txt").read_text(encoding="utf-8")
    completes(lab)


def test_asked_to_stop(bench: Bench) -> None:
    """The step under way is finished and stored, and no other is begun; nothing is to be redone."""
    lab = bench.created()
    notes = lab.work / "input" / "notes.txt"
    notes.unlink()
    os.mkfifo(notes)
    running = lab.start("run", TASK)
    lab.wait_until(lambda: bool(lab.steps_of("step_started")))
    running.send_signal(signal.SIGTERM)  # type: ignore[attr-defined]
    notes.write_text(NOTES, encoding="utf-8")
    assert running.wait() == 4
    assert lab.steps_of("step_started") == lab.steps_of("step_finished") == [0]
    completes(lab)
    assert lab.steps_of("step_recovered") == []


def test_a_failed_task_is_tried_again_when_somebody_says_so(bench: Bench) -> None:
    """With all its attempts, and with a word of it in the journal; others are left alone."""
    lab = bench.created()
    notes = lab.work / "input" / "notes.txt"
    notes.unlink()
    assert lab.run().returncode == 2
    notes.write_text(NOTES, encoding="utf-8")
    assert lab.call("retry", TASK).returncode == 0
    assert lab.query("SELECT status, attempts FROM steps WHERE idx = 0") == [("pending", 0)]
    assert contradictions(lab.database) == []
    completes(lab)
    assert lab.steps_of("step_reopened") == [0]
    events = lab.events()
    assert lab.call("retry", TASK).returncode == 0
    assert lab.events() == events


def test_settings_of_the_users_shell_change_nothing_here(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise a variable that somebody exported could make these tests red, or green."""
    monkeypatch.setenv("AGENT_CRASH_AT", "after_effect:2")
    monkeypatch.setenv("AGENT_UNSAFE_EFFECTS", "1")
    monkeypatch.setenv("AGENT_ARTIFACTS", "/nowhere")
    baseline(bench)


def test_it_needs_nothing_but_python(bench: Bench) -> None:
    """Without site-packages, so without plugpull, it does all that it does."""
    lab = bench.empty()
    bare = [sys.executable, "-S", "-E"]
    assert subprocess.run([*bare, "-c", "import plugpull"], stderr=-3, check=False).returncode == 1
    for arguments in (["create", TASK, "plan.json"], ["run", TASK]):
        command = [*bare, str(REFERENCE / "agent.py"), *arguments]
        subprocess.run(command, cwd=lab.work, check=True)
    assert lab.artifacts() == {f"{TASK}-2.md": SUMMARY}


def test_the_database_as_it_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A write-ahead log, synced at each commit, keys checked, no hidden transactions, patience."""
    monkeypatch.syspath_prepend(str(REFERENCE))
    from durable.database import connect

    with closing(connect(tmp_path / "state.db", create=True)) as connection:
        asked = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        found = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in asked}
        assert found == {
            "journal_mode": "wal",
            "synchronous": 2,
            "foreign_keys": 1,
            "busy_timeout": 10_000,
        }
        assert connection.isolation_level is None
        columns = {
            table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for table in ("tasks", "steps", "events")
        }
    assert columns == {
        "tasks": ["id", "goal", "status", "created_at", "updated_at"],
        "steps": ["task_id", "idx", "tool", "input", "status", "output", "attempts"],
        "events": ["seq", "ts", "task_id", "run_id", "kind", "step_idx", "data"],
    }


def test_several_create_at_once(bench: Bench) -> None:
    """Whoever comes first makes the database; all tasks are there."""
    lab = bench.empty()
    names = [f"t{number}" for number in range(4)]
    started = [lab.start("create", name, "plan.json") for name in names]
    assert [running.wait() for running in started] == [0] * 4
    assert lab.query("SELECT id FROM tasks ORDER BY id") == [(name,) for name in names]
