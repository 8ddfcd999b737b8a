"""Launchers: a forked agent and a spawned one are the same agent."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from plugpull.controls import run_controls
from plugpull.lab import Ended, Lab
from plugpull.manifest import read_manifest
from plugpull.processes.environment import child_environment
from plugpull.processes.fork_launcher import ForkLauncher, ForkUnavailable
from plugpull.processes.launcher import CannotStart, Command
from plugpull.processes.strays import MARKER_VARIABLE, find_strays
from plugpull.scenarios import SCENARIOS
from plugpull.scenarios.base import Settings
from plugpull.scenarios.kill_mid_tool import KillMidTool
from plugpull.subject import Subject
from support import HERE, TARGETS, alive, command_line, run_all

PROGRAM = HERE / "toys" / "forked.py"
linux = pytest.mark.skipif(sys.platform != "linux", reason="forking is for Linux only")


def fork(lab: Lab, *preload: str, seconds: float = 60) -> None:
    """Let a lab start its agents by forking."""
    environment = child_environment({MARKER_VARIABLE: lab.marker})
    launcher = ForkLauncher(preload, environment, lab.guardian, seconds)
    lab.use(launcher, launcher.server_pids)


@pytest.fixture(params=["spawn", pytest.param("fork", marks=linux)])
def either(request: pytest.FixtureRequest, lab: Lab) -> Iterator[Lab]:
    """A lab with one launcher and then the other."""
    if request.param == "fork":
        fork(lab, "wave")
    assert lab.launcher.name == request.param
    return lab


def run(lab: Lab, end: str, generation: int = 0) -> tuple[Ended, dict[str, Any], str]:
    """How the program ended, what it saw, and what it printed."""
    subject = Subject.for_program(PROGRAM, target="x", environment={"TOY_END": end})
    with lab.trial(subject) as trial:
        ended = trial.run("start", 60, generation=generation)
        return ended, trial.reported(), (trial.private / "start.out").read_text()


@pytest.mark.parametrize(
    ("end", "status", "stderr"),
    [
        ("end", 0, ""),
        ("exit", 3, ""),
        ("sentence", 1, "a last sentence\n"),
        ("exception", 1, "RuntimeError: on purpose\n"),
        ("signal", -signal.SIGTERM, ""),
        ("at once", 5, ""),
    ],
)
def test_an_agent_ends_as_a_script_ends(either: Lab, end: str, status: int, stderr: str) -> None:
    """Status, traceback, threads that are joined, exit handlers, and output that is flushed."""
    ended, seen, printed = run(either, end)
    assert ended.returncode == status
    assert ended.stderr.endswith(stderr)
    if end == "exception":
        assert ended.stderr.startswith("Traceback (most recent call last):\n")
        assert f'File "{PROGRAM}", line' in ended.stderr
    elif not stderr:
        assert ended.stderr == ""
    in_order = status >= 0 and end != "at once"
    assert (seen.get("thread"), seen.get("atexit")) == ((True, True) if in_order else (None, None))
    assert printed == ("said without a newline" if in_order else "")


def test_an_agent_sees_what_a_script_sees(either: Lab) -> None:
    """Its name, file, arguments, siblings, folder, group, signals, and an empty standard input."""
    _, seen, _ = run(either, "end")
    assert seen["name"] == "__main__"
    assert seen["file"] == str(PROGRAM)
    assert seen["argv"] == [str(PROGRAM), "start"]
    assert seen["path"] == str(PROGRAM.parent)
    assert Path(seen["directory"]).parent == either.scratch
    assert seen["sibling"] == 42
    assert seen["main"] is seen["leader"] is True
    assert seen["stdin"] == ""
    assert seen["signals"] == [True, True, True]
    assert seen["preloaded"] is (either.launcher.name == "fork")
    assert set(seen["environment"]) - set(child_environment({})) <= {
        "LC_CTYPE",
        "PLUGPULL_PROVIDER",
        "PLUGPULL_REPORTED",
        "PLUGPULL_RUN",
        "PLUGPULL_TRIAL",
        "PLUGPULL_WORKDIR",
        "TOY_END",
    }


def test_generations_share_no_hash_seed(either: Lab) -> None:
    """What a resume takes from a set's order cannot be what the start had by chance."""
    hashes = [run(either, "end", generation)[1]["hash"] for generation in (0, 1)]
    assert hashes[0] != hashes[1]


@linux
def test_a_program_that_does_not_compile_ends_as_a_script_does(lab: Lab, tmp_path: Path) -> None:
    """Status 1 and the error, in the agent and not in the server."""
    fork(lab)
    program = tmp_path / "broken.py"
    program.write_text("def\n")
    subject = Subject.for_program(program, target="x")
    for _ in range(2):
        with lab.trial(subject) as trial:
            ended = trial.run("start", 60)
        assert ended.returncode == 1
        assert "SyntaxError" in ended.stderr


@linux
@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("raise RuntimeError('no')", "importing preloaded failed:"),
        ("import no_such_module", "No module named 'no_such_module'"),
        ("import threading, time\nthreading.Thread(target=time.sleep, args=[60]).start()", "2 thr"),
        ("import os\nos._exit(1)", "ended while it was importing"),
        ("import sys\nsys.exit()", "ended while it was importing"),
        ("import time\ntime.sleep(60)", "the imports did not end within 1 s"),
    ],
)
def test_a_framework_that_cannot_be_forked_says_why(
    lab: Lab, tmp_path: Path, source: str, reason: str
) -> None:
    """An import that fails, leaves a thread, ends the process, or does not end."""
    (tmp_path / "preloaded.py").write_text(source)
    environment = child_environment({MARKER_VARIABLE: lab.marker, "PYTHONPATH": str(tmp_path)})
    with pytest.raises(ForkUnavailable, match=reason):
        ForkLauncher(["preloaded"], environment, lab.guardian, 1 if "sleep(60)" in source else 60)
    assert find_strays(lab.marker) == []


@linux
def test_an_agent_that_kills_its_server_is_an_error(lab: Lab) -> None:
    """Nobody knows how it ended, so nothing is judged; the lab can still be left."""
    fork(lab)
    subject = Subject.for_program(PROGRAM, target="x", environment={"TOY_END": "kills its parent"})
    (first, second) = run_all(lab, KillMidTool(), subject)
    assert {first.verdict, second.verdict} == {"ERROR"}
    assert "nobody knows how it ended" in first.detail
    with lab.trial(subject) as trial, pytest.raises(CannotStart, match="fork server has gone"):
        trial.launch("start")


@linux
def test_what_is_no_program_of_a_target_is_spawned(lab: Lab) -> None:
    """A fork server runs Python programs only."""
    fork(lab)
    with lab.trial(Subject("x", ("sh", "-c", "exit 4"))) as trial:
        assert trial.run("start", 60).returncode == 4


@linux
def test_servers_end_with_the_lab_and_are_no_strays() -> None:
    """They live as long as the lab does, and no evidence names them."""
    with Lab() as lab:
        fork(lab)
        pids = lab.spare
        assert len(pids) == 2
        with lab.trial(Subject("x", ("true",))) as trial:
            trial.run("start", 60)
            assert trial.sweep() == []
        assert all(alive(pid) for pid in pids)
    assert not any(alive(pid) for pid in pids)


@linux
def test_other_platforms_spawn(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """MacOS's libraries do not survive a fork without exec."""
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(ForkUnavailable, match="on Linux only"):
        ForkLauncher([], {}, lab.guardian)


def test_a_launch_that_fails_says_why(lab: Lab, tmp_path: Path) -> None:
    """In the system's words."""
    command = Command(("/no/such",), {}, tmp_path, tmp_path / "out", tmp_path / "err")
    with pytest.raises(CannotStart, match="No such file or directory"):
        lab.launcher.launch(command)


@pytest.mark.parametrize("scenario", ["kill-mid-tool", "lost-session-write"])
def test_the_controls_come_out_as_declared(either: Lab, scenario: str) -> None:
    """Rule 10, P19: at each fault point one that passes and one that fails, by either launcher."""
    control = read_manifest(TARGETS / "control")
    found = run_controls(either, control, SCENARIOS[scenario], Settings())
    assert [str(one) for one in found if one.deviates] == []
    for point in SCENARIOS[scenario].fault_points:
        expected = {one.expected.split()[0] for one in found if one.kill_point == point}
        assert expected == {"PASS", "FAIL"}


def target(folder: Path, preload: str) -> Path:
    """A folder of targets whose one target preloads a module."""
    (folder / "toy").mkdir()
    (folder / "toy" / "agent.py").write_text(
        "from plugpull import record_effect\nrecord_effect('a')"
    )
    (folder / "toy" / "target.json").write_text(
        '{"name": "toy", "title": "Toy", "distribution": "plugpull", "import": "plugpull",'
        ' "program": "agent.py", "inspect": false, "scenarios": {"kill-mid-tool": {}},'
        f' "variants": [{{"name": "default"}}], "preload": ["{preload}"]}}'
    )
    return folder


@linux
def test_a_target_that_cannot_be_forked_is_spawned_and_the_cell_says_why(tmp_path: Path) -> None:
    """And --launcher fork, which asks for the one thing that is impossible, ends with 2."""
    targets = target(tmp_path, "no_such_module")
    report = tmp_path / "report.json"
    ended = command_line("--targets", targets, "--target", "toy", "--report", report)
    assert ended.returncode == 0
    assert '"launcher": "spawn, because importing no_such_module failed' in report.read_text()
    ended = command_line("--targets", targets, "--target", "toy", "--launcher", "fork")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "plugpull: toy cannot be started by forking\n  why: importing" in ended.stderr
    assert "next: leave --launcher away" in ended.stderr
    ended = command_line("--targets", targets, "--target", "toy", "--launcher", "spawn", "--json")
    assert '"launcher": "spawn"' in ended.stdout
