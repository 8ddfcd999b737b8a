"""Fault points inside a process: what a target is told there, and what the harness knows of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from plugpull import fault, store_write
from plugpull.fault_desk import DROP, HOLD, Reached
from plugpull.faults import CANCEL, CLOSE, FAIL, FAULTS_VARIABLE, GO_ON
from plugpull.provider import Provider


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider, for a target that is asked about its model and its saves."""
    provider = Provider(tmp_path / "provider")
    monkeypatch.setenv("PLUGPULL_PROVIDER", str(provider.path))
    monkeypatch.setenv(FAULTS_VARIABLE, "model,write:save")
    yield provider
    provider.close()


@pytest.mark.parametrize("word", [GO_ON, CANCEL, CLOSE])
def test_a_target_gets_the_word_of_the_rule(provider: Provider, word: str) -> None:
    """The rule sees the point, and its word comes out of the call."""
    provider.faults.follow(lambda reached: word if reached.point == "model:first" else FAIL)
    assert fault("model:first") == word


@pytest.mark.parametrize("word", [FAIL, DROP])
def test_a_failing_point_raises(provider: Provider, word: str) -> None:
    """A service that says no, and one that hangs up, are the same to a target."""
    provider.faults.follow(lambda _: word)
    with pytest.raises(ConnectionError):
        fault("model:first")


def test_without_a_rule_everything_goes_on(provider: Provider) -> None:
    """The unfaulted run has no rule, and its points are known all the same."""
    assert fault("model:first") == GO_ON
    assert [one.point for one in provider.faults.reached] == ["model:first"]


def test_a_point_that_nobody_asks_about_is_no_call(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither one with another name, nor any outside of plugpull."""
    assert fault("stream:first") == GO_ON
    assert provider.faults.reached == ()
    monkeypatch.delenv(FAULTS_VARIABLE)
    monkeypatch.delenv("PLUGPULL_PROVIDER")
    assert fault("model:first") == GO_ON


def test_a_point_is_known_by_process_phase_and_number(provider: Provider) -> None:
    """The process is the kernel's word, the number counts each name by itself."""
    provider.phase = "start"
    for point in ("model:first", "model:after-tool", "model:first"):
        fault(point)
    assert provider.faults.reached == (
        Reached("model:first", 1, os.getpid(), "start"),
        Reached("model:after-tool", 1, os.getpid(), "start"),
        Reached("model:first", 2, os.getpid(), "start"),
    )


def test_a_held_point_waits_for_the_scenario(provider: Provider) -> None:
    """It stays open until it is let go, and the evidence says both."""
    provider.faults.follow(lambda _: HOLD)
    told: list[str] = []
    target = threading.Thread(target=lambda: told.append(fault("model:first")))
    target.start()
    held = provider.faults.wait_held("model:", 30, target.is_alive)
    assert held is not None
    assert held.connection.is_open()
    assert held.pid == os.getpid()
    held.answer(CANCEL)
    target.join(30)
    assert told == [CANCEL]
    assert provider.faults.evidence()[0]["told"] == "hold, cancel"


def test_waiting_for_a_point_ends_with_the_agent(provider: Provider) -> None:
    """Nobody waits for a process that is gone, or longer than the limit."""
    assert provider.faults.wait_held("model", 30, lambda: False) is None
    assert provider.faults.wait_held("model", 0.01, lambda: True) is None


def test_a_lost_write_is_not_made(provider: Provider) -> None:
    """The failure comes before the write."""
    provider.faults.follow(lambda one: FAIL if one.point.endswith(":begin") else GO_ON)
    made: list[str] = []
    with pytest.raises(ConnectionError), store_write("save:1"):
        made.append("save:1")
    assert made == []


def test_a_write_whose_acknowledgement_is_lost_was_made(provider: Provider) -> None:
    """The failure comes after the write."""
    provider.faults.follow(lambda one: FAIL if one.point.endswith(":end") else GO_ON)
    made: list[str] = []
    with pytest.raises(ConnectionError), store_write("save:1"):
        made.append("save:1")
    assert made == ["save:1"]


def test_a_write_that_fails_by_itself_has_no_end(provider: Provider) -> None:
    """Its own error reaches the framework, and nobody is told that it was made."""
    with pytest.raises(OSError, match="disk full"), store_write("save:1"):
        raise OSError("disk full")
    assert [one.point for one in provider.faults.reached] == ["write:save:1:begin"]


def test_a_fault_point_is_no_effect(provider: Provider) -> None:
    """Effects are counted without them."""
    fault("model:first")
    assert provider.effects == {}
    assert provider.calls == ()


@pytest.mark.parametrize("line", [b'{"fault": ""}\n', b'{"fault": 7}\n'])
def test_a_fault_point_without_a_name_is_refused(provider: Provider, line: bytes) -> None:
    """As a line that is not of the protocol."""
    import socket

    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(provider.path))
        client.sendall(line)
        assert b'"fault\\" must be a text' in client.makefile("rb").readline()
