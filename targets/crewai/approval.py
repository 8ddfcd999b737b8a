"""An order for which a person is asked, who answers to another process.

A provider that raises ``HumanFeedbackPending`` ends the run, and what it waits for is saved;
``from_pending`` and ``resume`` go on with the answer. A flow waits for one answer at a time: of two
charges the second is asked for when the first is done.
https://docs.crewai.com/en/learn/human-feedback-in-flows
"""

from __future__ import annotations

import json
import os
from typing import Any

from crewai.flow import HumanFeedbackPending
from crewai.flow.flow import Flow, listen, or_, router, start
from crewai.flow.human_feedback import human_feedback
from model import NO, YES, classify
from order import LLM, Order, add, begin, do, hear, open_calls
from plugpull import record_effect
from settings import ORDER, OUTCOME


class Desk:
    """Where persons are asked, who take their time."""

    def request_feedback(self, context: Any, flow: Any) -> str:
        """Ask, and do not wait.

        Raises:
            HumanFeedbackPending: Always.
        """
        del flow
        raise HumanFeedbackPending(context=context, callback_info={"desk": "cashier"})


ASKED: dict[str, Any] = {"message": "May the card be charged?", "provider": Desk()}
if OUTCOME == "model":
    # The model makes one of these of what the person has said; nothing said is the last one.
    outcomes = ["approved", "rejected", "undecided"]
    ASKED |= {"emit": outcomes, "llm": LLM, "default_outcome": outcomes[-1]}


class AskingFlow(Flow[Order]):
    """Ask the model, do what nobody has to allow, ask a person, charge, close."""

    @start()
    def ask(self) -> None:
        """Ask the model what is to be done."""
        begin(self.state)

    @listen(ask)
    def prepare(self) -> None:
        """Do what needs no permission; the model may want something else then."""
        for call in open_calls(self.state):
            if call["tool"] != "charge_card":
                do(self.state, call)
        if not open_calls(self.state):
            hear(self.state)

    @human_feedback(**ASKED)
    @listen(or_(prepare, "undecided", "more"))
    def review(self) -> str:
        """Ask a person about the first charge that is open."""
        return str(open_calls(self.state)[0]["effect"])

    if OUTCOME == "code":

        @router(review)
        def decide(self, answer: Any) -> str:
            """Make an outcome of what the person has said."""
            return classify(answer.feedback)

    @listen("approved")
    def charge(self) -> None:
        """Do what was asked about."""
        do(self.state, open_calls(self.state)[0])

    @router(charge)
    def go_on(self) -> str:
        """Ask about what else is open."""
        return "more" if open_calls(self.state) else "done"

    @listen("rejected")
    def decline(self) -> None:
        """Tell the model."""
        add(self.state, "tool", NO, call=open_calls(self.state)[0]["id"])

    @listen(or_("done", decline))
    def close(self) -> None:
        """Thank the customer, and close the order."""
        hear(self.state)
        record_effect("finish_order", key=ORDER)


def approve(flow: type[Flow[Order]], persistence: Any) -> None:
    """Hand in what a person has decided, one answer after the other.

    Raises:
        SystemExit: Something was decided that the run does not ask about.
    """
    decisions = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    for decision in decisions or [None]:
        waiting = flow.from_pending(ORDER, persistence)
        if decision is None:
            waiting.resume("")
            continue
        asked = waiting.pending_feedback
        if asked is None or asked.method_output != decision["call"]:
            message = f"the run does not ask about {decision['call']}"
            raise SystemExit(message)
        waiting.resume(YES if decision["decision"] == "approve" else NO)
