"""A stream is closed early: the method that is under way goes on, and nothing of it is saved.

python crewai-cancelled-stream.py > /dev/null     needs crewai, which fills standard output
"""

import asyncio
import os
import sys
import tempfile
import threading

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()

from crewai.flow.flow import Flow, listen, start
from crewai.flow.persistence import SQLiteFlowPersistence, persist

BEGUN, CLOSED = threading.Event(), threading.Event()


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


class Plain(Flow):
    @start()
    def plan(self):
        self.state["planned"] = True

    @listen(plan)
    def charge(self):
        BEGUN.set()
        CLOSED.wait(10)
        self.state["charged"] = True
        say("Plain: the card is charged")


class Coroutine(Flow):
    @start()
    async def plan(self):
        self.state["planned"] = True

    @listen(plan)
    async def charge(self):
        BEGUN.set()
        await asyncio.to_thread(CLOSED.wait, 10)
        self.state["charged"] = True
        say("Coroutine: the card is charged")


async def main(flow: Flow) -> None:
    async with flow.astream(inputs={"id": "order-42"}) as session:
        async for frame in session.flow:
            if frame.event.get("method_name") == "charge":
                await asyncio.to_thread(BEGUN.wait)
                break
    say("the stream is closed")
    CLOSED.set()


for kind in (Plain, Coroutine):
    BEGUN.clear()
    CLOSED.clear()
    store = SQLiteFlowPersistence(f"{FOLDER}/{kind.__name__}.sqlite")
    asyncio.run(main(persist(store)(kind)()))
    saved = store.load_state("order-42") or {}
    say(f"{kind.__name__}: saved is", sorted(saved))
