"""A target with a server: kills, ends of the harness, and a server that fails."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from plugpull.errors import UsageError
from plugpull.lab import Lab
from plugpull.manifest import read_manifest
from plugpull.runner import Report, Runner, Selection
from plugpull.subject import Subject
from serving import REMEDY, Notes, add_target, alive, command, eventually


def run(lab: Lab, targets: Path, **selected: Any) -> Report:
    """Everything of the target ``toy``."""
    return Runner(lab, Selection(**selected)).run_target(targets, "toy")


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> tuple[Report, Notes]:
    """A target whose server is as it should be, and what the server left behind."""
    folder = tmp_path_factory.mktemp("good")
    notes = Notes(folder / "notes")
    notes.folder.mkdir()
    needs = [
        {"sqlite": ">=3", "remedy": "none"},
        {"sqlite": ">=99", "versions": ">=1000", "remedy": "of later releases only"},
    ]
    with Lab() as lab:
        return run(lab, add_target(folder, notes, "good", needs=needs)), notes


def test_a_kill_does_not_touch_the_server(good: tuple[Report, Notes]) -> None:
    """What a run had in the server before the kill is there after it: one server for all trials."""
    report, notes = good
    assert [one.verdict for one in report.results] == ["PASS", "PASS"]
    assert report.results[0].evidence["reported"]["finished"] is True
    assert report.cell["service"]["starts"] == 1
    assert not alive(notes.pid())


def test_runs_are_told_apart(good: tuple[Report, Notes]) -> None:
    """All processes of a run have one name, and no other run has it."""
    verbs: dict[str, list[str]] = {}
    for name, verb in good[1].runs:
        verbs.setdefault(name, []).append(verb)
    resumed = ["start", "resume", "inspect"]
    assert sorted(verbs.values()) == sorted([["start", "inspect"], resumed, resumed])


def test_a_condition_that_is_met_is_in_nobodys_way(good: tuple[Report, Notes]) -> None:
    """One holds here, and the other is none of this version."""
    assert good[0].cell["stage"] == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who works")
def test_a_run_does_not_stand_still_while_its_server_works(lab: Lab) -> None:
    """A harness that waits for the run to be saved has to wait for the server too."""
    server = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        with lab.trial(Subject(target="toy", argv=("toy",))) as trial:
            assert not trial.busy()
            lab.beside = frozenset({server.pid})
            assert eventually(trial.busy)
    finally:
        server.kill()
        server.wait()


def test_a_server_that_does_not_start_is_no_verdict(lab: Lab, tmp_path: Path, notes: Notes) -> None:
    """Each result is an ERROR that says what the server said, and what to do."""
    report = run(lab, add_target(tmp_path, notes, "dies"))
    said = f"the server of toy ended with 3 before it was ready: no room for the words ({REMEDY})"
    assert [(one.verdict, one.detail) for one in report.results] == [("ERROR", said)] * 2
    assert report.results[0].evidence["stage"] == report.cell["stage"] == "service"


@pytest.mark.parametrize("verb", ["start", "resume"])
def test_a_server_that_ends_meanwhile_is_no_verdict(
    lab: Lab, tmp_path: Path, notes: Notes, verb: str
) -> None:
    """Whatever a run comes to without its server says nothing about the framework."""
    report = run(lab, add_target(tmp_path, notes, "good", f"ends-the-server-in-{verb}"))
    said = "the server of toy ended with 4: the words have run out"
    assert [(one.verdict, one.detail) for one in report.results] == [("ERROR", said)] * 2
    assert {one.evidence["stage"] for one in report.results} == {"service"}


def test_a_server_is_not_started_for_nothing(lab: Lab, tmp_path: Path, notes: Notes) -> None:
    """Where nothing is to run there is none."""
    report = run(lab, add_target(tmp_path, notes, "good"), variants=("another",))
    assert report.results == []
    assert not notes.folder.joinpath("server.pid").exists()


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGKILL, -9), (signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_the_server_ends_with_the_harness(
    tmp_path: Path, notes: Notes, number: signal.Signals, status: int
) -> None:
    """However it ends: a server is never left behind."""
    targets = add_target(tmp_path, notes, "good", "waits")
    harness = subprocess.Popen(
        command("--target", "toy", "--targets", targets),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert eventually(notes.folder.joinpath("waiting").exists)
        assert alive(notes.pid())
        harness.send_signal(number)
        assert harness.wait(60) == status
    finally:
        harness.kill()
        harness.wait()
    assert eventually(lambda: not alive(notes.pid()))
    assert eventually(lambda: not notes.home.exists())


def test_its_words_are_not_the_harnesss(tmp_path: Path, notes: Notes) -> None:
    """What the server prints is in no program's way: standard output is one document."""
    targets = add_target(tmp_path, notes, "good")
    done = subprocess.run(
        command("--target", "toy", "--targets", targets, "--json"),
        capture_output=True,
        text=True,
        check=False,
    )
    assert len(json.loads(done.stdout)["results"]) == 2
    assert "words on standard output" not in done.stderr


# -- conditions ------------------------------------------------------------------------------------

NOT_MET = [{"sqlite": ">=99", "remedy": "wait some years"}]


def test_a_condition_that_is_not_met_is_no_verdict(lab: Lab, tmp_path: Path, notes: Notes) -> None:
    """Nothing is started; the row says what is needed, what there is, and the remedy."""
    report = run(lab, add_target(tmp_path, notes, "good", needs=NOT_MET))
    said = (
        f"toy cannot run here: it needs sqlite >=99, and here is {sqlite3.sqlite_version}: "
        "wait some years"
    )
    assert [(one.verdict, one.detail) for one in report.results] == [("ERROR", said)] * 2
    assert report.cell["stage"] == "preflight"
    assert not notes.folder.joinpath("server.pid").exists()


@pytest.mark.parametrize("brought", ["100.1", "98", ""])
def test_a_package_can_stand_in_for_what_python_brings(
    lab: Lab, tmp_path: Path, notes: Notes, monkeypatch: pytest.MonkeyPatch, brought: str
) -> None:
    """What is in use is asked for and recorded; without either, each result is an ERROR."""
    if brought:
        (tmp_path / "newer_sqlite.py").write_text(f"sqlite_version = {brought!r}\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "newer_sqlite", raising=False)
    needs = [{"sqlite": ">=99", "instead": "newer_sqlite", "remedy": "install newer-sqlite"}]
    report = run(lab, add_target(tmp_path, notes, "good", needs=needs))
    there = brought or sqlite3.sqlite_version
    assert report.cell["sqlite_version"] == there
    assert report.cell["sqlite_module"] == ("newer_sqlite" if brought else "sqlite3")
    assert report.cell["stage"] == ("done" if brought == "100.1" else "preflight")
    if brought != "100.1":
        said = f"it needs sqlite >=99, and here is {there}: install newer-sqlite"
        assert {one.verdict for one in report.results} == {"ERROR"}
        assert report.results[0].detail == f"toy cannot run here: {said}"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"service": {"program": "server.py"}}, "service: the key 'remedy' is missing"),
        ({"service": {"program": "no.py", "remedy": "x"}}, "service.program: .*no.py is not there"),
        (
            {"service": {"program": "server.py", "remedy": "x", "ports": ["A b"]}},
            "service.ports: 'A b' is no name",
        ),
        (
            {"service": {"program": "server.py", "remedy": "x", "ports": ["a", "a"]}},
            "service.ports: 'a' is no name, or there twice",
        ),
        (
            {"service": {"program": "server.py", "remedy": "x", "ready_within": 0}},
            "service.ready_within: it has to be seconds, not 0",
        ),
        ({"service": {"program": "server.py", "remedy": "x", "port": 1}}, "unknown key 'port'"),
        ({"needs": [{"remedy": "x"}]}, r"needs\[0\]: it names one of sqlite"),
        ({"needs": [{"sqlite": ">=3"}]}, r"needs\[0\]: the key 'remedy' is missing"),
        ({"needs": [{"sqlite": "new", "remedy": "x"}]}, r"needs\[0\].sqlite: 'new' is not a ver"),
    ],
)
def test_a_mistake_in_the_manifest_is_named(
    tmp_path: Path, notes: Notes, changes: dict[str, Any], said: str
) -> None:
    """With the file and the key."""
    add_target(tmp_path, notes, "good", **changes)
    with pytest.raises(UsageError, match=said):
        read_manifest(tmp_path / "toy")
