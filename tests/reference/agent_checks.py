"""What must hold of the reference agent, as checks that any copy of it can be put to.

A check takes a bench and raises AssertionError. Facts are read from the database, the artifacts
folder and the kernel, past the agent's own code.
"""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from functools import partial

from agent_bench import KILLED, PLAN, SUMMARY, TASK, Bench, Lab
from agent_journal import contradictions

POINTS = ("before_effect", "after_effect", "after_commit")

Check = Callable[[Bench], None]


def done_once(lab: Lab) -> None:
    """The task is done, each step was finished once, and one artifact has the right words."""
    assert lab.query("SELECT status FROM tasks") == [("done",)]
    assert lab.query("SELECT status FROM steps ORDER BY idx") == [("done",)] * 3
    assert lab.steps_of("step_finished") == [0, 1, 2]
    assert len(lab.steps_of("task_done")) == 1
    started = Counter(lab.steps_of("step_started"))
    closed = Counter(
        step
        for kind in ("step_finished", "step_recovered", "step_error")
        for step in lab.steps_of(kind)
    )
    assert started == closed
    assert lab.artifacts() == {f"{TASK}-2.md": SUMMARY}


def completes(lab: Lab, **env: str) -> None:
    """One more run takes it to its end."""
    ended = lab.run(**env)
    assert ended.returncode == 0, ended.stderr
    done_once(lab)


def baseline(bench: Bench) -> None:
    """A run that nobody disturbs."""
    lab = bench.created()
    completes(lab)
    assert [kind for kind, _, _, _ in lab.events()] == [
        "task_created",
        "run_started",
        *["step_started", "step_finished"] * 3,
        "task_done",
    ]
    assert lab.query("SELECT attempts FROM steps") == [(1,)] * 3
    assert not list((lab.work / "artifacts").glob(".*")), "a draft was left behind"
    assert contradictions(lab.database) == []


def crash(point: str, step: int, bench: Bench) -> None:
    """Killed there, the database says what it must; the next run finishes what is left."""
    lab = bench.killed_at(point, step)
    interrupted = point != "after_commit"
    before = [status for (status,) in lab.query("SELECT status FROM steps ORDER BY idx")]
    at = "running" if interrupted else "done"
    assert before == ["done"] * step + [at] + ["pending"] * (2 - step)
    assert (lab.output(step) is None) is interrupted
    happened = step == 2 and point != "before_effect"
    assert lab.artifacts() == ({f"{TASK}-2.md": SUMMARY} if happened else {})
    completes(lab)
    runs = [data["recovered"] for kind, _, _, data in lab.events() if kind == "run_started"]
    assert runs == [[], [step] if interrupted else []]
    assert lab.steps_of("step_recovered") == runs[1]
    twice = {step} if interrupted else set()
    attempts = [2 if index in twice else 1 for index in range(3)]
    assert Counter(lab.steps_of("step_started")) == Counter(dict(enumerate(attempts)))
    assert lab.query("SELECT attempts FROM steps ORDER BY idx") == [(n,) for n in attempts]
    assert contradictions(lab.database) == []
    written = lab.output(2) or {}
    assert written["deduplicated"] is ((point, step) == ("after_effect", 2))


def outside_kill(bench: Bench) -> None:
    """A kill that no hook of the agent's knows of."""
    lab = bench.killed_at("after_commit", 0)
    running = lab.start("run", TASK, AGENT_STEP_DELAY="60")
    try:
        lab.wait_until(lambda: len(lab.steps_of("step_started")) == 2)
    finally:
        os.kill(running.pid, signal.SIGKILL)
        status = running.wait()
    assert status == KILLED
    completes(lab)
    assert lab.steps_of("step_recovered") == [1]


def second_runner(bench: Bench) -> None:
    """While one runs, another is turned away and changes nothing; a dead one is in nobody's way."""
    lab = bench.created()
    running = lab.start("run", TASK, AGENT_STEP_DELAY="60")
    try:
        lab.wait_until(lambda: bool(lab.steps_of("step_started")))
        before = lab.events()
        # Killed at its first step if it is not turned away, since it would sleep there as well.
        second = lab.run(AGENT_CRASH_AT="before_effect:0")
        assert second.returncode == 3, second.returncode
        assert "already running" in second.stderr
        assert lab.events() == before
    finally:
        os.kill(running.pid, signal.SIGKILL)
        running.wait()
    completes(lab)


def negative_control(bench: Bench) -> None:
    """A tool that is not safe to repeat is seen to repeat. Else no other check can be believed."""
    lab = bench.created()
    killed = lab.run(AGENT_UNSAFE_EFFECTS="1", AGENT_CRASH_AT="after_effect:2")
    assert killed.returncode == KILLED
    assert _log(lab) == [SUMMARY]
    resumed = lab.run(AGENT_UNSAFE_EFFECTS="1")
    assert resumed.returncode == 0, resumed.stderr
    assert _log(lab) == [SUMMARY, SUMMARY]


def plan_is_fixed(bench: Bench) -> None:
    """What the plan's file says after the task was created changes nothing."""
    lab = bench.killed_at("after_commit", 0)
    other = {"goal": "Something else", "steps": PLAN["steps"][:2]}
    (lab.work / "plan.json").write_text(json.dumps(other), encoding="utf-8")
    completes(lab)
    assert json.loads(lab.call("status", TASK).stdout)["goal"] == PLAN["goal"]


def crashes_count(bench: Bench) -> None:
    """A step that kills its process each time is given up, not tried for ever."""
    lab = bench.created()
    for _ in range(3):
        assert lab.run(AGENT_CRASH_AT="before_effect:0").returncode == KILLED
    ended = lab.run(AGENT_CRASH_AT="before_effect:0")
    assert ended.returncode == 2, ended.stderr
    assert lab.steps_of("step_started") == [0, 0, 0]
    assert [(step, data) for kind, step, _, data in lab.events() if kind == "task_failed"] == [
        (0, {"reason": "max_attempts"})
    ]
    assert lab.query("SELECT status FROM tasks") == [("failed",)]
    assert contradictions(lab.database) == []


def failing_tool(bench: Bench) -> None:
    """A tool that raises is tried again in the same run, each failure is in the journal."""
    lab = bench.created()
    (lab.work / "input" / "notes.txt").unlink()
    ended = lab.run()
    assert ended.returncode == 2, ended.stderr
    assert "Traceback" not in ended.stderr
    errors = [data["error"] for kind, _, _, data in lab.events() if kind == "step_error"]
    assert len(errors) == 3
    assert all("FileNotFoundError" in error for error in errors)
    assert len(lab.steps_of("run_started")) == 1
    assert contradictions(lab.database) == []


def mended_tool(bench: Bench) -> None:
    """A failure that goes away costs an attempt, and no more."""
    lab = bench.created()
    notes = lab.work / "input" / "notes.txt"
    text = notes.read_text(encoding="utf-8")
    notes.unlink()
    killed = lab.run(AGENT_CRASH_AT="before_effect:0")
    assert killed.returncode == KILLED
    notes.write_text(text, encoding="utf-8")
    completes(lab)


def finished_stays(bench: Bench) -> None:
    """A run of a task that is done, or failed, says so again and writes nothing."""
    lab = bench.created()
    completes(lab)
    events = lab.events()
    assert lab.run().returncode == 0
    assert lab.events() == events
    failed = bench.created()
    (failed.work / "input" / "notes.txt").unlink()
    assert failed.run(AGENT_MAX_ATTEMPTS="1").returncode == 2
    events = failed.events()
    assert failed.run().returncode == 2
    assert failed.events() == events


def creation(bench: Bench) -> None:
    """Killed while it stores the plan: the task is there whole, or may be created again."""

    def check(lab: Lab) -> None:
        again = lab.call("create", TASK, "plan.json")
        there = "already" in again.stderr
        assert again.returncode == (1 if there else 0), again.stderr
        assert contradictions(lab.database) == []
        completes(lab)

    _sweep(bench, bench.empty, "statement:{}", check, verb=("create", TASK, "plan.json"))


def one_transaction(bench: Bench) -> None:
    """Killed after any statement: state and journal agree, and the next run completes the task."""

    def check(lab: Lab) -> None:
        assert contradictions(lab.database) == []
        completes(lab)
        assert contradictions(lab.database) == []

    _sweep(bench, lambda: bench.killed_at("before_effect", 2), "statement:{}", check)


def one_transaction_in_failure(bench: Bench) -> None:
    """The same where a tool raises and the task fails."""

    def without_notes() -> Lab:
        lab = bench.created()
        (lab.work / "input" / "notes.txt").unlink()
        return lab

    def check(lab: Lab) -> None:
        assert contradictions(lab.database) == []

    _sweep(bench, without_notes, "statement:{}", check, status=2, AGENT_MAX_ATTEMPTS="1")


def whole_or_absent(bench: Bench) -> None:
    """Killed at any line of the publishing code: the artifact is whole or not there."""

    def check(lab: Lab) -> None:
        assert lab.artifacts() in ({}, {f"{TASK}-2.md": SUMMARY})
        completes(lab)

    _sweep(bench, lambda: bench.killed_at("after_commit", 1), "line:artifacts.py:{}", check)


def synced_first(bench: Bench) -> None:
    """What gets the artifact's name is on the disk before."""
    lab = bench.created()
    log = lab.work / "calls.txt"
    ended = lab.run(rig=f"calls:{log}")
    assert ended.returncode == 0, ended.stderr
    calls = [line.split() for line in log.read_text("utf-8").splitlines()] if log.exists() else []
    links = [(at, inode) for at, (what, inode) in enumerate(calls) if what == "link"]
    assert len(links) == 1
    ((at, inode),) = links
    assert ["fsync", inode] in calls[:at]
    assert ["fsync", str((lab.work / "artifacts").stat().st_ino)] in calls[at:]


def append_only(bench: Bench) -> None:
    """The journal cannot be changed, even by a program that wants to."""
    lab = bench.killed_at("after_commit", 0)
    for statement in ("UPDATE events SET kind = 'task_done'", "DELETE FROM events"):
        try:
            lab.query(statement)
        except Exception as error:  # noqa: BLE001 - which one is sqlite3's business
            assert "append-only" in str(error)  # noqa: PT017 - both have to be tried
        else:
            raise AssertionError(f"{statement} was obeyed")


CHECKS: dict[str, Check] = {
    "baseline": baseline,
    **{f"crash[{at}:{step}]": partial(crash, at, step) for step in range(3) for at in POINTS},
    "creation": creation,
    "outside kill": outside_kill,
    "second runner": second_runner,
    "negative control": negative_control,
    "plan is fixed": plan_is_fixed,
    "crashes count": crashes_count,
    "failing tool": failing_tool,
    "mended tool": mended_tool,
    "finished stays": finished_stays,
    "one transaction": one_transaction,
    "one transaction in failure": one_transaction_in_failure,
    "whole or absent": whole_or_absent,
    "synced first": synced_first,
    "append-only": append_only,
}

#: They start the agent dozens of times.
SWEEPS = ("creation", "one transaction", "one transaction in failure", "whole or absent")


def _sweep(
    bench: Bench,
    make: Callable[[], Lab],
    rig: str,
    check: Callable[[Lab], None],
    *,
    verb: tuple[str, ...] = ("run", TASK),
    status: int = 0,
    **env: str,
) -> None:
    """Kill at the first place, the second and so on, until a run comes to its end.

    Args:
        bench: Says how many places a step of the sweep takes.
        make: A fresh work folder.
        rig: What kills, with ``{}`` for the number of the place.
        check: Looks at each killed run's folder.
        verb: What is killed.
        status: The exit status of a run that no kill reaches.
        env: For the killed runs.
    """
    number = 1 + bench.stride // 2
    while True:
        lab = make()
        ended = lab.call(*verb, rig=rig.format(number), **env)
        if ended.returncode != KILLED:
            break
        try:
            check(lab)
        except AssertionError as error:
            raise AssertionError(f"killed at {rig.format(number)}: {error}") from error
        number += bench.stride
    assert ended.returncode == status, ended.stderr
    assert number > 10, "there was hardly a place to kill at: the rig does not reach the agent"


def _log(lab: Lab) -> list[str]:
    log = lab.work / "artifacts" / "report.log"
    return log.read_text(encoding="utf-8").split("\n---\n")[:-1] if log.exists() else []
