"""The two halves in two environments, through the command line, as the planner does it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from two_versions import TARGETS, Environment, add_target, environment

SCENARIO = "resume-after-upgrade"
KILLED = {"killed-before-effect", "killed-after-effect"}
# The toy asks nobody, which its manifest says.
NO_PAUSE = {
    "scenarios": {SCENARIO: {}},
    "not_supported": [
        {
            "scenario": SCENARIO,
            "kill_point": "paused",
            "reason": "it asks nobody",
            "link": "https://example.org",
        }
    ],
}


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Version 1.0, which saves."""
    return environment(tmp_path_factory.mktemp("one"), "1.0")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Version 2.0, which goes on."""
    return environment(tmp_path_factory.mktemp("two"), "2.0")


def run(under: Environment, targets: Path, *arguments: object) -> tuple[int, Any]:
    """Exit status and report."""
    file = targets / "report.json"
    ended = under.plugpull(
        *("--target", "toy", "--targets", targets, "--scenario", SCENARIO),
        *("--report", file),
        *arguments,
    )
    assert file.exists(), ended.stderr
    return ended.returncode, json.loads(file.read_text())


def found(report: Any) -> dict[str, str]:
    """Verdict and outcome by fault point and detail."""
    return {
        f"{one['kill_point']}/{one['point_detail']}": f"{one['verdict']} {one['outcome']}"
        for one in report["results"]
    }


@pytest.mark.parametrize(
    ("kind", "outcome"), [("goes-on", "PASS held"), ("refuses", "PASS refused")]
)
def test_saved_here_and_gone_on_with_there(
    one: Environment, two: Environment, tmp_path: Path, kind: str, outcome: str
) -> None:
    """Each environment runs once; what they exchange is a folder."""
    targets = add_target(tmp_path / "targets", kind, **NO_PAUSE)
    states = tmp_path / "states"
    code, saved = run(one, targets, "--save-states", states)
    assert code == 0
    assert found(saved) == dict.fromkeys([f"{point}/from-1.0" for point in KILLED], "PASS held")
    assert {path.name for path in states.iterdir()} == {next(states.iterdir()).name}
    code, gone_on = run(two, targets, "--states", states)
    assert code == 0
    assert found(gone_on) == dict.fromkeys([f"{point}/from-1.0" for point in KILLED], outcome)
    assert gone_on["cell"]["version"] == "2.0"


def test_the_controls_are_tried_in_both(one: Environment, two: Environment, tmp_path: Path) -> None:
    """Each has a subject that has to pass and one that has to fail, at each fault point."""
    targets = add_target(tmp_path / "targets", "goes-on", **NO_PAUSE)
    shutil.copytree(TARGETS / "control", targets / "control")
    _, saved = run(one, targets, "--save-states", tmp_path / "states")
    _, gone_on = run(two, targets, "--states", tmp_path / "states")
    for report in (saved, gone_on):
        controls = report["cell"]["controls"]
        assert all(one["found"] == one["expected"] for one in controls)
        for point in (*KILLED, "paused"):
            tried = {one["found"].split()[0] for one in controls if one["kill_point"] == point}
            assert tried == {"PASS", "FAIL"}


def test_a_version_may_be_called_otherwise(one: Environment, tmp_path: Path) -> None:
    """A branch often has the number of a release."""
    targets = add_target(tmp_path / "targets", "goes-on", **NO_PAUSE)
    _, saved = run(one, targets, "--save-states", tmp_path / "s", "--state-version", "git.abc")
    assert set(found(saved)) == {f"{point}/from-git.abc" for point in KILLED}


def test_one_fault_point_alone(one: Environment, tmp_path: Path) -> None:
    """As an id names it, with or without its detail; one that is not there runs nothing."""
    targets = add_target(tmp_path / "targets", "goes-on", **NO_PAUSE)
    save = ("--save-states", tmp_path / "s", "--fault-point")
    for name in ("killed-after-effect", "killed-after-effect/from-1.0"):
        _, saved = run(one, targets, *save, name)
        assert list(found(saved)) == ["killed-after-effect/from-1.0"]
    code, saved = run(one, targets, *save, "killed-after-effect/from-9.9")
    assert (code, saved["results"]) == (2, [])


def test_neither_half_is_asked_for(one: Environment, tmp_path: Path) -> None:
    """By name it is a mistake; among all scenarios it is left out."""
    targets = add_target(tmp_path / "targets", "goes-on", **NO_PAUSE)
    ended = one.plugpull("--target", "toy", "--targets", targets, "--scenario", SCENARIO)
    assert ended.returncode == 2
    assert "needs either --states DIR or --save-states DIR" in ended.stderr
    ended = one.plugpull("--target", "toy", "--targets", targets)
    assert "nothing was run" in ended.stderr


def test_states_of_another_framework(one: Environment, tmp_path: Path) -> None:
    """They are named, and nothing runs."""
    targets = add_target(tmp_path / "targets", "goes-on", **NO_PAUSE)
    (tmp_path / "empty").mkdir()
    ended = one.plugpull(
        *("--target", "toy", "--targets", targets, "--scenario", SCENARIO),
        *("--states", tmp_path / "empty"),
    )
    assert ended.returncode == 2
    assert "holds no saved state of toy" in ended.stderr
    assert "Traceback" not in ended.stderr
