"""batch-kill: what each kind of agent comes to, and every cause of FAIL and of ERROR."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from broken_worlds import BATCH_POINTS, HANGS_AFTER, batch, run_batch, words
from plugpull.lab import Lab
from plugpull.scenarios import batch_kill
from plugpull.verdicts import Result

ALL_ONCE = {"charge_card_1": 1, "charge_card_2": 1, "charge_card_3": 1, "finish_order": 1}


# -- verdicts --------------------------------------------------------------------------------------


COMES_TO = {
    "notes-each": ("PASS held", "PASS held"),
    "parallel-notes": ("PASS held", "PASS held"),
    "notes-each-keyless": ("PASS held", "FAIL duplicated"),
    "forgets": ("FAIL duplicated", "FAIL duplicated"),
    "forgets-with-key": ("FAIL repeated", "FAIL repeated"),
    "parallel-forgets": ("FAIL repeated", "FAIL repeated"),
    "skips-the-held": ("FAIL lost", "FAIL unpaired"),
    "resume-does-nothing": ("FAIL lost", "FAIL lost"),
    "resume-crashes": ("FAIL crashed", "FAIL crashed"),
}


@pytest.mark.parametrize("kind", COMES_TO)
def test_what_each_kind_of_agent_gets(lab: Lab, tmp_path: Path, kind: str) -> None:
    """One that keeps each answer passes; one that does not fails, whatever its keys prevent."""
    before, after = COMES_TO[kind]
    results = run_batch(lab, batch(kind, tmp_path))
    assert [one.kill_point for one in results] == BATCH_POINTS
    assert words(results) == [before, after]


def test_what_a_pass_has_seen(lab: Lab, tmp_path: Path) -> None:
    """The first call was answered, the second held, the third had not come; then each happened."""
    before, after = run_batch(lab, batch("notes-each", tmp_path))
    for result, recorded in ((before, False), (after, True)):
        assert result.evidence["answered"] == ["charge_card_1"]
        assert result.evidence["effects"] == ALL_ONCE
        started = [one for one in result.evidence["calls"] if one["phase"] == "start"]
        assert [one["effect"] for one in started] == ["charge_card_1", "charge_card_2"]
        assert [one["recorded"] for one in started] == [True, recorded]
        assert result.evidence["kill"]["agent_status"] == -9
        assert result.evidence["unfaulted"]["stored_calls"] == 3
        assert result.detail == "charge_card_1 was answered and not called again"


@pytest.mark.parametrize("kind", ["parallel-notes", "parallel-forgets"])
def test_parallel_calls_are_in_one_state_at_the_kill(lab: Lab, tmp_path: Path, kind: str) -> None:
    """Whichever comes first is answered, the second is held, and what follows gets nowhere."""
    for result in run_batch(lab, batch(kind, tmp_path)):
        started = [one for one in result.evidence["calls"] if one["phase"] == "start"]
        recorded_too = result.kill_point == "between-results-recorded"
        assert len(started) in {2, 3}
        assert [one["recorded"] for one in started] == [True, recorded_too, False][: len(started)]
        assert result.evidence["answered"] == [started[0]["effect"]]


def test_the_call_that_had_its_answer_is_named_first(lab: Lab, tmp_path: Path) -> None:
    """Of several that were doubled it is the one that says something about batches."""
    _, after = run_batch(lab, batch("forgets", tmp_path))
    assert after.evidence["effects"]["charge_card_2"] == 2
    assert "2 charge_card_1 effects after resume" in after.detail


def test_a_repeated_call_is_a_fail_although_its_key_hides_it(lab: Lab, tmp_path: Path) -> None:
    """Each effect happened once; the provider saw the answered call again all the same."""
    for result in run_batch(lab, batch("forgets-with-key", tmp_path)):
        assert result.evidence["effects"] == ALL_ONCE
        assert result.detail.startswith("call repeated: charge_card_1 had its answer")


def test_a_resume_that_hangs_is_a_fail(impatient_lab: Lab, tmp_path: Path) -> None:
    """And so shown, without an exit status."""
    for result in run_batch(impatient_lab, batch("resume-hangs", tmp_path)):
        assert words([result]) == ["FAIL hung"]
        assert result.detail == f"resume hung: still running after {HANGS_AFTER:g} s"
        assert result.evidence["resume_returncode"] is None


def test_a_refusal_is_shown_as_one(lab: Lab, tmp_path: Path) -> None:
    """Rule 4: a FAIL here, with what it said."""
    subject = batch("resume-crashes", tmp_path, refusals=(re.compile("^NOISE"),))
    assert words(run_batch(lab, subject)) == ["FAIL refused", "FAIL refused"]


# -- the stored history ----------------------------------------------------------------------------


SPOILED = {
    "answers-nothing": ("unpaired", "the call call_2 has 0 answers (expected 1)"),
    "answers-twice": ("unpaired", "the call call_3 has 2 answers (expected 1)"),
    "answers-nobody": ("unpaired", "the answer call_2 has no call"),
    "answers-too-early": ("unpaired", "the answer call_3 stands before its call"),
    "calls-twice": ("unpaired", "the call call_1 is there 2 times"),
    "forgets-its-history": ("unpaired", "it holds 0 calls (expected 3)"),
    "loses-its-history": ("state lost", "inspect ended with 1"),
}


@pytest.mark.parametrize("kind", SPOILED)
def test_a_history_that_a_resume_spoils(lab: Lab, tmp_path: Path, kind: str) -> None:
    """Every effect happened once, and what is stored is broken, or can no longer be read."""
    outcome, sentence = SPOILED[kind]
    for result in run_batch(lab, batch(kind, tmp_path)):
        assert result.evidence["effects"] == ALL_ONCE
        assert words([result]) == [f"FAIL {outcome}"]
        assert sentence in result.detail


def test_a_history_that_lies_changes_nothing(lab: Lab, tmp_path: Path) -> None:
    """It reports three paired calls; the provider saw that one never happened."""
    before, after = run_batch(lab, batch("lies", tmp_path))
    assert words([before]) == ["FAIL lost"]
    assert len(before.evidence["reported"]["history"]) == 6
    # Once recorded, the effect is there; only the history could tell, and nobody else can.
    assert words([after]) == ["PASS held"]


def test_without_a_history_effects_decide(lab: Lab, tmp_path: Path) -> None:
    """A target without calls in its history, or without inspect, is judged by its effects."""
    assert words(run_batch(lab, batch("no-calls", tmp_path))) == ["PASS held"] * 2
    blind = batch("answers-nothing", tmp_path, inspects=False)
    for result in run_batch(lab, blind):
        assert words([result]) == ["PASS held"]
        assert "reported" not in result.evidence


# -- what cannot be judged -------------------------------------------------------------------------


def the_error(results: list[Result]) -> str:
    """The detail of an ERROR that is the same at both points."""
    assert words(results) == ["ERROR", "ERROR"]
    assert results[0].detail == results[1].detail
    return results[0].detail


NO_BATCH = {
    "one-charge": "made the calls charge_card, finish_order, and PLUGPULL_BATCH=3 asks for",
    "something-first": "made the calls open_order, charge_card_1",
    "one-a-turn": "1 calls come before the first answer",
    "broken-from-the-start": "without a fault is broken: the call call_2 has 0 answers",
    "unreadable": "cannot be read: inspect ended with 1",
    "no-list": "cannot be read: inspect reported no list as history, but None",
    "no-entries": "cannot be read: inspect reported an entry without a kind: 'call'",
    "no-ids": "cannot be read: inspect reported a 'call' without an id",
}


@pytest.mark.parametrize("kind", NO_BATCH)
def test_a_run_without_a_fault_that_is_no_batch(lab: Lab, tmp_path: Path, kind: str) -> None:
    """Nothing is killed where there is nothing to judge it by."""
    sentence = NO_BATCH[kind]
    results = run_batch(lab, batch(kind, tmp_path))
    assert sentence in the_error(results)
    assert all("kill" not in one.evidence for one in results)


MISSED = {
    "next-start-gives-up": "exited (status 1) before its tool called the provider 2 times",
    "next-start-audits": "the start did not begin with its batch, but called audit",
    "next-start-leaves-the-answer": "the first call of the batch had not got its answer",
    "next-start-pays-from-outside": "the kill did not land in the tool: the call came from",
}


@pytest.mark.parametrize("kind", MISSED)
def test_a_fault_that_did_not_land_between_two_results(
    lab: Lab, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call was not the second, the first had no answer, or the kill missed: nothing learned."""
    sentence = MISSED[kind]
    monkeypatch.setattr(batch_kill, "_TAKES_WITHIN", 0.1)
    for result in run_batch(lab, batch(kind, tmp_path)):
        assert words([result]) == ["ERROR"]
        assert sentence in result.detail
        assert "resume_returncode" not in result.evidence
