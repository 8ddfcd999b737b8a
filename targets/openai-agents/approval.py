"""The person who decides about the calls that wait.

* https://openai.github.io/openai-agents-python/human_in_the_loop/#how-the-approval-flow-works
"""

from __future__ import annotations

import json
import os

from order import effect_asked_for
from saved import State


def decide_all(state: State) -> None:
    """Approve whatever waits, or the first of it where the person goes one by one."""
    one_by_one = os.environ.get("PLUGPULL_APPROVE", "all") == "one-by-one"
    for question in state.get_interruptions()[: 1 if one_by_one else None]:
        state.approve(question)


def decide(state: State) -> None:
    """Hand on what the person has decided, call by call, in their order.

    Raises:
        LookupError: They decided about a call that does not wait.
    """
    waiting = {effect_asked_for(one.arguments): one for one in state.get_interruptions()}
    for decision in json.loads(os.environ["PLUGPULL_DECISIONS"]):
        if decision["call"] not in waiting:
            message = f"no call waits for a decision about {decision['call']}"
            raise LookupError(message)
        question = waiting[decision["call"]]
        if decision["decision"] == "approve":
            state.approve(question)
        else:
            state.reject(question)
