"""Resuming under another version of the framework: what it comes to, and what cannot be asked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from two_versions import TARGETS, Environment, add_target, environment


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Version 1.0, in which runs are saved."""
    return environment(tmp_path_factory.mktemp("one"), "1.0")


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """Version 2.0, under which they are resumed."""
    return environment(tmp_path_factory.mktemp("two"), "2.0")


def report(one: Environment, targets: Path, other: Environment | None) -> tuple[int, Any]:
    """Exit status and report of changed-world."""
    file = targets / "report.json"
    under = ("--other-python", other.python) if other else ()
    ended = one.plugpull(
        *("--target", "toy", "--targets", targets, "--scenario", "changed-world"),
        *("--report", file),
        *under,
    )
    assert file.exists(), ended.stderr
    return ended.returncode, json.loads(file.read_text())


def results(found: Any) -> dict[str, str]:
    """Verdict and outcome by fault point."""
    return {one["kill_point"]: f"{one['verdict']} {one['outcome']}" for one in found["results"]}


COMES_TO = {
    "goes-on": ("PASS held", "the run went on under 2.0 and came to what it should"),
    "refuses": ("PASS refused", "refused, and says why: RefusedError: saved by version 1.0"),
    "leaves-it-out": ("FAIL lost", "resume went on silently, and effect lost"),
}


@pytest.mark.parametrize("kind", COMES_TO)
def test_what_a_resume_under_another_version_comes_to(
    one: Environment, two: Environment, tmp_path: Path, kind: str
) -> None:
    """The start runs under one version, the resume under the other; both are on record."""
    verdict, sentence = COMES_TO[kind]
    code, found = report(one, add_target(tmp_path, kind), two)
    assert code == 0
    assert results(found) == {"model-renamed": "PASS held", "framework-changed": verdict}
    _, changed = found["results"]
    assert sentence in changed["detail"]
    assert changed["evidence"]["resume_python"] == str(two.python)
    assert changed["evidence"]["resume_version"] == "2.0"
    assert found["cell"]["version"] == "1.0"
    assert found["cell"]["other_python"] == {"executable": str(two.python), "version": "2.0"}


def test_without_another_interpreter_the_framework_stays(one: Environment, tmp_path: Path) -> None:
    """The fault point is not tried, and nothing says that it was."""
    _, found = report(one, add_target(tmp_path, "refuses"), None)
    assert results(found) == {"model-renamed": "PASS held"}
    assert "other_python" not in found["cell"]


def test_the_controls_are_tried_under_it_too(
    one: Environment, two: Environment, tmp_path: Path
) -> None:
    """One must refuse there and one must lose, or nothing is believed."""
    targets = add_target(tmp_path, "goes-on")
    shutil.copytree(TARGETS / "control", targets / "control")
    code, found = report(one, targets, two)
    assert code == 0
    tried = {
        one["variant"]: one["found"]
        for one in found["cell"]["controls"]
        if one["kill_point"] == "framework-changed"
    }
    assert tried == {"checks-its-world": "PASS refused", "ignores-its-world": "FAIL lost"}
    assert all(one["found"] == one["expected"] for one in found["cell"]["controls"])


def test_a_target_that_does_not_run_there_is_an_error(
    one: Environment, two: Environment, tmp_path: Path
) -> None:
    """What a resume under it does would be blamed on the framework's version."""
    companion = one.python.parents[1].glob("lib/*/site-packages")
    (next(companion) / "toycompanion.py").touch()
    code, found = report(one, add_target(tmp_path, "needs-a-companion"), two)
    assert code == 2
    for result in found["results"]:
        assert result["verdict"] == "ERROR"
        assert f"a run without a fault fails under {two.python}" in result["detail"]
        assert "toycompanion" in result["evidence"]["stderr"]


# -- what cannot be asked --------------------------------------------------------------------------


def refusal(one: Environment, targets: Path, python: object) -> str:
    """What plugpull says instead of running anything."""
    ended = one.plugpull(
        *("--target", "toy", "--targets", targets, "--scenario", "changed-world"),
        *("--launcher", "spawn", "--other-python", python),
    )
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    return ended.stderr


def test_the_same_version_is_no_change(one: Environment, tmp_path: Path) -> None:
    """It would pass, and mean nothing."""
    said = refusal(one, add_target(tmp_path, "goes-on"), one.python)
    assert f"--other-python {one.python} has toy 1.0, and so has" in said


def test_an_interpreter_without_plugpull(one: Environment, tmp_path: Path) -> None:
    """The resume could not report an effect."""
    bare = environment(tmp_path / "bare", "2.0", plugpull=False)
    said = refusal(one, add_target(tmp_path / "targets", "goes-on"), bare.python)
    assert f"--other-python {bare.python} cannot import plugpull" in said
    assert "No module named 'plugpull'" in said
    assert "-m pip install ./harness" in said


def test_an_interpreter_without_the_framework(one: Environment, tmp_path: Path) -> None:
    """The resume would crash, and that is no verdict."""
    bare = environment(tmp_path / "bare", None)
    said = refusal(one, add_target(tmp_path / "targets", "goes-on"), bare.python)
    assert f"--other-python {bare.python} cannot import toy" in said
    assert "No module named 'toyframework'" in said
    assert "-m pip install toyframework" in said


def test_a_program_that_is_no_python(one: Environment, tmp_path: Path) -> None:
    """It ends with 0 and has answered nothing."""
    said = refusal(one, add_target(tmp_path, "goes-on"), shutil.which("true"))
    assert "cannot import plugpull" in said


def test_a_program_that_is_not_there(one: Environment, tmp_path: Path) -> None:
    """Said by the command line, before anything else."""
    said = refusal(one, add_target(tmp_path, "goes-on"), tmp_path / "nothing")
    assert "is no program that can be started" in said


def test_a_target_that_does_not_say_what_a_refusal_names(
    one: Environment, two: Environment, tmp_path: Path
) -> None:
    """What was asked for is not left out in silence."""
    targets = add_target(tmp_path, "goes-on", worlds={"model-renamed": "model"})
    said = refusal(one, targets, two.python)
    assert "its manifest has no framework-changed among its worlds" in said


def test_other_scenarios_do_not_ask_for_it(one: Environment, tmp_path: Path) -> None:
    """An interpreter that nobody needs is not looked at."""
    ended = one.plugpull(
        *("--target", "toy", "--targets", add_target(tmp_path, "goes-on")),
        *("--scenario", "kill-mid-tool", "--launcher", "spawn"),
        *("--other-python", shutil.which("true")),
    )
    assert ended.returncode == 0, ended.stderr
