"""What the application keeps of a run beside the Session: its state, its end, its history.

* a paused run's state as JSON:
  https://openai.github.io/openai-agents-python/human_in_the_loop/#long-running-approvals
* a history without a Session: https://openai.github.io/openai-agents-python/results/
"""

from __future__ import annotations

import json
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from agents import RunState
from desk import deserialize, serialize
from order import SHOP
from sessions import announced

State = RunState[Any, Any]

# The state is kept where the application likes, so it is no part of a Session's store.
ANNOUNCED = os.environ.get("PLUGPULL_WRITES", "session") == "all"


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])


def state_file() -> Path:
    """Where the paused or failed run is kept."""
    return workdir() / "state.json"


def answer_file() -> Path:
    """Where the final answer is kept: it is there when the run came to its end."""
    return workdir() / "answer.txt"


def history_file() -> Path:
    """Where the conversation is kept at the end of a run without a Session."""
    return workdir() / "history.json"


async def save(state: State) -> None:
    """Keep the state of the run for another process; a crash leaves the old one or the new one."""
    text = json.dumps(state.to_json(context_serializer=serialize()))
    async with announced("save:state") if ANNOUNCED else nullcontext():
        draft = state_file().with_suffix(".new")
        draft.write_text(text, encoding="utf-8")
        draft.replace(state_file())


async def load() -> State:
    """The state that was kept last."""
    data = json.loads(state_file().read_text(encoding="utf-8"))
    return await RunState.from_json(SHOP, data, context_deserializer=deserialize())


def save_history(items: list[Any]) -> None:
    """Keep the conversation of a run without a Session."""
    history_file().write_text(json.dumps(items), encoding="utf-8")


def load_history() -> list[Any]:
    """The conversation so far, of runs without a Session."""
    if not history_file().exists():
        return []
    items: list[Any] = json.loads(history_file().read_text(encoding="utf-8"))
    return items
