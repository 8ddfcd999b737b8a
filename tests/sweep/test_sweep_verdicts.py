"""kill-sweep: every kind of defect, planted and caught, and every reason to judge nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from plugpull.lab import Lab
from plugpull.provider import BEFORE_EFFECT
from plugpull.scenarios.base import Settings
from plugpull.verdicts import Result
from sweeping import HANGS_AFTER, ONE_CALL, SINGLE, at, planted, sweep

BEFORE = [BEFORE_EFFECT]


def one_fault(lab: Lab, kind: str, folder: Path, point: str = BEFORE_EFFECT) -> Result:
    """The toy, killed at its first call."""
    (result,) = sweep(lab, planted(kind, folder), ONE_CALL, [point])
    return result


# -- what is found ---------------------------------------------------------------------------------


def test_a_sound_agent_passes_everywhere(lab: Lab, tmp_path: Path) -> None:
    """Nothing is found where nothing is wrong."""
    results = sweep(lab, planted("sound", tmp_path), Settings(moments=1))
    assert len(results) == 9
    assert set(at(results).values()) == {"PASS held"}
    for one in results:
        assert one.evidence["tree_hash"] == one.evidence["unfaulted"]["tree_hash"]
        assert one.evidence["compared_by_name"] == []


def test_an_effect_that_is_lost(lab: Lab, tmp_path: Path) -> None:
    """A note of what is done, written before it is."""
    results = sweep(lab, planted("loses-an-effect", tmp_path), ONE_CALL, SINGLE)
    assert list(at(results).values()) == ["FAIL lost", "PASS held"]
    assert results[0].detail == (
        "call 1: effect lost: the provider saw 0 charge effects after resume (expected 1)"
    )


def test_an_effect_that_is_doubled(lab: Lab, tmp_path: Path) -> None:
    """No key, so the call without an answer counts twice."""
    results = sweep(lab, planted("doubles-an-effect", tmp_path), ONE_CALL)
    assert list(at(results).values()) == ["PASS held", "FAIL duplicated"] * 2
    assert results[3].detail == (
        "call 1: effect duplicated: the provider saw 3 charge effects after resume (expected 1)"
    )


LOST = {
    "loses-state": "missing: note",
    "empties-state": "missing: all of note, which is empty",
    "removes-everything": "missing: journal; missing: note",
    "output-is-gone": 'missing: output, which was ["paid"]',
    "output-cannot-be-read": "missing: the stored run; inspect ended with 1",
}


@pytest.mark.parametrize("kind", LOST)
def test_state_that_is_lost(lab: Lab, tmp_path: Path, kind: str) -> None:
    """The effects are right, and something that a run without a fault leaves is not there."""
    subject = planted(kind, tmp_path, ignore=("again",))
    (result,) = sweep(lab, subject, ONE_CALL, BEFORE)
    assert f"{result.verdict} {result.outcome}" == "FAIL state lost"
    assert result.detail == f"call 1: state lost: {LOST[kind]}"
    assert result.evidence["differs"] == LOST[kind].split("; ") or "stored run" in LOST[kind]


DIVERGED = {
    "signs-again": 'differs: note, line 2: "paid: $43" instead of "paid: $42"',
    "leaves-more": "unexpected: draft",
    "makes-it-a-program": "differs: note is a program, not a file",
    "leads-elsewhere": 'differs: note leads to "nowhere" instead of "journal"',
    "output-differs": 'differs: output.phase is "resumed" instead of "started"',
}


@pytest.mark.parametrize("kind", DIVERGED)
def test_an_end_state_that_diverges(lab: Lab, tmp_path: Path, kind: str) -> None:
    """Effects and exit status are right; the end state is another, and the sentence says how."""
    subject = planted(kind, tmp_path, ignore=("again",))
    (result,) = sweep(lab, subject, ONE_CALL, BEFORE)
    assert f"{result.verdict} {result.outcome}" == "FAIL diverged"
    assert result.detail == f"call 1: end state diverged: {DIVERGED[kind]}"
    assert result.evidence["differs"] == [DIVERGED[kind]]


def test_a_file_in_place_of_the_work_folder(lab: Lab, tmp_path: Path) -> None:
    """Whatever an agent makes of its folder, there is a verdict that says what is there."""
    result = one_fault(lab, "replaces-its-folder", tmp_path)
    assert f"{result.verdict} {result.outcome}" == "FAIL diverged"
    assert "unexpected: ." in result.evidence["differs"]


def test_a_resume_that_crashes(lab: Lab, tmp_path: Path) -> None:
    """At each point, and in the resume that was to be killed as well: it is no ERROR there."""
    results = sweep(lab, planted("crashes", tmp_path), ONE_CALL)
    assert list(at(results).values()) == ["FAIL crashed"] * 4
    for one in results:
        assert one.evidence["resume_returncode"] == 7
        assert one.evidence["stderr"].startswith("NOISE")
        assert one.detail == "call 1: run could not be resumed after the kill"


def test_a_resume_that_hangs(impatient_lab: Lab, tmp_path: Path) -> None:
    """It is ended at the limit, whether it was to be killed again or not."""
    points = [BEFORE_EFFECT, "before-effect-twice"]
    results = sweep(impatient_lab, planted("hangs", tmp_path), ONE_CALL, points)
    assert list(at(results).values()) == ["FAIL hung"] * 2
    for one in results:
        assert one.evidence["resume_returncode"] is None
        assert one.detail == f"call 1: resume hung: still running after {HANGS_AFTER:g} s"


def test_a_resume_that_refuses(lab: Lab, tmp_path: Path) -> None:
    """Shown as what it is, when the target declares by which words it refuses."""
    subject = planted("refuses", tmp_path, refusals=(re.compile("^RefusedError"),))
    results = sweep(lab, subject, ONE_CALL)
    assert list(at(results).values()) == ["FAIL refused"] * 4


def test_a_resume_with_nothing_to_call(lab: Lab, tmp_path: Path) -> None:
    """There is no place for a second kill, which is said; the run is judged as it is."""
    subject = planted("needs-no-call", tmp_path)
    (result,) = sweep(lab, subject, ONE_CALL, ["after-effect-twice"])
    assert f"{result.verdict} {result.outcome}" == "PASS held"
    assert result.detail.startswith("call 1: no call was left to kill at, and the end state is ")
    assert "second_kill" not in result.evidence
    (lost,) = sweep(lab, subject, ONE_CALL, ["before-effect-twice"])
    assert f"{lost.verdict} {lost.outcome}" == "FAIL lost"


# -- files that differ by themselves ---------------------------------------------------------------


@pytest.mark.parametrize("kind", ["other-content-each-time", "other-content-later"])
def test_content_that_differs_by_itself_is_compared_by_name(
    lab: Lab, tmp_path: Path, kind: str
) -> None:
    """Even where the first two runs happened to be alike: nothing diverges before a third."""
    result = one_fault(lab, kind, tmp_path)
    assert result.verdict == "PASS"
    assert result.evidence["compared_by_name"] == ["note"]


def test_what_is_ignored_is_not_compared(lab: Lab, tmp_path: Path) -> None:
    """By the target's patterns or by the user's, names and contents."""
    for subject, settings in [
        (planted("leaves-more", tmp_path, ignore=("dra*",)), ONE_CALL),
        (planted("leaves-more", tmp_path), Settings(points="k1", moments=0, ignore=("dra*",))),
    ]:
        (result,) = sweep(lab, subject, settings, BEFORE)
        assert result.verdict == "PASS"


UNLIKE = {
    "other-names-each-time": r"do not end alike.*: \w+: \w{32} \(.*--ignore PATTERN\)",
    "other-kind-each-time": "do not end alike.*: differs: note is a program, not a file",
    "other-output-each-time": r"do not end alike.*: output is .*\(leave out of the output",
    "other-calls-each-time": "do not make the same calls, .*: charge, thank",
    "second-run-fails": "start exited 1",
    "never-calls": "never called the provider: report the effect with record_effect",
    "never-to-be-read": "cannot be read back: inspect ended with 1",
}


@pytest.mark.parametrize("kind", UNLIKE)
def test_runs_without_a_fault_that_cannot_be_compared_with(
    lab: Lab, tmp_path: Path, kind: str
) -> None:
    """An ERROR for each fault point, with the reason and what to do."""
    results = sweep(lab, planted(kind, tmp_path), ONE_CALL)
    assert [one.kill_point for one in results] == [
        *SINGLE,
        *("before-effect-twice", "after-effect-twice", "random-moment"),
    ]
    assert {one.verdict for one in results} == {"ERROR"}
    for one in results:
        assert re.search(UNLIKE[kind], one.detail), one.detail
        assert one.evidence["stage"] == "unfaulted"


def test_a_later_run_without_a_fault_that_ends_otherwise(lab: Lab, tmp_path: Path) -> None:
    """Then nobody knows what the fault did: an ERROR, and no divergence."""
    result = one_fault(lab, "other-names-later", tmp_path)
    assert result.verdict == "ERROR"
    assert "do not end alike" in result.detail


def test_a_faulted_run_that_never_gets_to_its_call(lab: Lab, tmp_path: Path) -> None:
    """The call is named by its effect."""
    result = one_fault(lab, "third-run-never-calls", tmp_path)
    assert result.verdict == "ERROR"
    assert result.detail == (
        "call 1: the agent exited (status 0) before its tool called the provider for charge"
    )


# -- strange surroundings --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["strange-things", "goes-without-a-trace", "asks-twice"])
def test_whatever_an_agent_leaves_behind(lab: Lab, tmp_path: Path, kind: str) -> None:
    """Sockets, pipes, loops, names that are no text, deep folders, no folder; a key used twice."""
    results = sweep(lab, planted(kind, tmp_path), ONE_CALL, SINGLE)
    assert [one.verdict for one in results] == ["PASS"] * 2


def test_a_call_made_again_with_its_key_is_a_place_of_its_own(lab: Lab, tmp_path: Path) -> None:
    """The second call with the same effect is killed at the second call, not at the first."""
    results = sweep(lab, planted("asks-twice", tmp_path), Settings(points="k2"), BEFORE)
    recorded = [call["recorded"] for call in results[0].evidence["calls"]]
    assert recorded == [True, False, True, True]
    assert results[0].point_detail == "2-charge"


def test_a_name_chosen_by_the_agent_leads_nowhere(tmp_path: Path) -> None:
    """An effect called after a path becomes part of an id and of a kept folder's name, plainly."""
    keep = tmp_path / "in" / "keep"
    with Lab(keep=keep) as lab:
        results = sweep(lab, planted("awkward-names", tmp_path), Settings(moments=0), SINGLE)
    assert results[0].point_detail == "1-.._.._.._charge_the_card_"
    assert at(results)["after-effect", "2-finish"] == "FAIL duplicated"
    assert [one.name for one in keep.iterdir()] == ["kill-sweep-default-after-effect-2-finish"]
    assert sorted(one.name for one in tmp_path.iterdir()) == ["in"]
    assert json.dumps([one.to_json() for one in results])


# -- moments ---------------------------------------------------------------------------------------


def test_a_moment_is_replayed_exactly(lab: Lab, tmp_path: Path) -> None:
    """Alone, and as it stands in the evidence."""
    subject = planted("stays-and-leaves-more", tmp_path, ignore=("draft",))
    (result,) = sweep(lab, subject, Settings(moment=0.000123))
    assert (result.kill_point, result.point_detail) == ("random-moment", "0.000123s")
    assert result.evidence["moment"] == 0.000123
    assert result.verdict == "PASS"


def test_the_earliest_moment_is_in_the_first_call(lab: Lab, tmp_path: Path) -> None:
    """After its effect: what comes to nothing by timing can always be had there."""
    (result,) = sweep(lab, planted("doubles-an-effect", tmp_path), Settings(moment=0.0))
    assert f"{result.verdict} {result.outcome}" == "FAIL duplicated"
    assert result.detail.startswith("0.000000 s after the first call: ")
    assert [call["phase"] for call in result.evidence["calls"]] == ["start", "resume", "resume"]
    assert result.evidence.get("kill", {}).get("agent_status") == -9


def test_a_moment_that_was_asked_for_and_comes_too_late(lab: Lab, tmp_path: Path) -> None:
    """Nothing was killed, so nothing is learned."""
    (result,) = sweep(lab, planted("sound", tmp_path), Settings(moment=30.0))
    assert result.verdict == "ERROR"
    assert result.detail == (
        "30.000000 s after the first call: the run had ended by then, so nothing was killed"
    )


def test_a_drawn_moment_that_comes_too_late_is_drawn_nearer(lab: Lab, tmp_path: Path) -> None:
    """A run that is quicker than the one before is killed all the same, and the moment is told."""
    from plugpull.scenarios.base import Case
    from plugpull.scenarios.kill_sweep import KillSweep

    scenario, subject = KillSweep(), planted("sound", tmp_path)
    unfaulted = scenario.unfaulted(lab, subject, Settings())
    result = scenario.try_case(lab, subject, unfaulted, Case("random-moment", "late", seconds=1e3))
    assert result.verdict == "PASS"
    assert result.evidence["moment"] < 1e3
    assert "ended_before_the_kill" not in result.evidence
