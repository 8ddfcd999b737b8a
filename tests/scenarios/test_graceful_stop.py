"""graceful-stop: what each way of taking SIGTERM comes to, what is sent when, causes of ERROR."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import pytest
from broken_worlds import TOYS
from cut_off import REFUSALS, hurry, order, results, the_error, words
from plugpull.lab import Lab
from plugpull.processes.signals import disposition
from plugpull.scenarios import graceful_stop
from plugpull.scenarios.graceful_stop import GracefulStop
from plugpull.subject import Subject
from plugpull.verdicts import Result

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells about signals")

#: Before the effect and after it.
COMES_TO = {
    "keyed": ("PASS held", "PASS held"),
    "keyless": ("PASS held", "FAIL duplicated"),
    "keyed+exits": ("PASS held", "PASS held"),
    "keyless+exits": ("PASS held", "FAIL duplicated"),
    "keyless+handles": ("PASS held", "PASS held"),
    "keyless+handles+resume-complains": ("PASS held", "PASS held"),
    "keyless+handles+resume-charges": ("FAIL duplicated", "FAIL duplicated"),
    "notes-and-goes": ("FAIL lost", "PASS held"),
    "resume-does-nothing": ("FAIL lost", "FAIL lost"),
    "resume-crashes": ("FAIL crashed", "FAIL crashed"),
    "keyed+resume-unpairs": ("FAIL unpaired", "FAIL unpaired"),
}


def run(lab: Lab, flags: str, folder: Path, **fields: object) -> list[Result]:
    """Both results of a toy with these flags."""
    return results(lab, GracefulStop(), order(flags, folder, **fields))


@pytest.mark.parametrize("flags", COMES_TO)
def test_what_each_way_of_stopping_comes_to(lab: Lab, tmp_path: Path, flags: str) -> None:
    """Judged like kill-mid-tool: a shutdown that is honoured may be better, never worse."""
    found = run(lab, flags, tmp_path)
    assert [one.kill_point for one in found] == ["before-effect", "after-effect"]
    assert words(found) == list(COMES_TO[flags]), [one.detail for one in found]


@linux
def test_who_does_nothing_about_it_is_gone_before_the_answer(lab: Lab, tmp_path: Path) -> None:
    """As after a kill: a call whose caller has gone comes to nothing more."""
    before, after = run(lab, "keyed", tmp_path)
    for result, recorded in ((before, False), (after, True)):
        stop = result.evidence["stop"]
        assert stop["disposition"] == "default"
        assert (stop["answered"], stop["killed"]) == (False, False)
        assert stop["status"] == -signal.SIGTERM
        assert result.evidence["calls"][0]["recorded"] is recorded


def test_who_takes_its_time_gets_its_answer(lab: Lab, tmp_path: Path) -> None:
    """Recorded first where it was held before its effect; then the run comes to its end."""
    for result in run(lab, "keyless+handles", tmp_path):
        stop = result.evidence["stop"]
        assert stop["disposition"] in {"handled", "unknown"}
        assert (stop["answered"], stop["killed"], stop["status"]) == (True, False, 0)
        assert result.evidence["effects"] == {"charge_card": 1, "finish_order": 1}
        started = [one for one in result.evidence["calls"] if one["phase"] == "start"]
        assert [one["recorded"] for one in started] == [True, True]
        assert result.detail.startswith("the agent came to its end, and")


def test_a_handler_is_heard_before_the_answer_comes(lab: Lab, tmp_path: Path) -> None:
    """However busy the machine is: one that leaves at once never sees its answer."""
    for result in run(lab, "keyed+exits", tmp_path):
        assert result.evidence["stop"]["answered"] is False
        assert result.evidence["stop"]["status"] == 0


def test_who_does_not_stop_is_killed_and_not_failed(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The grace time decides nothing but when SIGKILL comes."""
    monkeypatch.setattr(graceful_stop, "GRACE", 0.2)
    monkeypatch.setattr(graceful_stop, "GRACE_RUNS", 0)
    for result in run(lab, "keyed+stubborn", tmp_path):
        assert words([result]) == ["PASS held"]
        stop = result.evidence["stop"]
        assert stop["disposition"] in {"ignored", "unknown"}
        assert (stop["answered"], stop["killed"]) == (True, True)
        assert stop["status"] == -signal.SIGKILL
        assert stop["seconds"] >= stop["grace"] == 0.2


def test_a_slow_run_gets_more_time(lab: Lab, tmp_path: Path) -> None:
    """So that a busy machine kills nobody who is about to stop."""
    (first, _) = run(lab, "keyed", tmp_path)
    seconds = first.evidence["unfaulted"]["seconds"]
    expected = max(graceful_stop.GRACE, graceful_stop.GRACE_RUNS * seconds)
    assert first.evidence["stop"]["grace"] == pytest.approx(expected, abs=0.01)


def test_the_whole_group_ends_with_its_main_process(lab: Lab, tmp_path: Path) -> None:
    """A shell between us and the agent gets the signal; what it leaves is killed, not answered."""
    command = f"{sys.executable} {TOYS / 'order.py'} keyed {tmp_path} $0; exit"
    subject = Subject("wrapped", ("sh", "-c", command), inspects=True)
    before, after = results(lab, GracefulStop(), subject)
    assert words([before, after]) == ["PASS held", "PASS held"]
    for result in (before, after):
        assert result.evidence["fault"]["caller_pid"] != result.evidence["fault"]["agent_pid"]
        assert result.evidence["stop"]["answered"] is False
        assert "left_group" not in result.evidence


def test_a_refusal_is_shown_as_one(lab: Lab, tmp_path: Path) -> None:
    """Rule 4: a FAIL here, with what it said."""
    found = run(lab, "resume-crashes", tmp_path, refusals=REFUSALS)
    assert words(found) == ["FAIL refused", "FAIL refused"]
    assert found[0].detail == "resume was refused after the stop: NOISE"


def test_a_resume_that_hangs_is_a_fail(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where there was nothing left to resume."""
    hurry(monkeypatch)
    for flags in ("resume-hangs", "handles+resume-hangs"):
        found = run(lab, flags, tmp_path)
        assert words(found) == ["FAIL hung", "FAIL hung"]
        assert found[0].detail == "resume hung: still running after 60 s"


ERRORS = {
    "never-calls": "its tool never called the provider",
    "starts-unpaired": "the history without a fault is broken",
    "next-start-gives-up": "exited (status 1) before its tool called the provider",
}


@pytest.mark.parametrize("flags", ERRORS)
def test_what_cannot_be_judged(lab: Lab, tmp_path: Path, flags: str) -> None:
    """Nothing to compare with, or no call to be stopped in."""
    assert ERRORS[flags] in the_error(run(lab, flags, tmp_path))


def test_a_call_from_outside_is_an_error(lab: Lab, tmp_path: Path) -> None:
    """The signal would not have reached the process that calls."""
    for result in run(lab, "next-start-calls-from-outside", tmp_path):
        assert words([result]) == ["ERROR"]
        assert "not land where it was meant to: the call came from pid" in result.detail
        assert "stop" not in result.evidence


@linux
def test_what_the_kernel_tells_about_a_signal() -> None:
    """Default, handled, ignored; and nothing about a process that has gone."""
    assert disposition(1 << 30, signal.SIGTERM) == "unknown"
    import os

    before = signal.getsignal(signal.SIGUSR2)
    try:
        for action, word in (
            (signal.SIG_DFL, "default"),
            (signal.SIG_IGN, "ignored"),
            (lambda *_: None, "handled"),
        ):
            signal.signal(signal.SIGUSR2, action)
            assert disposition(os.getpid(), signal.SIGUSR2) == word
    finally:
        signal.signal(signal.SIGUSR2, before)
