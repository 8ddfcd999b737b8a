"""changed-world: what each way of meeting a change comes to, and every cause of FAIL and ERROR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from broken_worlds import HANGS_AFTER, WORLD_POINTS, run_world, words, world
from plugpull.lab import Lab
from plugpull.verdicts import Result

# -- verdicts --------------------------------------------------------------------------------------


COMES_TO = {
    "goes-on": ("PASS held", "the run went on and came to what it should"),
    "refuses": ("PASS refused", "refused, and says why: RefusedError: this run was saved"),
    "refuses-inspection-too": ("PASS refused", "refused, and says why: RefusedError"),
    "leaves-it-out": ("FAIL lost", "resume went on silently, and effect lost"),
    "charges-twice": ("FAIL duplicated", "resume went on silently, and effect duplicated"),
    "apologizes": ("FAIL unexpected", "resume went on silently, and unexpected effect"),
    "says-so": ("FAIL lost", "resume went on, although it said 'RefusedError: this run was"),
    "crashes": ("FAIL crashed", "the message does not name the difference"),
    "refuses-late": ("FAIL crashed", "resume failed after it had made a call"),
    "says-so-and-dies": ("FAIL crashed", "resume died of signal 15"),
}


@pytest.mark.parametrize("kind", COMES_TO)
def test_what_each_way_of_meeting_a_change_gets(lab: Lab, tmp_path: Path, kind: str) -> None:
    """Going on rightly and refusing by name pass; silence, harm and mere crashes do not."""
    verdict, sentence = COMES_TO[kind]
    results = run_world(lab, world(kind, tmp_path))
    assert [one.kill_point for one in results] == WORLD_POINTS
    assert words(results) == [verdict] * 3
    assert all(sentence in one.detail for one in results)


def test_each_change_reaches_the_resume_and_is_named(lab: Lab, tmp_path: Path) -> None:
    """And nothing but the resume: the killed start knows no change."""
    for result in run_world(lab, world("refuses", tmp_path)):
        assert result.detail.endswith(f"this run was saved before: {result.kill_point}")
        assert result.evidence["resume_returncode"] == 1
        assert result.evidence["kill"]["agent_status"] == -9
        assert result.evidence["effects"] == {"charge_card": 0}
        assert [one["phase"] for one in result.evidence["calls"]] == ["start"]


def test_a_refusal_that_names_something_else_is_a_crash(lab: Lab, tmp_path: Path) -> None:
    """What has to be named stands in the manifest, and in the detail of the FAIL."""
    pattern = re.compile("charge_card takes cents")
    subject = world("refuses", tmp_path, worlds=dict.fromkeys(WORLD_POINTS, pattern))
    for result in run_world(lab, subject):
        assert words([result]) == ["FAIL crashed"]
        assert result.detail.endswith("does not name the difference (charge_card takes cents)")


def test_code_in_a_traceback_names_nothing(lab: Lab, tmp_path: Path) -> None:
    """A crash quotes the line it comes from, and that line may hold any word."""
    _, removed, _ = run_world(lab, world("crashes-quoting", tmp_path))
    assert "tool-removed" in removed.evidence["stderr"]
    assert words([removed]) == ["FAIL crashed"]


def test_a_resume_that_hangs_is_a_fail(impatient_lab: Lab, tmp_path: Path) -> None:
    """And so shown."""
    subject = world("hangs", tmp_path, worlds={"tool-removed": re.compile("x")})
    (result,) = run_world(impatient_lab, subject)
    assert words([result]) == ["FAIL hung"]
    assert result.detail == f"resume hung: still running after {HANGS_AFTER:g} s"


def test_only_the_worlds_that_the_target_names_are_tried(lab: Lab, tmp_path: Path) -> None:
    """A framework that knows no models need not be asked about them."""
    subject = world("goes-on", tmp_path, worlds={"tool-removed": re.compile("x")})
    assert [one.kill_point for one in run_world(lab, subject)] == ["tool-removed"]


# -- what cannot be judged -------------------------------------------------------------------------


def the_error(results: list[Result]) -> str:
    """The detail of an ERROR that is the same at each point."""
    assert words(results) == ["ERROR"] * 3
    (detail,) = {one.detail for one in results}
    return detail


NOT_JUDGED = {
    "crashes-at-once": "the run without a fault failed: start exited 1",
    "never-calls": "its tool never called the provider",
    "has-no-world": "inspect does not report the target's world",
    "harmed-already": "in a world that has not changed the same kill does harm already",
    "next-start-exits": "the agent exited (status 1) before its tool called the provider",
    "cannot-be-inspected": "nobody knows whether the world changed: inspect ended with 1",
}


@pytest.mark.parametrize("kind", NOT_JUDGED)
def test_a_change_that_cannot_be_judged(lab: Lab, tmp_path: Path, kind: str) -> None:
    """The run, the kill, the proof of the change, or the proof that it is to blame is missing."""
    sentence = NOT_JUDGED[kind]
    assert sentence in the_error(run_world(lab, world(kind, tmp_path)))


def test_a_world_that_stayed_as_it_was_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """A target that does not do what it is told would pass everything."""
    results = run_world(lab, world("stays-as-it-was", tmp_path))
    assert words(results) == ["ERROR"] * 3
    for result in results:
        assert result.detail == (
            f"the target did not change its world: PLUGPULL_WORLD={result.kill_point}"
        )


def test_what_harm_there_was_without_a_change_is_said(lab: Lab, tmp_path: Path) -> None:
    """It would have been blamed on the change."""
    results = run_world(lab, world("harmed-already", tmp_path))
    assert "so a change cannot be blamed: effect lost: the provider saw 0" in the_error(results)
    assert results[0].evidence["stage"] == "unchanged"
    assert results[0].evidence["kill"]["agent_status"] == -9


def test_a_target_without_worlds_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """It said that it answers the scenario, and there is nothing to ask."""
    results = run_world(lab, world("goes-on", tmp_path, worlds={}))
    assert "names no world it can be resumed in" in the_error(results)


def test_without_inspect_the_change_is_taken_on_trust(lab: Lab, tmp_path: Path) -> None:
    """The controls have none; what they do proves that they saw it."""
    subject = world("stays-as-it-was", tmp_path, inspects=False)
    assert words(run_world(lab, subject)) == ["PASS held"] * 3
