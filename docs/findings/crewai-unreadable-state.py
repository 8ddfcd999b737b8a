"""A flow's state with bytes that are no text: @persist saves what it cannot load again.

python crewai-unreadable-state.py > /dev/null     needs crewai, which fills standard output
"""

import enum
import os
import sys
import tempfile

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()

from crewai.flow.flow import Flow, start
from crewai.flow.persistence import SQLiteFlowPersistence, persist
from pydantic import BaseModel, ValidationError


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


class Status(enum.Enum):
    PLACED = "placed"


class Order(BaseModel):
    id: str = ""
    status: Status = Status.PLACED
    seal: bytes = b""


for seal in (b"seal", b"\xff"):
    store = SQLiteFlowPersistence(f"{FOLDER}/{seal.hex()}.sqlite")

    @persist(store)
    class OrderFlow(Flow[Order]):
        @start()
        def plan(self):
            self.state.seal = seal  # noqa: B023

    OrderFlow().kickoff(inputs={"id": "order-42"})
    say(seal, "saved as", store.load_state("order-42"))
    try:
        OrderFlow().kickoff(inputs={"id": "order-42"})
        say("resumed")
    except ValidationError as error:
        say("not resumed:", error.errors()[0]["msg"])
