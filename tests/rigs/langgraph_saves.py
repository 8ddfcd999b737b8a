"""The shipped LangGraph target with a hand on its saves: what a slow or full disk does to it.

LangGraph's ``async`` durability saves in the background, so it depends on timing how much is saved
when a kill lands in a tool. This rig takes the timing out, in ``start`` only. The program it runs
is ``targets/langgraph/agent.py``, unchanged; its checkpointer and its calls of the payment service
are wrapped.

``PLUGPULL_RIG_SAVE``
    ``first``: the tool calls the payment service only after the checkpoint it runs from is saved.
    ``never``: no save is let through before the service has answered the tool, which in a killed
    run is never. ``memory``: checkpoints are kept in memory and die with the process.
``PLUGPULL_RIG_SAVE_DELAY``
    Seconds that every save takes longer.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TARGET = Path(__file__).resolve().parents[2] / "targets" / "langgraph" / "agent.py"

#: A wait that does not end has to end the run, which makes its results ERROR.
LIMIT = 60.0

#: The graph's steps: -1 is the input, 0 the first checkpoint, 1 follows the model's answer. The
#: tool runs from that one.
STEP_BEFORE_TOOL = 1


def load_target() -> Any:
    """The shipped program, as a module; its own modules are beside it."""
    sys.path.insert(0, str(TARGET.parent))
    spec = importlib.util.spec_from_file_location("langgraph_target", TARGET)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Type hints of the graph's functions are looked up by the name of their module.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


class Saves:
    """Holds the saves and the tool's call back, as the mode says."""

    def __init__(self, mode: str, delay: float) -> None:
        self.mode = mode
        self.delay = delay
        self.saved = threading.Event()
        self.answered = threading.Event()

    def before_save(self) -> None:
        """A checkpoint or some writes are about to be saved."""
        if self.mode == "never":
            wait(self.answered, "the tool's call was never answered")
        time.sleep(self.delay)

    def after_save(self, step: int) -> None:
        """The checkpoint of ``step`` is saved."""
        if step == STEP_BEFORE_TOOL:
            self.saved.set()

    def before_call(self) -> None:
        """The tool is about to call the payment service."""
        if self.mode == "first":
            wait(self.saved, "the checkpoint that the tool runs from was never saved")

    def after_call(self) -> None:
        """The payment service has answered."""
        self.answered.set()


def wait(event: threading.Event, otherwise: str) -> None:
    """Wait for what has to come."""
    if not event.wait(LIMIT):
        raise TimeoutError(otherwise)


def put_hand_on(saves: Saves) -> None:
    """Wrap the target's checkpointer and its calls of the payment service."""
    saver, tools = (importlib.import_module(name) for name in ("saver", "tools"))
    shipped_call = tools.record_effect

    class WatchedSaver(saver.Saver):  # type: ignore[misc, name-defined]
        def put(self, config: Any, checkpoint: Any, metadata: Any, new_versions: Any) -> Any:
            saves.before_save()
            saved = super().put(config, checkpoint, metadata, new_versions)
            saves.after_save(metadata["step"])
            return saved

        def put_writes(self, config: Any, writes: Any, task_id: str, task_path: str = "") -> None:
            saves.before_save()
            super().put_writes(config, writes, task_id, task_path)

    def watched_call(name: str, *, key: str | None = None) -> None:
        saves.before_call()
        shipped_call(name, key=key)
        saves.after_call()

    saver.Saver = WatchedSaver
    tools.record_effect = watched_call


def forget_on_exit(target: Any) -> None:
    """Give the target a checkpointer that does not outlive the process."""
    memory = importlib.import_module("langgraph.checkpoint.memory")

    @contextlib.contextmanager
    def opened() -> Iterator[Any]:
        yield memory.InMemorySaver()

    target.opened = opened


def main(verb: str) -> None:
    """Run one verb of the shipped target."""
    target = load_target()
    mode = os.environ.get("PLUGPULL_RIG_SAVE", "")
    if mode == "memory":
        forget_on_exit(target)
    elif verb == "start":
        if mode == "never" and os.environ.get("PLUGPULL_DURABILITY") == "sync":
            # The step waits for the save, and the save for the step's tool.
            raise SystemExit("with durability=sync no tool runs before a save is through")
        put_hand_on(Saves(mode, float(os.environ.get("PLUGPULL_RIG_SAVE_DELAY", "0"))))
    target.main(verb)


if __name__ == "__main__":
    main(sys.argv[-1])
