"""A conversation about an order: each message of the customer is a run of one flow.

The state of the conversation is saved with ``@persist``, and a run that is begun with its id has
it: after each method, or, as the page on conversations recommends, at the last one alone.

* https://docs.crewai.com/en/guides/flows/conversational-flows
* https://docs.crewai.com/en/concepts/flows#flow-persistence

Usage: ``python chat.py start | next-turn | inspect``. ``PLUGPULL_SAVED`` says when it is saved:
``persist`` or ``persist-last``.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from crewai.flow.flow import Flow, listen, start
from crewai.flow.persistence import persist
from order import Order, add, do, hear, open_calls
from plugpull import record_effect
from report import inspect
from settings import ORDER, QUESTION, REQUEST, SAVED, STREAMED
from stores import persistence
from streaming import stream


class ChatFlow(Flow[Order]):
    """Listen to the customer, then ask the model and do what it wants until it has done."""

    @start()
    def listen_to(self) -> None:
        """Write down what the customer says."""
        add(self.state, "user", self.state.said)

    @listen(listen_to)
    def answer(self) -> None:
        """The turn of the model, with all of its calls."""
        hear(self.state)
        while calls := open_calls(self.state):
            for call in calls:
                do(self.state, call)
            hear(self.state)

    if SAVED == "persist-last":
        answer = persist(persistence())(answer)


def turn(said: str) -> bool:
    """Take one turn; whether there was somebody to hear its end."""
    store = persistence()
    # What a method saves is loaded only where the flow is told of the store as well.
    flow: Any = (
        ChatFlow(persistence=store) if SAVED == "persist-last" else persist(store)(ChatFlow)()
    )
    inputs = {"id": ORDER, "said": said}
    if STREAMED:
        return asyncio.run(stream(flow, inputs))
    flow.kickoff(inputs=inputs)
    return True


def main(verb: str) -> None:
    """Take the first turn or the next one, or look at what is stored."""
    if verb == "inspect":
        inspect()
    elif verb == "start":
        if turn(REQUEST):
            record_effect("finish_order", key=ORDER)
    elif verb == "next-turn":
        turn(QUESTION)
        record_effect("next_turn", key=f"{ORDER}-turn-2")
    else:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)


if __name__ == "__main__":
    main(sys.argv[-1])
