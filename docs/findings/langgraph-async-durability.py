"""With LangGraph's default durability a crash in the first node may find nothing saved.

python langgraph-async-durability.py     needs langgraph and langgraph-checkpoint-sqlite

A child process runs a graph of one node on a disk that takes half a second for each checkpoint. The
node does its work and the process is killed. Then another process goes on with the thread.
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
from langgraph.errors import EmptyInputError
from langgraph.graph import END, START, StateGraph

CONFIG = {"configurable": {"thread_id": "1"}}


class SlowDisk(SqliteSaver):
    def put(self, *arguments):
        time.sleep(0.5)
        return super().put(*arguments)


class State(TypedDict):
    charged: bool


def build(folder, saver, charge):
    connection = sqlite3.connect(folder / "checkpoints.sqlite", check_same_thread=False)
    graph = StateGraph(State)
    graph.add_node("charge", charge)
    graph.add_edge(START, "charge")
    graph.add_edge("charge", END)
    return graph.compile(checkpointer=saver(connection))


def charge_and_die(_):
    os.kill(os.getpid(), signal.SIGKILL)


def charge(_):
    return {"charged": True}


if len(sys.argv) > 2:
    app = build(Path(sys.argv[1]), SlowDisk, charge_and_die)
    app.invoke({"charged": False}, CONFIG, durability=sys.argv[2])
else:
    for durability in ("async", "sync"):
        with tempfile.TemporaryDirectory() as folder:
            child = [sys.executable, __file__, folder, durability]
            died = subprocess.run(child, check=False).returncode == -signal.SIGKILL
            try:
                end = build(Path(folder), SqliteSaver, charge).invoke(None, CONFIG)
            except EmptyInputError as error:
                end = f"EmptyInputError: {error}"
            print(f"{durability}: killed in its node: {died}; resumed: {end}")
