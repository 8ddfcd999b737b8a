"""Resumed from a checkpoint, and crashed again: the second resume begins the flow anew.

python crewai-second-resume.py > /dev/null     needs crewai, which fills standard output
"""

import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.update(CREWAI_DISABLE_TELEMETRY="true", CREWAI_TRACING_ENABLED="false")
os.environ["CREWAI_STORAGE_DIR"] = FOLDER = tempfile.mkdtemp()
CHECKPOINTS = Path(FOLDER) / "checkpoints"


def say(*words: object) -> None:
    print(*words, file=sys.stderr)


def run(process: str, *, restore: bool, dies_in: str) -> None:
    if child := os.fork():
        os.waitpid(child, 0)
        return
    from crewai.flow.flow import Flow, listen, start  # noqa: PLC0415
    from crewai.state.checkpoint_config import CheckpointConfig  # noqa: PLC0415

    class Order(Flow):
        def take(self, method: str) -> None:
            say(f"{process}: {method}")
            if method == dies_in:
                # What was to be written is written; then the process dies.
                time.sleep(1)
                os._exit(1)

        @start()
        def plan(self):
            self.take("plan")

        @listen(plan)
        def charge(self):
            self.take("charge")

        @listen(charge)
        def ship(self):
            self.take("ship")

    files = sorted(CHECKPOINTS.rglob("*.json"), key=lambda file: file.stat().st_mtime)
    Order().kickoff(
        from_checkpoint=CheckpointConfig(
            location=str(CHECKPOINTS),
            on_events=["method_execution_finished"],
            restore_from=files[-1] if restore else None,
        )
    )
    os._exit(0)


run("first process", restore=False, dies_in="charge")
run("resumed", restore=True, dies_in="ship")
run("resumed again", restore=True, dies_in="nothing")
