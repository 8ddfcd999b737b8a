"""A checkpoint is written while the run goes on: the run ends with the checkpoint's error.

python crewai-dying-checkpoint.py > /dev/null     needs crewai, which fills standard output
"""

import os
import sys
import tempfile
import threading

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()

from crewai.events.base_events import BaseEvent
from crewai.events.event_bus import crewai_event_bus
from crewai.flow.flow import Flow, listen, start
from crewai.state.checkpoint_config import CheckpointConfig
from pydantic import field_serializer

WRITING, WENT_ON = threading.Event(), threading.Event()


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


class Noted(BaseEvent):
    type: str = "noted"
    words: str = ""

    @field_serializer("words")
    def slowly(self, words: str) -> str:
        # A large event: while it is written, the run goes on.
        WRITING.set()
        WENT_ON.wait(5)
        return words


class Order(Flow):
    @start()
    def plan(self):
        crewai_event_bus.emit(self, Noted(words="planned"))

    @listen(plan)
    def charge(self):
        WRITING.wait(5)
        crewai_event_bus.emit(self, Noted(words="charged"))
        say("the card is charged")
        WENT_ON.set()


try:
    Order().kickoff(
        from_checkpoint=CheckpointConfig(location=FOLDER, on_events=["method_execution_finished"])
    )
    say("the run has ended well")
except BaseException as error:  # noqa: BLE001
    say(f"the run has ended with {type(error).__name__}: {error}")
