"""The next method of a flow begins before the checkpoint of the last one is written.

python crewai-late-checkpoint.py > /dev/null     needs crewai, which fills standard output
"""

import os
import sys
import tempfile
import threading
from pathlib import Path

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()

from crewai.flow.flow import Flow, listen, start
from crewai.state.checkpoint_config import CheckpointConfig
from crewai.state.provider.json_provider import JsonProvider

CHARGED = threading.Event()


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


class SlowDisk(JsonProvider):
    def checkpoint(self, data: str, location: str, **lineage) -> str:
        in_time = not CHARGED.wait(5)
        say("the first method's checkpoint was written", "first" if in_time else "afterwards")
        return super().checkpoint(data, location, **lineage)


class Order(Flow):
    @start()
    def plan(self):
        return "plan"

    @listen(plan)
    def charge(self):
        files = list(Path(FOLDER).rglob("*_p-*.json"))
        say("the second method charges the card; checkpoints:", len(files))
        CHARGED.set()


Order().kickoff(
    from_checkpoint=CheckpointConfig(
        location=FOLDER, on_events=["method_execution_finished"], provider=SlowDisk()
    )
)
