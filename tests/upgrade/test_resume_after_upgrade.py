"""resume-after-upgrade: what a run comes to that another version goes on with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from plugpull.lab import Lab
from saving import POINTS, go_on, save, words

# What each kind comes to where it was killed before its effect, after it, and where it waited.
COMES_TO = {
    "goes-on": ("PASS held", "PASS held", "PASS held"),
    "refuses": ("PASS refused", "PASS refused", "PASS refused"),
    "refuses-too-late": ("FAIL crashed", "FAIL crashed", "FAIL crashed"),
    "mumbles": ("FAIL crashed", "FAIL crashed", "FAIL crashed"),
    "is-killed": ("FAIL crashed", "FAIL crashed", "FAIL crashed"),
    "leaves-it-out": ("FAIL lost", "PASS held", "FAIL lost"),
    "charges-again": ("FAIL duplicated", "FAIL duplicated", "FAIL duplicated"),
    "does-more": ("FAIL unexpected", "FAIL unexpected", "FAIL unexpected"),
    "forgets-the-user": ("FAIL state lost", "FAIL state lost", "FAIL state lost"),
    "forgets-an-answer": ("FAIL unpaired", "FAIL unpaired", "FAIL unpaired"),
}


@pytest.mark.parametrize("kind", COMES_TO)
def test_what_each_kind_comes_to(lab: Lab, states: Path, kind: str) -> None:
    """The version that saved goes on with every state; another one does what the kind says."""
    assert words(go_on(lab, kind, states)) == dict(zip(POINTS, COMES_TO[kind], strict=True))


def test_a_resume_that_hangs(impatient_lab: Lab, states: Path) -> None:
    """It is ended at its limit."""
    (before,) = go_on(impatient_lab, "hangs", states / "default" / "killed-before-effect")
    assert (before.outcome, before.verdict) == ("hung", "FAIL")


def test_the_provider_counts_on(lab: Lab, states: Path) -> None:
    """What it saw before the upgrade is counted with what it sees after it, keys included."""
    results = {one.kill_point: one for one in go_on(lab, "goes-on", states)}
    after = results["killed-after-effect"].evidence
    assert after["effects"] == {"charge_card": 1, "finish_order": 1}
    assert [(one["effect"], one["phase"], one["recorded"]) for one in after["calls"]] == [
        ("charge_card", "saved", True),
        ("charge_card", "resume", True),
        ("finish_order", "resume", True),
    ]
    before = results["killed-before-effect"].evidence
    assert not before["calls"][0]["recorded"]
    assert before["effects"] == {"charge_card": 1, "finish_order": 1}
    assert [one["phase"] for one in results["paused"].evidence["calls"]] == ["resume"] * 2


def test_a_result_says_who_saved(lab: Lab, states: Path) -> None:
    """In its id, in its sentence and in its evidence."""
    for result in go_on(lab, "refuses", states):
        assert result.point_detail == "from-1.0"
        assert result.detail.startswith("saved by 1.0: refused, and says why: RefusedError: this")
        saved = result.evidence["saved"]
        assert saved["version"] == "1.0"
        assert saved["same_version"]["verdict"] == "PASS"
        assert not saved["holds_its_path"]


def test_a_loss_without_a_word_is_told_from_one_with_a_word(lab: Lab, states: Path) -> None:
    """Neither passes, and the sentence says which it was."""
    paused = states / "default" / "paused"
    (loud,) = go_on(lab, "says-it-and-goes-on", paused)
    (silent,) = go_on(lab, "charges-again", paused)
    assert "it went on, although it said 'warning: this run was saved by" in loud.detail
    assert "it went on silently, and effect duplicated" in silent.detail


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("is-killed", "approve died of signal 9"),
        ("mumbles", "no version is named: KeyError: 'pending'"),
        ("refuses-too-late", "approve failed after it had made a call"),
    ],
)
def test_how_a_resume_failed_is_said(lab: Lab, states: Path, kind: str, said: str) -> None:
    """Three crashes that are mended in three ways."""
    (result,) = go_on(lab, kind, states / "default" / "paused")
    assert said in result.detail


def test_the_fault_landed(lab: Lab, tmp_path: Path) -> None:
    """A killed run has the proof of its kill; one that waited was never killed."""
    saved = save(lab, "goes-on", tmp_path)
    assert words(saved) == dict.fromkeys(POINTS, "PASS held")
    results = {one.kill_point: one for one in saved}
    kill = results["killed-before-effect"].evidence["kill"]
    assert kill["agent_status"] == -9
    assert kill["caller_group"] == kill["agent_pid"]
    assert "kill" not in results["paused"].evidence


# -- what cannot be judged -------------------------------------------------------------------------


def test_a_version_that_cannot_run_is_to_blame_itself(lab: Lab, states: Path) -> None:
    """Its own run without a fault fails, so nothing is said about the upgrade."""
    results = go_on(lab, "cannot-run-2", states)
    assert words(results) == dict.fromkeys(POINTS, "ERROR")
    assert all("the run without a fault failed" in one.detail for one in results)
    assert "no such module in 2.0" in results[0].evidence["stderr"]


def test_a_version_that_cannot_run_saves_nothing(lab: Lab, tmp_path: Path) -> None:
    """And leaves no state behind that somebody could go on with."""
    assert words(save(lab, "cannot-run-2", tmp_path, "2.0")) == dict.fromkeys(POINTS, "ERROR")
    assert not list(tmp_path.iterdir())


def test_versions_that_differ_without_any_fault(lab: Lab, states: Path) -> None:
    """There is no one right number of effects then."""
    results = go_on(lab, "does-more-in-2", states)
    assert words(results) == dict.fromkeys(POINTS, "ERROR")
    assert "different effects without any fault" in results[0].detail
    assert "charge_card, send_mail, finish_order here" in results[0].detail


def test_a_state_that_its_own_version_cannot_go_on_with(lab: Lab, tmp_path: Path) -> None:
    """Another version cannot be blamed for that; where it was saved it is a FAIL."""
    saved = words(save(lab, "cannot-resume-at-all", tmp_path))
    assert saved["killed-before-effect"] == "FAIL crashed"
    results = {one.kill_point: one for one in go_on(lab, "cannot-resume-at-all", tmp_path)}
    before = results["killed-before-effect"]
    assert before.verdict == "ERROR"
    assert "1.0 cannot go on with its own state either" in before.detail
    assert "nobody can go on with this" in before.detail


def test_a_state_that_holds_its_path(lab: Lab, tmp_path: Path) -> None:
    """It is restored elsewhere. Where that matters, its own version finds it out first."""
    saved = save(lab, "needs-its-path", tmp_path)
    assert words(saved) == dict.fromkeys(POINTS, "FAIL crashed")
    assert "holds the path of its work folder" in saved[0].detail
    state = json.loads((tmp_path / "default" / "paused" / "state.json").read_text())
    assert state["holds_its_path"]
    assert words(go_on(lab, "needs-its-path", tmp_path)) == dict.fromkeys(POINTS, "ERROR")


def test_a_run_that_does_not_wait(lab: Lab, tmp_path: Path) -> None:
    """It cannot be paused, and the other fault points are judged all the same."""
    results = {one.kill_point: one for one in save(lab, "does-not-wait", tmp_path)}
    assert results["killed-before-effect"].verdict == "PASS"
    assert results["paused"].verdict == "ERROR"
    assert "did not wait for approval" in results["paused"].detail
    assert sorted(path.name for path in (tmp_path / "default").iterdir()) == sorted(POINTS[:2])


def test_a_program_that_has_changed_since(lab: Lab, states: Path, tmp_path: Path) -> None:
    """What passes passes; what fails may be the program's fault, and is an ERROR."""
    copy = shutil.copytree(states / "default" / "paused", tmp_path / "copy")
    described = json.loads((copy / "state.json").read_text())
    (copy / "state.json").write_text(json.dumps({**described, "program": "another"}))
    (passes,) = go_on(lab, "goes-on", copy)
    assert passes.verdict == "PASS"
    assert passes.evidence.get("program_changed")
    (result,) = go_on(lab, "mumbles", copy)
    assert result.verdict == "ERROR"
    assert "the target's program has changed since the state was saved" in result.detail
