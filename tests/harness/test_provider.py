"""The provider: what it counts as one effect, what it holds, and how it is spoken to."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import plugpull
import pytest
from plugpull.effects import record_effect
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT, Provider
from plugpull.wire import Connection, Server, call


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider that record_effect reaches."""
    provider = Provider(tmp_path / "provider")
    monkeypatch.setenv("PLUGPULL_PROVIDER", str(provider.path))
    yield provider
    provider.close()


def exchange(provider: Provider, *lines: bytes) -> list[bytes]:
    """Send lines over one connection, one after the other; the answers."""
    answers = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(provider.path))
        with client.makefile("rb") as reader:
            for line in lines:
                try:
                    client.sendall(line)
                    answers.append(reader.readline())
                except OSError:
                    answers.append(b"")
    return answers


# -- counting --------------------------------------------------------------------------------------


def test_the_same_name_and_key_is_one_effect(provider: Provider) -> None:
    """P10, P11: an effect is what the provider sees, however often the tool ran."""
    record_effect("charge", key="k")
    record_effect("charge", key="k")
    assert provider.effects == {"charge": 1}
    assert len(provider.calls) == 2


def test_the_same_key_under_two_names_is_two_effects(provider: Provider) -> None:
    """P12: a key belongs to its name."""
    record_effect("charge", key="k")
    record_effect("email", key="k")
    assert provider.effects == {"charge": 1, "email": 1}


def test_another_key_is_another_effect(provider: Provider) -> None:
    """P11: two keys under one name are two effects."""
    record_effect("charge", key="k")
    record_effect("charge", key="l")
    assert provider.effects == {"charge": 2}


def test_a_call_without_a_key_is_always_a_new_effect(provider: Provider) -> None:
    """P13: also beside calls with one."""
    record_effect("charge")
    record_effect("charge")
    record_effect("charge", key="k")
    assert provider.effects == {"charge": 3}


def test_an_empty_key_is_a_key(provider: Provider) -> None:
    """What was sent is what counts: an empty text is no absent key."""
    record_effect("charge", key="")
    record_effect("charge", key="")
    assert provider.effects == {"charge": 1}


def test_parallel_calls_are_all_counted(provider: Provider) -> None:
    """No call is lost or counted twice when many come at once."""
    threads = [
        threading.Thread(target=record_effect, args=["charge"], kwargs={"key": key})
        for key in (None, "k", None, "k", "l") * 8
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert provider.effects == {"charge": 16 + 2}
    assert len(provider.calls) == len(threads)


def test_calls_are_kept_in_order_with_what_the_kernel_says(provider: Provider) -> None:
    """P50: a call's evidence is its name, key, the caller's pid, the phase, and if it counts."""
    record_effect("charge", key="k")
    provider.phase = "resume"
    record_effect("email")
    assert [one.to_json() for one in provider.calls] == [
        {
            "effect": "charge",
            "key": "k",
            "pid": os.getpid(),
            "phase": "unfaulted",
            "recorded": True,
        },
        {"effect": "email", "key": None, "pid": os.getpid(), "phase": "resume", "recorded": True},
    ]


# -- holding ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("point", "count"), [(BEFORE_EFFECT, 0), (AFTER_EFFECT, 1)])
def test_a_held_call_is_recorded_after_and_not_before(
    provider: Provider, point: str, count: int
) -> None:
    """P15, P16: while it is held, the effect is there at after-effect only; it gets no answer."""
    provider.hold_next(point)
    failed: list[Exception] = []

    def tool() -> None:
        try:
            record_effect("charge")
        except ConnectionError as error:
            failed.append(error)

    thread = threading.Thread(target=tool)
    thread.start()
    held = provider.wait_held(60, lambda: True)
    assert held is not None
    assert (held.effect, held.key, held.pid) == ("charge", None, os.getpid())
    assert held.connection.is_open()
    assert provider.effects == {"charge": count}
    record_effect("email")
    assert provider.effects == {"charge": count, "email": 1}
    assert thread.is_alive()
    provider.drop_held()
    thread.join()
    assert provider.effects == {"charge": count, "email": 1}
    assert len(failed) == 1
    record_effect("charge")
    assert provider.effects == {"charge": count + 1, "email": 1}


@pytest.mark.parametrize("point", [BEFORE_EFFECT, AFTER_EFFECT])
def test_a_held_call_that_is_answered_late_was_recorded_once(
    provider: Provider, point: str
) -> None:
    """A service that was slow has done what it was asked to, whichever side of it was held."""
    provider.hold_next(point)
    thread = threading.Thread(target=lambda: record_effect("charge"))
    thread.start()
    assert provider.wait_held(60, lambda: True) is not None
    provider.answer_held()
    thread.join()
    assert provider.effects == {"charge": 1}
    assert [call.recorded for call in provider.calls] == [True]


def test_waiting_for_a_call_ends_with_the_agent(provider: Provider) -> None:
    """An agent that ended makes no call any more, so nobody waits for the limit."""
    provider.hold_next(BEFORE_EFFECT)
    assert provider.wait_held(600, lambda: False) is None
    assert provider.wait_held(0, lambda: True) is None


def test_closing_the_provider_frees_a_held_caller(provider: Provider) -> None:
    """A call that is open when the provider goes fails in its caller, it does not hang."""
    provider.hold_next(AFTER_EFFECT)
    failed = threading.Event()

    def tool() -> None:
        with pytest.raises(ConnectionError):
            record_effect("charge")
        failed.set()

    thread = threading.Thread(target=tool)
    thread.start()
    assert provider.wait_held(60, lambda: True)
    provider.close()
    thread.join()
    assert failed.is_set()
    assert not provider.path.exists()


# -- the protocol ----------------------------------------------------------------------------------


def test_one_connection_may_carry_several_requests(provider: Provider) -> None:
    """One answer a line, in order."""
    answers = exchange(provider, b'{"effect": "a"}\n', b'{"effect": "b", "key": "k", "more": 1}\n')
    assert [json.loads(answer) for answer in answers] == [{"ok": True}] * 2
    assert provider.effects == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"charge\n", "expected one line of JSON"),
        (b"\n", "expected one line of JSON"),
        (b"[]\n", "expected one line of JSON"),
        (b'"charge"\n', "expected one line of JSON"),
        (b"\xff\xfe\n", "expected one line of JSON"),
        (b"[" * 100_000 + b"\n", "expected one line of JSON"),
        (b"{}\n", '"effect" must be a text'),
        (b'{"effect": ""}\n', '"effect" must be a text'),
        (b'{"effect": 7}\n', '"effect" must be a text'),
        (b'{"effect": null}\n', '"effect" must be a text'),
        (b'{"effect": "a", "key": 7}\n', '"key" must be a text'),
        (b'{"effect": "a", "key": false}\n', '"key" must be a text'),
        (b'{"effect": "a", "key": ["k"]}\n', '"key" must be a text'),
    ],
)
def test_a_malformed_request_is_answered_with_what_was_expected(
    provider: Provider, line: bytes, words: str
) -> None:
    """It is no effect, the caller is told why, and the connection ends."""
    first, second = exchange(provider, line, b'{"effect": "a"}\n')
    assert words in json.loads(first)["error"]
    assert second == b""
    assert provider.effects == {}
    assert provider.refused == (json.loads(first)["error"],)
    record_effect("still there")


def test_a_caller_that_says_nothing_is_no_call(provider: Provider) -> None:
    """A connection that closes at once is neither an effect nor an error."""
    assert exchange(provider) == []
    record_effect("charge")
    assert provider.effects == {"charge": 1}
    assert provider.refused == ()


def test_a_server_without_descriptors_goes_on_afterwards(tmp_path: Path) -> None:
    """A caller that comes while no connection can be accepted is served later, not never."""
    program = """
import os, resource, socket, sys
from pathlib import Path
from plugpull.provider import Provider
provider = Provider(Path(sys.argv[1]))
# A waiting accept has its descriptor already, so the first client may be served.
first = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (32, hard))
taken = []
try:
    while True:
        taken.append(os.dup(0))
except OSError:
    pass
first.connect(sys.argv[1])
client.connect(sys.argv[1])
client.sendall(b'{"effect": "charge"}\\n')
client.settimeout(0.2)
try:
    client.recv(100)
except TimeoutError:
    pass
else:
    sys.exit("it was served without a descriptor")
for descriptor in taken:
    os.close(descriptor)
client.settimeout(60)
assert client.recv(100) == b'{"ok": true}\\n'
client.close()
provider.close()
"""
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "p")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_a_socket_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    """A path that is too long, or not there, is the system's error and leaves nothing open."""
    for path in (tmp_path / ("x" * 200), tmp_path / "missing" / "socket"):
        with pytest.raises(OSError, match=r"path too long|No such file"):
            Server(path, lambda _: None)


# -- record_effect ---------------------------------------------------------------------------------


def test_the_key_is_given_by_name_only(provider: Provider) -> None:
    """P09: ``record_effect("a", "k")`` is a mistake, not a key."""
    with pytest.raises(TypeError):
        record_effect("a", "k")  # type: ignore[misc]
    assert provider.calls == ()


@pytest.mark.parametrize("key", [0, 7, False, True, b"k", ["k"], 0.0, b"", []])
def test_a_key_that_is_no_text_is_a_mistake(provider: Provider, key: object) -> None:
    """A number would never match again; the provider never hears of it."""
    with pytest.raises(TypeError, match="takes text"):
        record_effect("a", key=key)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="takes text"):
        record_effect(key)  # type: ignore[arg-type]
    assert provider.refused == provider.calls == ()


def test_an_empty_name_is_refused(provider: Provider) -> None:
    """The provider says no, and the caller hears it."""
    with pytest.raises(ValueError, match="must be a text that is not empty"):
        record_effect("")
    assert provider.effects == {}


def test_outside_plugpull_the_call_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    """P14: a tool left with its reporting on does not go on silently."""
    monkeypatch.delenv("PLUGPULL_PROVIDER", raising=False)
    with pytest.raises(KeyError):
        record_effect("x")


def test_the_package_offers_few_names_to_agents() -> None:
    """P80, P87: ``from plugpull import record_effect`` is all that an agent needs.

    A target has fault points of its own as well. Whatever else the package offers comes from the
    checker that runs inside a test's own process.
    """
    from plugpull import conformance

    offered = set(plugpull.__all__) - set(conformance.__all__)
    assert offered == {"__version__", "record_effect", "fault", "store_write"}


def test_a_call_that_is_closed_without_an_answer_raises(tmp_path: Path) -> None:
    """Half an answer is none."""

    def half_an_answer(connection: Connection) -> None:
        connection.read_line()
        connection._socket.sendall(b'{"ok"')  # noqa: SLF001

    server = Server(tmp_path / "s", half_an_answer)
    with pytest.raises(ConnectionError, match="closed without an answer"):
        call(str(server.path), {})
    server.close()


# -- python -m plugpull.effects --------------------------------------------------------------------


def effects_module(*arguments: str, provider: str | None) -> subprocess.CompletedProcess[str]:
    """Run the module as a shell script does."""
    environment = {**os.environ, **({"PLUGPULL_PROVIDER": provider} if provider else {})}
    return subprocess.run(
        [sys.executable, "-m", "plugpull.effects", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )


def test_a_shell_script_can_report_an_effect(provider: Provider) -> None:
    """P08: name and key reach the provider, and the exit status says that it answered."""
    ended = effects_module("charge", "--key", "k", provider=str(provider.path))
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")
    assert provider.effects == {"charge": 1}
    assert provider.calls[0].key == "k"


@pytest.mark.parametrize(
    ("arguments", "path", "words"),
    [
        (["charge"], None, "PLUGPULL_PROVIDER is not set"),
        (["charge"], "/nowhere", "the provider did not take the effect: "),
        ([""], "", "must be a text that is not empty"),
    ],
)
def test_a_shell_script_hears_what_went_wrong(
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    path: str | None,
    words: str,
) -> None:
    """One line, exit status 1, no traceback."""
    monkeypatch.delenv("PLUGPULL_PROVIDER")
    ended = effects_module(*arguments, provider=str(provider.path) if path == "" else path)
    assert ended.returncode == 1
    assert words in ended.stderr
    assert ended.stderr.count("\n") == 1
