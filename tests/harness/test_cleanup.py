"""Ends: whatever ends plugpull, no process of the run outlives it and no folder stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from plugpull.lab import Lab
from plugpull.processes import strays
from plugpull.processes.guardian import Guardian
from plugpull.processes.strays import MARKER_VARIABLE, Stray, find_strays, kill_strays
from plugpull.provider import BEFORE_EFFECT
from support import agent as command
from support import alive, command_line, eventually, kill_at, tool


class Run:
    """A plugpull whose agent waits in its tool, with a daemon outside its group."""

    def __init__(self, folder: Path, *arguments: object, wrapper: tuple[str, ...] = ()) -> None:
        told = folder / "told"
        words = ["--agent", tool("stable-key"), "--agent", tool("holds-until-killed", told)]
        self.process = subprocess.Popen(
            [*wrapper, sys.executable, "-m", "plugpull", *words, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert eventually(told.exists)
        agent, daemon, work = told.read_text().split(maxsplit=2)
        self.pids = [int(agent), int(daemon)]
        self.scratch = Path(work).parents[1]
        assert self.scratch.is_dir()
        assert all(alive(pid) for pid in self.pids)

    def end(self, number: int) -> tuple[int, str, str]:
        """Send a signal, and see everything gone."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=60)
        assert eventually(lambda: not any(alive(pid) for pid in self.pids))
        assert eventually(lambda: not self.scratch.exists())
        return self.process.returncode, out, err


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """Starts a plugpull, and kills it if the test did not."""
    runs: list[Run] = []

    def call(*arguments: object, wrapper: tuple[str, ...] = ()) -> Run:
        runs.append(Run(tmp_path, *arguments, wrapper=wrapper))
        return runs[-1]

    yield call
    for run in runs:
        run.process.kill()
        run.process.communicate()


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)],
)
def test_a_signal_ends_everything_and_shows_what_finished(
    start: Callable[..., Run], tmp_path: Path, number: signal.Signals, status: int
) -> None:
    """The agent, a child in a session of its own, and the folder are gone."""
    run = start()
    returncode, out, err = run.end(number)
    assert returncode == status
    assert [line[:4] for line in out.splitlines()] == ["PASS", "PASS"]
    assert f"interrupted by {number.name}" in err
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["told"]


def test_an_interrupted_document_is_not_printed(start: Callable[..., Run]) -> None:
    """A program that reads JSON gets all of it or nothing."""
    returncode, out, err = start("--json").end(signal.SIGINT)
    assert (returncode, out) == (130, "")
    assert "--json prints all or nothing" in err


def test_sigkill_ends_everything_too(start: Callable[..., Run], tmp_path: Path) -> None:
    """Issue 2: the guardian notices by its pipe, and nothing of the run survives."""
    returncode, out, _ = start().end(signal.SIGKILL)
    assert (returncode, out) == (-signal.SIGKILL, "")
    assert [path.name for path in tmp_path.iterdir()] == ["told"]


def test_a_second_interrupt_does_not_cut_the_cleaning_short(start: Callable[..., Run]) -> None:
    """An impatient user leaves no process behind."""
    run = start()
    for _ in range(20):
        run.process.send_signal(signal.SIGINT)
        time.sleep(0.002)
    returncode, _, err = run.end(signal.SIGTERM)
    assert returncode == 130
    assert "Traceback" not in err


@pytest.mark.skipif(not Path("/usr/bin/nohup").exists(), reason="nohup is not here")
def test_what_nohup_ignores_stays_ignored(start: Callable[..., Run]) -> None:
    """A terminal that closes does not end a run that was started to outlive it."""
    run = start(wrapper=("nohup",))
    run.process.send_signal(signal.SIGHUP)
    time.sleep(0.1)
    assert all(alive(pid) for pid in run.pids)
    assert run.end(signal.SIGTERM)[0] == 143


def test_a_process_that_left_its_group_is_named_and_ended(lab: Lab, tmp_path: Path) -> None:
    """Rule 14: with its command line, in the evidence, and dead before the result is there."""
    pids = tmp_path / "pids"
    result = kill_at(lab, command(tool("daemon-in-own-session", pids)), BEFORE_EFFECT)
    assert result.verdict == "PASS"
    unfaulted, faulted = map(int, pids.read_text().split())
    assert result.evidence["left_group"] == [{"pid": faulted, "command": "sleep 1000"}]
    assert not alive(unfaulted)
    assert not alive(faulted)


def test_the_scratch_folder_goes_with_the_run(tmp_path: Path) -> None:
    """A run that ends well leaves nothing in the folder for temporary files."""
    ended = command_line("--agent", tool("no-key"), "--json", environment={"TMPDIR": str(tmp_path)})
    assert ended.returncode == 0
    assert list(tmp_path.iterdir()) == []
    assert len(json.loads(ended.stdout)["results"]) == 2


# -- the parts -------------------------------------------------------------------------------------


@pytest.fixture
def sleeper() -> Iterator[Callable[..., subprocess.Popen[bytes]]]:
    """Starts processes that sleep, and ends them after the test."""
    made: list[subprocess.Popen[bytes]] = []

    def make(**environment: str) -> subprocess.Popen[bytes]:
        made.append(
            subprocess.Popen(
                ["sleep", "1000"], env={**os.environ, **environment}, start_new_session=True
            )
        )
        return made[-1]

    yield make
    for process in made:
        process.kill()
        process.wait()


def test_strays_are_found_by_their_marker_alone(
    sleeper: Callable[..., subprocess.Popen[bytes]],
) -> None:
    """The whole text has to be there; a spared one and another run's stay alive."""
    ours, spared, other = (
        sleeper(**{MARKER_VARIABLE: marker}) for marker in ("m-1", "m-1", "m-12")
    )
    plain = sleeper()
    assert {one.pid for one in find_strays("m-1")} == {ours.pid, spared.pid}
    (killed,) = kill_strays("m-1", frozenset({spared.pid}))
    assert (killed.pid, killed.group) == (ours.pid, ours.pid)
    assert ours.wait(60) == -signal.SIGKILL
    assert all(one.poll() is None for one in (spared, other, plain))
    assert find_strays("m-none") == []


def test_a_dying_stray_keeps_its_command_line(
    sleeper: Callable[..., subprocess.Popen[bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel still shows a killed process for a moment, and its words no more."""
    pid = sleeper().pid
    seen = [[Stray(pid, "", pid)], [Stray(pid, "sleep 1000", pid)], [Stray(pid, "", pid)], []]
    monkeypatch.setattr(strays, "find_strays", lambda *_: seen.pop(0))
    assert kill_strays("m-1") == [Stray(pid, "sleep 1000", pid)]


def guardian_dies_without_goodbye(guardian: Guardian) -> None:
    """What the kernel does when the harness is killed."""
    process = guardian._process  # noqa: SLF001
    assert process.stdin is not None
    process.stdin.close()
    process.wait(60)


def test_a_guardian_without_a_goodbye_cleans_up(
    sleeper: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """Groups it watches, processes with the marker, and folders; not what it was to forget."""
    folder = tmp_path / "with space"
    (folder / "deep").mkdir(parents=True)
    watched, forgotten, marked, plain = (
        sleeper(),
        sleeper(),
        sleeper(**{MARKER_VARIABLE: "m-2"}),
        sleeper(),
    )
    guardian = Guardian("m-2")
    guardian.watch(watched.pid)
    guardian.watch(forgotten.pid)
    guardian.forget(forgotten.pid)
    guardian.own_folder(folder)
    guardian_dies_without_goodbye(guardian)
    assert watched.wait(60) == marked.wait(60) == -signal.SIGKILL
    assert forgotten.poll() is plain.poll() is None
    assert not folder.exists()


def test_a_guardian_that_was_dismissed_leaves_everything(
    sleeper: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """After a goodbye there is nothing to do; signals of a terminal do not reach it."""
    watched = sleeper(**{MARKER_VARIABLE: "m-3"})
    guardian = Guardian("m-3")
    guardian.watch(watched.pid)
    guardian.own_folder(tmp_path)
    guardian.dismiss()
    guardian.watch(1)
    assert guardian._process.returncode == 0  # noqa: SLF001
    assert watched.poll() is None
    assert tmp_path.is_dir()
