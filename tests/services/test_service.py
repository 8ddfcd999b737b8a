"""A server that the harness runs: from its start to its end, and what may go wrong with it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import pytest
from plugpull.services.listeners import Listener, listeners
from plugpull.services.ports import free_ports, is_taken
from plugpull.services.running import Service, ServiceFailure
from serving import REMEDY, Notes, alive, ask, eventually, started

MakeService = Callable[..., Service]

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells who listens")


def test_it_answers_as_soon_as_it_is_started(service: MakeService, notes: Notes) -> None:
    """Entering returns when the server was asked and answered; what it needs to know is there."""
    with started(service("good")) as running:
        assert ask(running, "order-42 paid") == "paid"
        assert running.pid == notes.pid()
        assert notes.left() == [running.pid]
        assert running.ended() is None
        assert running.facts["starts"] == 1


def test_it_is_in_a_group_of_its_own(service: MakeService) -> None:
    """A kill of an agent's group, and Ctrl-C at a terminal, do not reach it."""
    with started(service("good")) as running:
        assert running.pid is not None
        assert os.getpgid(running.pid) == running.pid
        assert os.getsid(running.pid) == running.pid


def test_it_is_gone_afterwards(service: MakeService, notes: Notes) -> None:
    """No process, no port and no folder stays, and nothing is said about it."""
    with started(service("good")) as running:
        port = int(running.variables["PLUGPULL_PORT_WORDS"])
        assert notes.home.is_dir()
    assert not alive(notes.pid())
    assert not is_taken(port)
    assert not notes.home.exists()
    assert "left" not in running.facts


def test_what_it_prints_goes_to_its_folder(
    service: MakeService, notes: Notes, capfd: pytest.CaptureFixture[str]
) -> None:
    """Standard output is a program's to read; a server has no place there."""
    with service("good"):
        assert notes.home.joinpath("serve.out").read_text() == "words on standard output\n"
    assert capfd.readouterr() == ("", "")


def test_its_last_words_are_shown_if_it_dies(service: MakeService, notes: Notes) -> None:
    """The error has the status, what the server said, and what to do."""
    running = service("dies")
    with pytest.raises(ServiceFailure) as failure:
        running.start()
    assert failure.value.what == "the server of toy ended with 3 before it was ready"
    assert failure.value.why == "no room for the words"
    assert failure.value.then == REMEDY
    assert not alive(notes.pid())


def test_it_has_a_limit_to_become_ready(service: MakeService, notes: Notes) -> None:
    """Whoever does not answer is ended, and the limit is named."""
    with pytest.raises(ServiceFailure, match=r"was not ready within 0\.5 s"):
        service("never", ready_within=0.5).start()
    assert not notes.left()


def test_a_question_that_cannot_be_asked_is_an_error(service: MakeService, notes: Notes) -> None:
    """The program that asks has failed, and says why; the server is ended all the same."""
    with pytest.raises(ServiceFailure, match="ready ended with 1") as failure:
        service("unaskable").start()
    assert "this is no question" in failure.value.why
    assert not notes.left()


def test_a_port_that_was_taken_meanwhile_is_given_up(service: MakeService, notes: Notes) -> None:
    """Somebody takes it between the look and the start: another one is tried."""
    with started(service("clash")) as running:
        assert running.facts["starts"] == 2
        assert ask(running, "order-42 paid") == "paid"
        assert alive(notes.pid("holder1"))


def test_who_always_loses_its_port_is_given_up(service: MakeService, notes: Notes) -> None:
    """After three starts; and whoever has the ports is no server of ours that stayed."""
    running = service("clash-always")
    with pytest.raises(ServiceFailure) as failure:
        running.start()
    assert "somebody else has the port" in failure.value.why
    assert alive(notes.pid("holder3"))
    assert not notes.folder.joinpath("holder4.pid").exists()
    assert "left" not in running.facts


@on_linux
@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("everywhere", r"listens beyond the loopback interface: 0\.0\.0\.0:\d+"),
        ("silent", r"does not listen on its port words \(\d+\): nobody does"),
        ("elsewhere", r"does not listen on its port words \(\d+\): nobody does"),
    ],
    ids=["everywhere", "silent", "elsewhere"],
)
def test_the_kernel_is_asked_who_listens(
    service: MakeService, notes: Notes, kind: str, said: str
) -> None:
    """A server that others can reach, or that does not have its port, is not used."""
    with pytest.raises(ServiceFailure, match=said):
        service(kind).start()
    assert not notes.left()


@on_linux
def test_where_it_listens_is_recorded(service: MakeService) -> None:
    """The cell's file says it, as the kernel does."""
    with started(service("good")) as running:
        port = running.variables["PLUGPULL_PORT_WORDS"]
        assert running.facts["listens"] == [f"127.0.0.1:{port}"]


@on_linux
def test_who_cannot_be_stopped_is_named(
    service: MakeService, notes: Notes, capfd: pytest.CaptureFixture[str]
) -> None:
    """A process that got away with the port and left no trace is found by the port."""
    with started(service("good")) as running:
        port = running.variables["PLUGPULL_PORT_WORDS"]
        ask(running, "leave")
    left = f"pid {notes.pid('leaver')} listens on 127.0.0.1:{port}"
    assert running.facts.get("left") == [left]
    assert f"the server of toy could not be stopped: {left}" in capfd.readouterr().err


def test_its_end_is_noticed(service: MakeService) -> None:
    """With its status and its last words."""
    with started(service("good")) as running:
        ask(running, "stop")
        assert eventually(lambda: running.ended() is not None)
        said = running.ended()
    assert said == "the server of toy ended with 4: the words have run out"


def test_free_ports_are_free_and_different() -> None:
    """As many as were asked for, below those for outgoing connections."""
    found = free_ports(20)
    assert len(set(found)) == 20
    assert all(20000 <= port < 32000 and not is_taken(port) for port in found)


@pytest.mark.parametrize(
    ("address", "ours"),
    [
        ("127.0.0.1", True),
        ("127.3.2.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("::ffff:192.168.1.2", False),
    ],
)
def test_what_counts_as_loopback(address: str, *, ours: bool) -> None:
    """Addresses that no other machine can reach."""
    assert Listener(address, 80, None).on_loopback is ours


@on_linux
def test_the_kernel_names_the_owner() -> None:
    """A socket of this process is listed with its address, port and pid, in both families."""
    import socket

    for family, address in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")):
        with socket.socket(family) as ours:
            try:
                ours.bind((address, 0))
            except OSError:
                continue  # A machine without IPv6.
            ours.listen()
            assert Listener(address, ours.getsockname()[1], os.getpid()) in (listeners() or ())


def test_two_servers_have_nothing_in_common(service: MakeService, notes: Notes) -> None:
    """Each has its own folder and its own ports."""
    with service("good") as one:
        first = notes.home
        with service("good") as other:
            assert notes.home != first
            assert one.variables != other.variables
            ask(one, "order-42 paid")
            assert ask(other, "order-42 unknown") == "unknown"
