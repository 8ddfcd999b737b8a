"""A flow asks a person; the process that hears the answer dies in the next method.

python crewai-lost-answer.py > /dev/null     needs crewai, which fills standard output
"""

import os
import sys
import tempfile

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


def run(process: str) -> None:
    if child := os.fork():
        os.waitpid(child, 0)
        return
    from crewai.flow import HumanFeedbackPending, human_feedback  # noqa: PLC0415
    from crewai.flow.flow import Flow, listen, start  # noqa: PLC0415
    from crewai.flow.persistence import SQLiteFlowPersistence, persist  # noqa: PLC0415

    class Desk:
        def request_feedback(self, context, flow):  # noqa: ARG002
            raise HumanFeedbackPending(context=context)

    store = SQLiteFlowPersistence(f"{FOLDER}/flow.sqlite")

    @persist(store)
    class Order(Flow):
        @start()
        @human_feedback(message="May the card be charged?", provider=Desk())
        def ask(self):
            return "$42"

        @listen(ask)
        def charge(self, answer):
            say(f"{process}: the answer is {answer.feedback!r}, and the process dies")
            os._exit(1)

    if process == "first":
        Order().kickoff(inputs={"id": "order-42"})
        say("first: waits for a person")
        os._exit(0)
    try:
        Order.from_pending("order-42", store).resume("yes")
    except ValueError as error:
        say(f"{process}: {error}")
    os._exit(0)


run("first")
run("second")
run("third")
