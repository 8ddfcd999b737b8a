"""``plugpull conform`` as a user runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from plugpull.conformance import command
from plugpull.conformance.planted import PLANTED

AGENT = """
STORES = {}


class Agent:
    def __init__(self, ctx):
        self.ctx = ctx
        self.done = STORES.setdefault(ctx.run_id, [])

    def step(self, item):
        if item not in self.done:
            self.ctx.effect("charge", key=KEYED and str(item))
            self.done.append(item)


KEYED = True


class Keyless(Agent):
    def step(self, item):
        if item not in self.done:
            self.ctx.effect("charge")
            self.done.append(item)


class Broken(Agent):
    def step(self, item):
        raise ValueError(item)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a user has an agent."""
    (tmp_path / "my_agent.py").write_text(AGENT, encoding="utf-8")
    (tmp_path / "inputs.json").write_text('[{"order": 1}]', encoding="utf-8")
    return tmp_path


def _run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "plugpull", "conform", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def test_the_selftest_shows_every_subject_and_passes(tmp_path: Path) -> None:
    """C20: good and planted-bad subjects, and a last line that says how it went."""
    code, said, _ = _run(tmp_path, "--selftest")
    assert code == 0
    assert said.rstrip().endswith("selftest: PASS")
    assert said.count("as it has to be\n") == len(PLANTED)
    for planted in PLANTED:
        assert planted.about in said
    assert "BUT" not in said


def test_the_selftest_can_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A checker that has gone blind is found out: the bad subjects then pass."""
    monkeypatch.setattr("plugpull.conformance.strict.judge_tally", lambda *_: [])
    assert command.main(["--selftest"]) == 1
    said = capsys.readouterr().out
    assert "BUT IT HAS TO BE: effect_duplicated" in said
    assert said.rstrip().endswith("selftest: FAIL")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["my_agent:Agent", "a", "b"], 0, "4 crash point(s) tested, 0 finding(s) — PASS"),
        (["my_agent.py:Agent", "a"], 0, "2 crash point(s) tested, 0 finding(s) — PASS"),
        (["my_agent:Agent", "--inputs", "inputs.json"], 0, "2 crash point(s)"),
        (["my_agent:Agent", "a", "--lenient"], 1, "[effect_replayed]"),
        (["my_agent:Keyless", "a"], 1, "[effect_duplicated]"),
        (["my_agent:Broken", "a"], 2, "[baseline_crashed]"),
        (["my_agent:Agent"], 2, "[no_effects]"),
        (["--version"], 0, "plugpull 0."),
        ([], 0, "usage: plugpull conform"),
    ],
)
def test_the_exit_status_is_the_verdict(
    folder: Path, arguments: list[str], code: int, words: str
) -> None:
    """0 it held, 1 it did not, 2 it could not be judged."""
    returncode, said, error = _run(folder, *arguments)
    assert (returncode, error) == (code, "")
    assert words in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["my_agent"], "names no factory"),
        (["my_agent:nothing"], "nothing to be called named nothing"),
        (["no_such:Agent"], "no_such could not be imported"),
        (["my_agent:Agent", "--inputs", "absent.json"], "absent.json could not be read"),
        (["my_agent:Agent", "--inputs", "my_agent.py"], "my_agent.py could not be read"),
        (["my_agent:Broken", "a", "--lenient"], "the subject failed: ValueError: a (my_agent.py:"),
        (["--no-such"], "unrecognized arguments"),
    ],
)
def test_a_mistake_is_one_clear_error(folder: Path, arguments: list[str], words: str) -> None:
    """Exit status 2 and a sentence, never a traceback."""
    code, said, error = _run(folder, *arguments)
    assert (code, said) == (2, "")
    assert words in error
    assert "Traceback" not in error


def test_the_report_can_be_read_by_a_program(folder: Path) -> None:
    """``--json`` prints the report and nothing else."""
    code, said, _ = _run(folder, "my_agent:Keyless", "a", "--json")
    report = json.loads(said)
    assert code == 1
    assert report["verdict"] == "FAIL"
    assert [one["when"] for one in report["findings"]] == ["after"]


def test_a_terminal_without_the_dash_gets_an_escape(folder: Path) -> None:
    """An ASCII terminal is no reason for a traceback."""
    done = subprocess.run(
        [sys.executable, "-m", "plugpull", "conform", "my_agent:Agent", "a"],
        capture_output=True,
        cwd=folder,
        env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert b"\\u2014 PASS" in done.stdout
