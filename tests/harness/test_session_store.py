"""The Session store: keeps exactly what it is given, and fails one write in one of two ways."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from plugpull.session_store import StoreClient
from plugpull.store import ACK_LOST, WRITE_LOST, Fault, SessionStore, canonical

A = {"role": "user", "content": "a"}
B = {"role": "user", "content": "b"}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., tuple[SessionStore, StoreClient]]]:
    """Makes a store and a client of it."""
    stores: list[SessionStore] = []

    def make(fault: Fault | None = None) -> tuple[SessionStore, StoreClient]:
        store = SessionStore(tmp_path / "store", fault)
        stores.append(store)
        return store, StoreClient("s", str(store.path))

    yield make
    for store in stores:
        store.close()


def fails(call: Callable[..., object], *arguments: object) -> bool:
    """Whether a call is closed without an answer."""
    try:
        call(*arguments)
    except ConnectionError:
        return True
    return False


def test_the_store_removes_no_duplicates(opened) -> None:
    """P55: the same item twice is stored twice, in one write or in two."""
    store, client = opened()
    client.add_items([A, A])
    client.add_items([A])
    assert client.get_items() == [A, A, A]
    assert store.stored() == {canonical(A): 3}


def test_an_item_is_its_content(opened) -> None:
    """P51: the order of keys makes no difference, a character outside ASCII does."""
    store, client = opened()
    client.add_items([{"x": "é", "y": 1}, {"y": 1, "x": "é"}, {"x": "e", "y": 1}])
    assert sorted(store.stored().values()) == [1, 2]


def test_reading_and_removing_work_as_a_session_does(opened) -> None:
    """The newest items, oldest first; a limit; the last one removed; all of them removed."""
    store, client = opened()
    assert client.get_items() == []
    assert client.pop_item() is None
    client.add_items([A, B])
    assert client.get_items(1) == [B]
    assert client.get_items(0) == []
    assert client.get_items(9) == [A, B]
    assert client.pop_item() == B
    assert StoreClient("other", str(store.path)).get_items() == []
    client.clear()
    assert client.get_items() == []
    assert store.stored() == {canonical(A): 0, canonical(B): 0}
    assert [(write.number, write.call) for write in store.writes] == [
        (1, "pop_item"),
        (2, "add_items"),
        (3, "pop_item"),
        (4, "clear"),
    ]


@pytest.mark.parametrize(("point", "kept"), [(WRITE_LOST, [A]), (ACK_LOST, [A, B])])
def test_the_chosen_write_fails_and_is_kept_or_not(opened, point: str, kept: list[object]) -> None:
    """P56: the call raises at both points; the items are there at ack-lost only."""
    store, client = opened(Fault(2, point))
    assert [fails(client.add_items, [item]) for item in (A, B)] == [False, True]
    assert client.get_items() == kept
    assert [write.outcome for write in store.writes] == ["stored", point]
    assert store.stored() == {canonical(A): 1, canonical(B): len(kept) - 1}
    client.add_items([B])
    assert store.writes[-1].number == 3


@pytest.mark.parametrize(("point", "left"), [(WRITE_LOST, 1), (ACK_LOST, 0)])
@pytest.mark.parametrize("call", ["pop_item", "clear"])
def test_a_removal_can_fail_too(opened, point: str, left: int, call: str) -> None:
    """Removed at ack-lost, still there at write-lost."""
    _, client = opened(Fault(2, point))
    client.add_items([A])
    with pytest.raises(ConnectionError):
        getattr(client, call)()
    assert len(client.get_items()) == left


def test_a_resume_finds_a_store_that_answers(opened) -> None:
    """P61: the fault is over, and numbers start again at 1."""
    store, client = opened(Fault(1, ACK_LOST))
    assert fails(client.add_items, [A])
    store.next_phase("resume")
    assert not fails(client.add_items, [B])
    assert [(one.phase, one.number, one.outcome) for one in store.writes] == [
        ("start", 1, ACK_LOST),
        ("resume", 1, "stored"),
    ]


def test_reading_is_no_write(opened) -> None:
    """A framework may look as often as it likes without moving the fault."""
    store, client = opened(Fault(1, WRITE_LOST))
    client.get_items()
    client.get_items()
    assert store.writes == ()
    with pytest.raises(ConnectionError):
        client.add_items([A])


@pytest.mark.parametrize(
    ("request_line", "words"),
    [
        (b"hello", 'with "call" and "session"'),
        (b"[" * 100_000, 'with "call" and "session"'),
        (b'{"call": "get_items"}', 'with "call" and "session"'),
        (b'{"call": "get_items", "session": 5}', 'with "call" and "session"'),
        (b'{"call": "drop", "session": "s"}', "unknown \"call\": 'drop'"),
        (b'{"call": ["x"], "session": "s"}', "unknown \"call\": ['x']"),
        (b'{"call": "add_items", "session": "s"}', 'needs "items"'),
        (b'{"call": "add_items", "session": "s", "items": "x"}', 'needs "items"'),
        (b'{"call": "add_items", "session": "s", "items": ["x"]}', 'needs "items"'),
        (b'{"call": "get_items", "session": "s", "limit": -1}', '"limit" must be'),
        (b'{"call": "get_items", "session": "s", "limit": "1"}', '"limit" must be'),
        (b'{"call": "get_items", "session": "s", "limit": true}', '"limit" must be'),
    ],
)
def test_a_malformed_call_is_answered_with_what_was_expected(
    opened, request_line: bytes, words: str
) -> None:
    """It writes nothing, the caller is told why, and the store goes on."""
    store, client = opened()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
        caller.connect(str(store.path))
        caller.sendall(request_line + b"\n")
        with caller.makefile("rb") as reader:
            assert words in json.loads(reader.readline())["error"]
            assert reader.readline() == b""
    assert store.writes == ()
    assert len(store.refused) == 1
    client.add_items([A])
    with pytest.raises(ValueError, match="JSON objects"):
        client.add_items(["x"])


def test_outside_plugpull_there_is_no_store(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with record_effect, a program that is run by itself hears of it."""
    monkeypatch.delenv("PLUGPULL_STORE", raising=False)
    with pytest.raises(KeyError):
        StoreClient("s")
