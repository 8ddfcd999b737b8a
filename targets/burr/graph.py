"""The shop as a state machine: listen, decide, ask a person, make calls; and again.

* actions and what they are given: https://burr.apache.org/concepts/actions/
* conditions of transitions: https://burr.apache.org/concepts/transitions/
* one action over many states, each in an application of its own:
  https://burr.apache.org/concepts/parallelism/
* an application in an action of another one: https://burr.apache.org/concepts/recursion/
* a human in the loop, by an input and by halting before the action that needs it:
  https://burr.apache.org/concepts/state-machine/
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import Any

from burr.core import ApplicationBuilder, ApplicationContext, State, action, when
from burr.core.action import streaming_action
from burr.core.parallelism import MapStates
from model import Message, answer, pieces
from settings import CUSTOMER, ORDER, RESUME_AT_NEXT_ACTION, TOOLS
from tools import REJECTED, Call, asked_for, gated, make, offered, open_calls, told

#: Where a run stops: the next action needs something from outside.
HALT = ["listen", "confirm"]

DEFAULT_STATE: dict[str, Any] = {"messages": [], "decisions": {}, "next": ""}


def after(messages: Sequence[Message], decisions: Mapping[str, str]) -> str:
    """Which action comes now: a person is asked first, then the calls are made."""
    calls = open_calls(messages)
    asks = any(gated(call) and asked_for(call) not in decisions for call in calls)
    return "confirm" if asks else "tools" if calls else "listen"


@action(reads=["messages"], writes=["messages"])
def listen(state: State, message: str) -> State:
    """Take what the user says."""
    return state.append(messages={"role": "user", "content": message})


@streaming_action(reads=["messages"], writes=["messages", "next"])
def decide(
    state: State, cashier: bool = False
) -> Generator[tuple[dict[str, str], State | None], None, None]:
    """Ask the model. Its words are streamed where somebody reads the stream."""
    said = answer(state["messages"], cashier=cashier, offered=[*offered(), "ask_cashier"])
    for piece in pieces(said):
        yield {"piece": piece}, None
    yield {"piece": ""}, state.append(messages=said).update(next=after([said], {}))


@action(reads=["messages", "decisions"], writes=["decisions", "next"])
def confirm(state: State, decisions: list[dict[str, str]]) -> State:
    """Take what a person has decided, in their order."""
    decided = dict(state["decisions"])
    for one in decisions:
        decided[one["call"]] = one["decision"]
    return state.update(decisions=decided, next=after(state["messages"], decided))


@action(reads=["messages", "decisions"], writes=["messages", "decisions", "next"])
def tools(state: State, __context: ApplicationContext) -> State:
    """Make the calls of the model's last message, one after the other."""
    answers: list[Message] = []
    for number, call in enumerate(open_calls(state["messages"])):
        said = perform(call, state["decisions"], __context, number)
        if said is None:
            # The cashier waits for a person, and so does the shop.
            return state.update(next="confirm")
        answers.append(told(call, said))
    return state.extend(messages=answers).update(decisions={}, next="decide")


@action(reads=["call", "decisions"], writes=["answer"])
def one_tool(state: State, __context: ApplicationContext) -> State:
    """Make one call, in an application of its own."""
    return state.update(answer=told(state["call"], make_unless_rejected(state, __context)))


def make_unless_rejected(state: State, context: ApplicationContext) -> str:
    """What comes of the call that the state holds."""
    return perform(state["call"], state["decisions"], context, 0) or ""


class ToolsInParallel(MapStates):
    """Make the calls of the model's last message at once, each in an application of its own.

    The applications get the persister of this one, and their ids are made of its id and their
    place: so each call is saved by itself.
    """

    def action(self, _state: State, _inputs: dict[str, Any]) -> Any:
        """What is done for each call."""
        return one_tool

    def states(
        self, state: State, _context: ApplicationContext, _inputs: dict[str, Any]
    ) -> Generator[State, None, None]:
        """One state for each call."""
        for call in open_calls(state["messages"]):
            yield state.update(call=call)

    def reduce(self, state: State, states: Generator[State, None, None]) -> State:
        """Put the answers into the conversation."""
        answers = [one["answer"] for one in states]
        return state.extend(messages=answers).update(decisions={}, next="decide")

    @property
    def reads(self) -> list[str]:
        """What it needs."""
        return ["messages", "decisions"]

    @property
    def writes(self) -> list[str]:
        """What it changes."""
        return ["messages", "decisions", "next"]


def perform(
    call: Call, decisions: Mapping[str, str], context: ApplicationContext, number: int
) -> str | None:
    """Make a call, unless a person has said no; ``None`` while one is asked by the cashier."""
    if decisions.get(asked_for(call)) == "reject":
        return REJECTED
    if call["tool"] == "ask_cashier":
        return ask_cashier(str(call["arguments"]["memo"]), decisions, context)
    return make(call, context, number)


def ask_cashier(
    about: str, decisions: Mapping[str, str], context: ApplicationContext
) -> str | None:
    """Have the cashier charge the card: an application in this action, saved under its own id."""
    cashier = (
        shop(context.state_initializer, app_id=f"{context.app_id}:cashier")
        .with_state_persister(context.state_persister)
        .with_spawning_parent(context.app_id, context.sequence_id, context.partition_key)
        .build()
    )
    given: dict[str, Any] = {"message": about}
    if decisions:
        given = {"decisions": [{"call": one, "decision": said} for one, said in decisions.items()]}
    step, _, state = cashier.run(halt_before=HALT, inputs=given)
    return None if step.name == "confirm" else str(state["messages"][-1]["content"])


def shop(persister: Any, app_id: str = ORDER, **others: Any) -> ApplicationBuilder[Any]:
    """The builder of an application that goes on where its saved state is.

    Args:
        persister: What it is saved in.
        app_id: Its id there.
        others: Actions to take instead of those above.
    """
    actions = {
        "listen": listen,
        "decide": decide.bind(cashier=app_id != ORDER),
        "confirm": confirm,
        "tools": ToolsInParallel() if TOOLS == "parallel" else tools,
    }
    return (
        ApplicationBuilder()
        .with_actions(**{**actions, **others})
        .with_transitions(
            ("listen", "decide"),
            (["decide", "confirm", "tools"], "confirm", when(next="confirm")),
            (["decide", "confirm"], "tools", when(next="tools")),
            ("decide", "listen"),
            ("tools", "decide"),
        )
        .initialize_from(
            persister,
            resume_at_next_action=RESUME_AT_NEXT_ACTION,
            default_state=DEFAULT_STATE,
            default_entrypoint="listen",
        )
        .with_identifiers(app_id=app_id, partition_key=CUSTOMER)
    )
