"""durability="sync" does not wait for a node's own writes before the next save (langgraph#8039).

python langgraph-kill-at-save.py     needs langgraph and langgraph-checkpoint-sqlite

A child process is killed where LangGraph begins to save the checkpoint behind its first node. What
the node came to was to be stored before, by ``put_writes``; here that takes 0.3 s longer.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TypedDict

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph

CONFIG = {"configurable": {"thread_id": "1"}}


class State(TypedDict):
    charged: bool


class LateWrites(SqliteSaver):
    def put(self, config, checkpoint, metadata, new_versions):
        if metadata["step"] == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().put(config, checkpoint, metadata, new_versions)

    def put_writes(self, config, writes, task_id, task_path=""):
        if any(channel == "charged" and value for channel, value in writes):
            time.sleep(0.3)
        super().put_writes(config, writes, task_id, task_path)


def build(folder, saver):
    def charge(_):
        with (folder / "charges.txt").open("a") as charges:
            charges.write("charged\n")
        return {"charged": True}

    connection = sqlite3.connect(folder / "checkpoints.sqlite", check_same_thread=False)
    graph = StateGraph(State)
    graph.add_node("charge", charge)
    graph.add_node("close", lambda _: {"charged": True})
    graph.add_edge(START, "charge")
    graph.add_edge("charge", "close")
    graph.add_edge("close", END)
    return graph.compile(checkpointer=saver(connection))


if len(sys.argv) > 1:
    build(Path(sys.argv[1]), LateWrites).invoke({"charged": False}, CONFIG, durability="sync")
else:
    with tempfile.TemporaryDirectory() as folder:
        died = subprocess.run([sys.executable, __file__, folder], check=False).returncode
        build(Path(folder), SqliteSaver).invoke(None, CONFIG, durability="sync")
        charges = (Path(folder) / "charges.txt").read_text().count("charged")
        print(f"killed at the save: {died == -signal.SIGKILL}; charges in the end: {charges}")
