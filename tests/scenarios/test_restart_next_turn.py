"""restart-next-turn: what each way of taking a new message comes to, and every cause of ERROR."""

from __future__ import annotations

from pathlib import Path

import pytest
from cut_off import REFUSALS, hurry, results, talk, the_error, words
from plugpull.lab import Lab
from plugpull.scenarios.base import Case, Settings
from plugpull.scenarios.restart_next_turn import RestartNextTurn
from plugpull.verdicts import Result

#: Before the effect and after it.
COMES_TO = {
    "answers-open": ("PASS held", "PASS held"),
    "charges-again": ("PASS held", "PASS held"),
    "charges-again+keyless": ("PASS held", "FAIL duplicated"),
    "charges-twice": ("FAIL duplicated", "FAIL duplicated"),
    "apologizes": ("FAIL unexpected", "FAIL unexpected"),
    "says-nothing": ("FAIL lost", "FAIL lost"),
    "sends-open": ("FAIL crashed", "FAIL crashed"),
    "trusts": ("FAIL unpaired", "FAIL unpaired"),
    "forgets": ("FAIL state lost", "FAIL state lost"),
    "repeats-user": ("FAIL duplicated", "FAIL duplicated"),
    "unreadable-later": ("FAIL state lost", "FAIL state lost"),
}


def run(lab: Lab, flags: str, folder: Path, **fields: object) -> list[Result]:
    """Both results of a toy with these flags."""
    return results(lab, RestartNextTurn(), talk(flags, folder, **fields))


@pytest.mark.parametrize("flags", COMES_TO)
def test_what_each_way_of_going_on_comes_to(lab: Lab, tmp_path: Path, flags: str) -> None:
    """The conversation goes on, with nothing doubled and nothing that the user said lost."""
    found = run(lab, flags, tmp_path)
    assert [one.kill_point for one in found] == ["before-effect", "after-effect"]
    assert words(found) == list(COMES_TO[flags]), [one.detail for one in found]


def test_what_was_said_of_a_double(lab: Lab, tmp_path: Path) -> None:
    """Two are more than the one that may be there."""
    assert run(lab, "charges-again+keyless", tmp_path)[1].detail == (
        "effect duplicated: the provider saw 2 charge_card effects after the next turn "
        "(expected at most 1)"
    )


def test_the_turn_that_was_killed_may_stay_unfinished(lab: Lab, tmp_path: Path) -> None:
    """Zero effects before the effect, one after it, and nobody closes that order any more."""
    for result, count in zip(run(lab, "answers-open", tmp_path), (0, 1), strict=True):
        assert result.evidence["effects"] == {"charge_card": count, "next_turn": 1}
        assert result.evidence["kill"]["agent_status"] == -9
        assert result.evidence["next_turn_returncode"] == 0
        assert "resume_returncode" not in result.evidence
        assert result.detail == f"the conversation went on, with {count} charge_card effect"


def test_the_run_without_a_fault_takes_both_turns(lab: Lab, tmp_path: Path) -> None:
    """So that what is stored after two turns is known, and that the second one works at all."""
    unfaulted = run(lab, "answers-open", tmp_path)[0].evidence["unfaulted"]
    assert unfaulted["effects"] == {"charge_card": 1, "finish_order": 1, "next_turn": 1}
    assert unfaulted["stored"] == {"user": 2, "call": 1, "answer": 1, "message": 2}


def test_what_the_user_said_is_counted(lab: Lab, tmp_path: Path) -> None:
    """A conversation that began anew is none that went on."""
    assert run(lab, "forgets", tmp_path)[1].detail == (
        "state lost: 1 user messages are stored after the next turn (expected 2)"
    )
    assert run(lab, "repeats-user", tmp_path)[1].detail == (
        "duplicated: 3 user messages are stored after the next turn (expected 2)"
    )


def test_an_error_is_quoted(lab: Lab, tmp_path: Path) -> None:
    """Whose words those are, the user sees at once."""
    assert run(lab, "sends-open", tmp_path)[0].detail == (
        "next-turn failed after the kill: ValueError: 400: an assistant message with tool calls "
        "must be followed by answers"
    )


def test_a_refusal_is_shown_as_one(lab: Lab, tmp_path: Path) -> None:
    """Rule 4: a FAIL here, with what it said."""
    found = run(lab, "refuses", tmp_path, refusals=REFUSALS)
    assert words(found) == ["FAIL refused", "FAIL refused"]
    assert found[0].detail == "next-turn was refused after the kill: NOISE"


def test_a_next_turn_that_hangs_is_a_fail(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was recorded before."""
    subject = talk("hangs", tmp_path)
    unfaulted = RestartNextTurn().unfaulted(lab, subject, Settings())
    hurry(monkeypatch)
    result = RestartNextTurn().try_case(lab, subject, unfaulted, Case("after-effect"))
    assert words([result]) == ["FAIL hung"]
    assert result.detail == "next-turn hung: still running after 60 s"


def test_without_inspect_effects_decide(lab: Lab, tmp_path: Path) -> None:
    """Nothing is known of the history, so nothing is said of it."""
    for result in run(lab, "forgets", tmp_path, inspects=False):
        assert words([result]) == ["PASS held"]
        assert result.evidence["unfaulted"]["stored"] is None
        assert "reported" not in result.evidence


ERRORS = {
    "never-calls": "its tool never called the provider",
    "never-goes-on": "without a fault the next turn ended with 3",
    "no-report": "without a fault the next turn never reported next_turn",
    "twice": "without a fault the next turn left 2 next_turn effects",
    "starts-unpaired+trusts": "the history without a fault is broken: the call call_0 has 0",
    "unreadable": "stored cannot be read: inspect ended with 1",
    "next-start-gives-up": "exited (status 1) before its tool called the provider",
}


@pytest.mark.parametrize("flags", ERRORS)
def test_what_cannot_be_judged(lab: Lab, tmp_path: Path, flags: str) -> None:
    """Two turns that do not work without a fault, or no call to be killed in."""
    assert ERRORS[flags] in the_error(run(lab, flags, tmp_path))


def test_a_kill_that_misses_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """The call came from outside, and nothing was learned."""
    for result in run(lab, "next-start-calls-from-outside", tmp_path):
        assert words([result]) == ["ERROR"]
        assert "the kill did not land in the tool: the call came from" in result.detail
        assert "next_turn_returncode" not in result.evidence
