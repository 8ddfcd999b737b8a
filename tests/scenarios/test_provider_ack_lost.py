"""provider-ack-lost: what each way of meeting a lost answer comes to, and every cause of ERROR."""

from __future__ import annotations

from pathlib import Path

import pytest
from cut_off import HANGS_AFTER, order, results, the_error, words
from plugpull.lab import Lab
from plugpull.scenarios.provider_ack_lost import ProviderAckLost
from plugpull.verdicts import Result

COMES_TO = {
    "keyed+retries": "PASS held",
    "tells-model": "PASS held",
    "raises": "PASS surfaced",
    "keyed+retries+raises-later": "PASS surfaced",
    "retries": "FAIL duplicated",
    "retries+raises-later": "FAIL duplicated",
    "goes-quietly": "FAIL lost",
    "tells-model+apologizes": "FAIL unexpected",
    "tells-model+unpairs": "FAIL unpaired",
    "tells-model+unreadable-later": "FAIL state lost",
    "dies": "FAIL crashed",
    "mute": "FAIL crashed",
}


def run(lab: Lab, flags: str, folder: Path) -> Result:
    """The one result of a toy with these flags."""
    (result,) = results(lab, ProviderAckLost(), order(flags, folder))
    assert result.kill_point == "ack-lost"
    return result


@pytest.mark.parametrize("flags", COMES_TO)
def test_what_each_way_of_meeting_it_comes_to(lab: Lab, tmp_path: Path, flags: str) -> None:
    """Once and ended, or once and a clear error; everything else is a FAIL of its own kind."""
    result = run(lab, flags, tmp_path)
    assert words([result]) == [COMES_TO[flags]], result.detail


def test_the_process_lives_and_the_provider_has_the_effect(lab: Lab, tmp_path: Path) -> None:
    """The first call was recorded and then closed; the process that had made it went on."""
    evidence = run(lab, "keyed+retries", tmp_path).evidence
    first, again, end = evidence["calls"]
    assert [one["recorded"] for one in (first, again, end)] == [True, True, True]
    assert [one["effect"] for one in (first, again)] == ["charge_card", "charge_card"]
    assert first["pid"] == end["pid"] == evidence["fault"]["caller_pid"]
    assert evidence["fault"]["caller_group"] == evidence["fault"]["agent_pid"]
    assert evidence["start_returncode"] == 0
    assert "kill" not in evidence


def test_the_error_is_quoted(lab: Lab, tmp_path: Path) -> None:
    """Who reads the table sees whether the error was a clear one."""
    detail = run(lab, "raises", tmp_path).detail
    assert detail == (
        "charge_card happened once, and the run ended with: "
        "ConnectionError: no answer from the payment service"
    )


def test_the_sentence_counts_the_calls(lab: Lab, tmp_path: Path) -> None:
    """A key that hides a second call is no secret."""
    assert (
        "charge_card was called 2 times under its key" in run(lab, "keyed+retries", tmp_path).detail
    )
    assert "called 1 times and" in run(lab, "tells-model", tmp_path).detail


def test_a_run_that_waits_for_ever_is_a_fail(impatient_lab: Lab, tmp_path: Path) -> None:
    """It is still running at the limit, and nobody says a word."""
    result = run(impatient_lab, "hangs", tmp_path)
    assert words([result]) == ["FAIL hung"]
    assert result.detail.endswith(f"still running after {HANGS_AFTER:g} s")


ERRORS = {
    "never-calls": "its tool never called the provider",
    "starts-unpaired": "the history without a fault is broken: the call call_0 has 0 answers",
    "unreadable": "stored cannot be read: inspect ended with 1",
    "next-start-gives-up": "exited (status 1) before its tool called the provider",
    "next-start-calls-from-outside": "not land where it was meant to: the call came from pid",
}


@pytest.mark.parametrize("flags", ERRORS)
def test_what_cannot_be_judged(lab: Lab, tmp_path: Path, flags: str) -> None:
    """A call that never came, or came from elsewhere, or nothing to compare with."""
    result = run(lab, flags, tmp_path)
    assert ERRORS[flags] in the_error([result])
