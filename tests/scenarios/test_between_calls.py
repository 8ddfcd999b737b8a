"""Holding what follows a held call, knowing who has an answer, waiting until a run stands still."""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from plugpull.processes.threads import has_work
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT, Provider
from plugpull.scenarios import killing


@pytest.fixture
def provider(tmp_path: Path) -> Iterator[Provider]:
    """A provider of its own."""
    provider = Provider(tmp_path / "p")
    yield provider
    provider.close()


def send(provider: Provider, name: str) -> socket.socket:
    """A call whose answer nobody has read yet."""
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.connect(str(provider.path))
    client.sendall(json.dumps({"effect": name}).encode() + b"\n")
    return client


def answered(client: socket.socket) -> bool:
    """Whether there is an answer; a held call gets none, and is closed in the end."""
    client.settimeout(5)
    try:
        return client.recv(100) != b""
    except TimeoutError:
        return False


def wait_for(what: Any) -> None:
    """Wait for something that has to come."""
    end = time.monotonic() + 10
    while not what():
        assert time.monotonic() < end
        time.sleep(0.001)


@pytest.mark.parametrize("point", [BEFORE_EFFECT, AFTER_EFFECT])
def test_what_follows_the_held_call_is_held_too(provider: Provider, point: str) -> None:
    """It is not recorded and gets no answer; what came before has both."""
    provider.hold_next(point, 2, stop_there=True)
    with send(provider, "first") as first:
        assert answered(first)
    with send(provider, "second") as second:
        assert provider.wait_held(10, lambda: True) is not None
        with send(provider, "third") as third:
            wait_for(lambda: len(provider.calls) == 3)
            assert provider.effects == {
                "first": 1,
                "second": int(point == AFTER_EFFECT),
                "third": 0,
            }
            provider.drop_held()
            assert not answered(third)
        assert not answered(second)


def test_after_the_held_call_is_dropped_everything_is_answered(provider: Provider) -> None:
    """The resume makes its calls at the same provider."""
    provider.hold_next(BEFORE_EFFECT, 1, stop_there=True)
    with send(provider, "first"):
        assert provider.wait_held(10, lambda: True) is not None
        provider.drop_held()
    with send(provider, "again") as again:
        assert answered(again)
    assert provider.effects == {"first": 0, "again": 1}


def test_without_being_asked_only_one_call_is_held(provider: Provider) -> None:
    """A sweep answers the calls beside the one that it kills in."""
    provider.hold_next(BEFORE_EFFECT, 1)
    with send(provider, "first"):
        assert provider.wait_held(10, lambda: True) is not None
        with send(provider, "second") as second:
            assert answered(second)


def test_an_answer_is_taken_when_its_caller_hangs_up_or_goes_on(provider: Provider) -> None:
    """Sending it proves nothing: it may lie unread while the caller dies."""
    with send(provider, "first") as client:
        assert answered(client)
        assert provider.taken == ()
        client.sendall(b'{"effect": "second"}\n')
        assert answered(client)
        assert provider.taken == ("first",)
    wait_for(lambda: provider.taken == ("first", "second"))


class _Run:
    """A run whose folder stays as it is while a thread has something to do, for some glances."""

    def __init__(self, work: Path, busy_for: int) -> None:
        self.work = work
        self.glances = 0
        self.busy_for = busy_for

    def busy(self) -> bool:
        self.glances += 1
        return self.glances <= self.busy_for


def test_a_run_that_has_something_to_do_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long its folder stays the same: on a busy machine that says nothing."""
    monkeypatch.setattr(killing, "_SETTLED", 0.0)
    idle, busy, never = _Run(tmp_path, 0), _Run(tmp_path, 12), _Run(tmp_path, sys.maxsize)
    killing.settle(idle)  # type: ignore[arg-type]
    killing.settle(busy)  # type: ignore[arg-type]
    assert idle.glances < busy.busy_for < busy.glances
    monkeypatch.setattr(killing, "_SETTLES_WITHIN", 0.05)
    killing.settle(never)  # type: ignore[arg-type]


def test_a_run_whose_folder_changes_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the kernel says nothing about threads, the folder is all there is."""
    monkeypatch.setattr(killing, "_SETTLED", 0.0)
    run = _Run(tmp_path, 0)
    seen: list[int] = []

    def write() -> bool:
        seen.append(len(seen))
        if len(seen) < 20:
            (tmp_path / "file").write_text(str(len(seen)))
        return False

    run.busy = write  # type: ignore[method-assign]
    killing.settle(run)  # type: ignore[arg-type]
    assert len(seen) >= 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what threads do")
def test_what_the_kernel_tells_about_threads() -> None:
    """One that runs has something to do, one that waits has not, and one that died even less."""
    waits, spins = "print('up', flush=True); input()", "while True: pass"
    with Popen([sys.executable, "-c", waits], stdin=PIPE, stdout=PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        waiting.stdout.readline()
        wait_for(lambda: not has_work(waiting.pid))
        waiting.kill()
    assert not has_work(waiting.pid)
    with Popen([sys.executable, "-c", spins]) as spinning:
        wait_for(lambda: has_work(spinning.pid))
        spinning.kill()
