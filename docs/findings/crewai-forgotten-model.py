"""A model of one's own reads a person's answers: not when the answer comes to another process.

python crewai-forgotten-model.py > /dev/null     needs crewai, which fills standard output
"""

import logging
import os
import sys
import tempfile

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()

from crewai import BaseLLM
from crewai.flow import HumanFeedbackPending, human_feedback
from crewai.flow.flow import Flow, listen, start
from crewai.flow.persistence import SQLiteFlowPersistence, persist

logging.disable()


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


class OurModel(BaseLLM):
    def call(self, *_, **__):
        say("our model is asked")
        return '{"outcome": "rejected"}'


class Desk:
    def request_feedback(self, context, flow):  # noqa: ARG002
        raise HumanFeedbackPending(context=context)


STORE = SQLiteFlowPersistence(f"{FOLDER}/flow.sqlite")


@persist(STORE)
class Order(Flow):
    @start()
    @human_feedback(
        message="May the card be charged?",
        emit=["approved", "rejected"],
        llm=OurModel(model="our-model"),
        provider=Desk(),
    )
    def ask(self):
        return "$42"

    @listen("approved")
    def charge(self):
        say("charged")

    @listen("rejected")
    def leave(self):
        say("not charged")


Order().kickoff(inputs={"id": "order-42"})
try:
    Order.from_pending("order-42", STORE).resume("no, leave my card alone")
except Exception as error:  # noqa: BLE001
    say(f"{type(error).__name__}: {str(error).splitlines()[0][:68]}")
