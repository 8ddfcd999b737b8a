"""Gates for calls: what waits is not recorded, what is let through is, what is dropped is not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from plugpull import record_effect
from plugpull.provider import Provider


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """A provider that this very process calls."""
    provider = Provider(tmp_path / "socket")
    monkeypatch.setenv("PLUGPULL_PROVIDER", str(provider.path))
    yield provider
    provider.close()


Caller = tuple[threading.Thread, list[str]]


def calls(name: str) -> Caller:
    """Call from a thread; how it went comes into the list."""
    went: list[str] = []

    def call() -> None:
        try:
            record_effect(name)
        except ConnectionError:
            went.append("no answer")
        else:
            went.append("answered")

    thread = threading.Thread(target=call)
    thread.start()
    return thread, went


def finished(caller: Caller) -> list[str]:
    """How it went, once it is over."""
    thread, went = caller
    thread.join(30)
    assert not thread.is_alive()
    return went


ALIVE: Callable[[], bool] = lambda: True  # noqa: E731 - a name for a function of the test's


def test_a_call_waits_unrecorded_until_it_is_let_through(provider: Provider) -> None:
    """Then it is recorded and answered, and what comes later passes by itself."""
    provider.gates.close("pay")
    first = calls("pay")
    held = provider.gates.wait_for(("pay",), 30, ALIVE)
    assert held is not None
    assert (held.effect, held.connection.is_open()) == ("pay", True)
    assert [call.recorded for call in provider.calls] == [False]
    assert provider.effects == {"pay": 0}
    provider.gates.open("pay")
    assert finished(first) == ["answered"]
    assert provider.effects == {"pay": 1}
    assert provider.gates.waiting("pay") is None
    assert finished(calls("pay")) == ["answered"]
    assert provider.effects == {"pay": 2}


def test_other_calls_pass(provider: Provider) -> None:
    """Only what is named waits."""
    provider.gates.close("pay")
    assert finished(calls("tell")) == ["answered"]
    assert provider.effects == {"tell": 1}


def test_one_gate_opens_and_the_other_stays(provider: Provider) -> None:
    """Whichever came first."""
    provider.gates.close("pay", "tell")
    paying = calls("pay")
    assert provider.gates.wait_for(("pay",), 30, ALIVE) is not None
    telling = calls("tell")
    assert provider.gates.wait_for(("tell",), 30, ALIVE) is not None
    provider.gates.open("pay")
    assert finished(paying) == ["answered"]
    assert provider.gates.has_closed("tell")
    assert provider.effects == {"pay": 1, "tell": 0}
    provider.gates.drop()
    assert finished(telling) == ["no answer"]
    assert provider.effects == {"pay": 1, "tell": 0}
    assert finished(calls("tell")) == ["answered"]


def test_of_two_that_wait_the_one_named_first_is_found(provider: Provider) -> None:
    """The order of the question, not that of the calls."""
    provider.gates.close("pay", "tell")
    callers = [calls("pay")]
    assert provider.gates.wait_for(("pay",), 30, ALIVE) is not None
    callers.append(calls("tell"))
    assert provider.gates.wait_for(("tell",), 30, ALIVE) is not None
    found = provider.gates.wait_for(("tell", "pay"), 30, ALIVE)
    assert found is not None
    assert found.effect == "tell"
    provider.close()
    assert [finished(one) for one in callers] == [["no answer"], ["no answer"]]


def test_waiting_ends_with_the_agent_or_the_time(provider: Provider) -> None:
    """Nobody waits for a process that is gone, or longer than the limit."""
    provider.gates.close("pay")
    assert provider.gates.wait_for(("pay",), 30, lambda: False) is None
    assert provider.gates.wait_for(("pay",), 0, ALIVE) is None
