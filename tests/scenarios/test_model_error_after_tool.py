"""model-error-after-tool: what each way of going on comes to, and every cause of ERROR."""

from __future__ import annotations

from pathlib import Path

import pytest
from cut_off import HANGS_AFTER, REFUSALS, order, results, the_error, words
from plugpull.lab import Lab
from plugpull.scenarios.model_error_after_tool import ModelErrorAfterTool
from plugpull.verdicts import Result

#: With the framework's own retry, and with the user's.
COMES_TO = {
    "asks-again": ("PASS held", "PASS held"),
    "plain": ("FAIL crashed", "PASS held"),
    "asks-again+charges-again": ("FAIL duplicated", "FAIL duplicated"),
    "asks-again+charges-again+keyed": ("FAIL repeated", "FAIL repeated"),
    "asks-again+forgets+keyed": ("PASS held", "FAIL repeated"),
    "asks-again+forgets": ("PASS held", "FAIL duplicated"),
    "stops": ("FAIL lost", "FAIL lost"),
    "swallows": ("PASS held", "ERROR"),
    "asks-again+unpairs": ("FAIL unpaired", "FAIL unpaired"),
    "asks-again+resume-does-nothing": ("PASS held", "FAIL lost"),
    "asks-again+resume-crashes": ("PASS held", "FAIL crashed"),
}


def run(lab: Lab, flags: str, folder: Path, **fields: object) -> list[Result]:
    """Both results of a toy with these flags."""
    return results(lab, ModelErrorAfterTool(), order(flags, folder, **fields))


@pytest.mark.parametrize("flags", COMES_TO)
def test_what_each_way_of_going_on_comes_to(lab: Lab, tmp_path: Path, flags: str) -> None:
    """A tool that had its answer is not called again, whoever tries again and whatever its key."""
    found = run(lab, flags, tmp_path)
    assert [one.kill_point for one in found] == ["own-retry", "users-retry"]
    assert words(found) == list(COMES_TO[flags]), [one.detail for one in found]


def test_the_model_fails_once_or_until_the_end_of_start(lab: Lab, tmp_path: Path) -> None:
    """Its own retry finds the model well; the user's finds it well in another process only."""
    own, users = run(lab, "asks-again", tmp_path)
    assert [one["told"] for one in own.evidence["faults"]] == ["hold, fail", "go-on"]
    assert own.evidence["start_returncode"] == 0
    assert "resume_returncode" not in own.evidence
    told = [(one["phase"], one["told"]) for one in users.evidence["faults"]]
    assert told == [("start", "hold, fail"), ("start", "fail"), ("resume", "go-on")]
    assert users.evidence["start_returncode"] == 1
    assert users.evidence["resume_returncode"] == 0


def test_the_fault_is_proven_by_the_kernel(lab: Lab, tmp_path: Path) -> None:
    """The process at the point is the agent's, and the tool had called before."""
    for result in run(lab, "asks-again", tmp_path):
        fault = result.evidence["fault"]
        assert fault["caller_group"] == fault["agent_pid"]
        assert result.evidence["faults"][0]["pid"] == fault["caller_pid"]
        assert result.evidence["calls"][0]["effect"] == "charge_card"
        assert result.detail == "charge_card had its answer and was not called again"


def test_a_run_that_waits_for_ever_is_a_fail(impatient_lab: Lab, tmp_path: Path) -> None:
    """And there is no resume of what still runs."""
    lacking = frozenset({("model-error-after-tool", "own-retry")})
    (result,) = run(impatient_lab, "model-hangs", tmp_path, lacking=lacking)
    assert words([result]) == ["FAIL hung"]
    assert result.detail.endswith(f"still running after {HANGS_AFTER:g} s")
    assert "resume_returncode" not in result.evidence


def test_a_refusal_is_shown_as_one(lab: Lab, tmp_path: Path) -> None:
    """Rule 4: a FAIL here, with what it said."""
    _, users = run(lab, "resume-crashes", tmp_path, refusals=REFUSALS)
    assert words([users]) == ["FAIL refused"]
    assert users.detail == "resume was refused after the model's error: NOISE"


def test_a_model_that_nobody_needs_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """It never answered, the run says that all is well: there is nothing for the user to retry."""
    _, users = run(lab, "swallows", tmp_path)
    assert users.detail == (
        "start exited 0 although its model never answered: there was nothing to retry"
    )


ERRORS = {
    "no-model": "did not come to the fault point model:after-tool as often as it takes",
    "never-calls": "its tool never called the provider",
    "starts-unpaired": "the history without a fault is broken",
    "next-start-gives-up": "exited (status 1) before it came to the fault point model:after-tool",
    "model-first": "came to model:after-tool before any tool had called the provider",
}


@pytest.mark.parametrize("flags", ERRORS)
def test_what_cannot_be_judged(lab: Lab, tmp_path: Path, flags: str) -> None:
    """The point was never reached, or too early, or there is nothing to compare with."""
    assert ERRORS[flags] in the_error(run(lab, flags, tmp_path))


def test_a_point_that_is_not_supported_is_not_run(lab: Lab, tmp_path: Path) -> None:
    """A framework without a retry of its own is asked for the user's alone."""
    lacking = frozenset({("model-error-after-tool", "own-retry")})
    (result,) = run(lab, "plain", tmp_path, lacking=lacking)
    assert (result.kill_point, *words([result])) == ("users-retry", "PASS held")
