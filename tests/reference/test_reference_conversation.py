"""The reference agent's conversation: what is stored of it, and how it asks a person."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from agent_bench import REFERENCE
from agent_journal import contradictions

TASK = "talk"
Message = dict[str, Any]


@pytest.fixture(autouse=True)
def durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent's package, as its programs find it."""
    monkeypatch.syspath_prepend(str(REFERENCE))


class Talk:
    """A conversation with a model that asks for one payment, and then says thank you."""

    def __init__(self, folder: Path) -> None:
        from durable import tasks
        from durable.conversation import message
        from durable.database import connect
        from durable.plan import Plan

        self.database = folder / "state.db"
        self.asked: list[list[Message]] = []
        self.paid: list[str] = []
        self.fails = 0
        self.decision: bool | None = None
        with closing(connect(self.database, create=True)) as connection:
            tasks.create(connection, TASK, Plan("Serve", (message("Pay!"),)), "test")

    def agent(self, pay: Callable[..., str] | None = None) -> Any:
        """The agent, with a tool whose calls a person has to approve."""
        from durable.approval import asking
        from durable.conversation import answering, calling
        from durable.loop import Agent
        from durable.settings import Settings

        others = {
            **answering(self.model, {"pay"}),
            **asking(lambda _tool, _given: self.decision),
            "pay": calling(pay or self.pay),
        }
        return Agent(self.database, Settings(), others=others)

    def model(self, messages: list[Message]) -> Message:
        """Fails as often as it is to."""
        self.asked.append(messages)
        if self.fails:
            self.fails -= 1
            raise ConnectionError("the model is gone")
        if messages[-1]["role"] == "tool" or messages[-1]["text"] == "And?":
            return {"role": "assistant", "text": "Thank you."}
        call = {"id": f"call-{len(self.asked)}", "tool": "pay", "input": {"amount": 42}}
        return {"role": "assistant", "text": "At once.", "calls": [call]}

    def pay(self, key: str, amount: int) -> str:
        """Pay."""
        self.paid.append(key)
        return f"paid {amount}"

    def history(self) -> list[str]:
        """Who said something, in order."""
        return [said["role"] for said in self.stored(lambda talk, task: list(talk.history(task)))]

    def stored(self, read: Callable[[Any, Any], Any]) -> Any:
        """What there is to read of the task."""
        from durable import conversation, tasks
        from durable.database import connect

        with closing(connect(self.database, create=False)) as connection:
            return read(conversation, tasks.load(connection, TASK))


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """One whose first message is stored."""
    return Talk(tmp_path)


def test_waiting_costs_nothing(talk: Talk) -> None:
    """However often it is run without a decision, the model is asked once and nothing happens."""
    for _ in range(5):
        assert talk.agent().run(TASK) == 5
    assert len(talk.asked) == 1
    assert talk.paid == []
    talk.decision = True
    assert talk.agent().run(TASK) == 0
    assert talk.paid == [f"{TASK}-2"]
    assert talk.history() == ["user", "assistant", "tool", "assistant"]
    assert contradictions(talk.database) == []


def test_a_decision_stays(talk: Talk) -> None:
    """One that was stored before its call was cut off is not changed by a later one."""
    talk.decision = True

    def cut_off(_key: str, amount: int) -> str:
        raise KeyboardInterrupt(amount)

    with pytest.raises(KeyboardInterrupt):
        talk.agent(cut_off).run(TASK)
    talk.decision = False
    assert talk.agent().run(TASK) == 0
    assert talk.paid == [f"{TASK}-2"]


def test_a_call_that_was_forbidden_is_not_made(talk: Talk) -> None:
    """The model is told so in the place of the tool's answer."""
    talk.decision = False
    assert talk.agent().run(TASK) == 0
    assert talk.paid == []
    assert talk.asked[-1][-1]["text"] == "A person has said no to this."


def test_the_model_fails_for_a_while(talk: Talk) -> None:
    """It is asked again in the same run, and later when a person says so; nothing is redone."""
    talk.decision = True
    talk.fails = 3
    assert talk.agent().run(TASK) == 2
    talk.agent().reopen(TASK)
    talk.fails = 2
    assert talk.agent().run(TASK) == 0
    assert len(talk.paid) == 1
    assert contradictions(talk.database) == []


def test_a_message_waits_for_what_was_begun(talk: Talk) -> None:
    """The next one is taken when the one before is answered, and finds all that was said."""
    from durable.conversation import message
    from durable.errors import AgentError

    assert talk.agent().run(TASK) == 5
    with pytest.raises(AgentError, match="is running"):
        talk.agent().extend(TASK, [message("And?")])
    talk.decision = True
    assert talk.agent().run(TASK) == 0
    talk.agent().extend(TASK, [message("And?")])
    assert talk.history()[-1] == "user"
    assert talk.agent().run(TASK) == 0
    assert [said["role"] for said in talk.asked[-1]] == [
        *["user", "assistant", "tool", "assistant"],
        "user",
    ]
    assert contradictions(talk.database) == []


def test_a_tool_that_takes_something_else_now(talk: Talk) -> None:
    """Said by name before anything is run: the stored call is not made with what it lacks."""
    from durable.errors import AgentError

    assert talk.agent().run(TASK) == 5
    talk.decision = True
    with pytest.raises(AgentError, match="gives pay amount, call; it takes call, cents"):
        talk.agent(lambda key, cents: f"{key} {cents}").run(TASK)
