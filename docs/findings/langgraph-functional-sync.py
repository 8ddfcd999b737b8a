"""The functional API does a task's work before anything is saved, under durability="sync" as well.

python langgraph-functional-sync.py     needs langgraph and langgraph-checkpoint-sqlite

A child process runs a workflow of one task and is killed where LangGraph begins to save its first
checkpoint. Then another process goes on with the thread.
"""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.errors import EmptyInputError
from langgraph.func import entrypoint, task

CONFIG = {"configurable": {"thread_id": "1"}}


class DiesAtFirstSave(SqliteSaver):
    """A disk that takes its time, and a crash in the meantime."""

    def put(self, *_):
        time.sleep(1)
        os.kill(os.getpid(), signal.SIGKILL)


def workflow(folder, saver):
    connection = sqlite3.connect(folder / "checkpoints.sqlite", check_same_thread=False)

    @task
    def charge():
        with (folder / "charges.txt").open("a") as charges:
            charges.write("charged\n")

    @entrypoint(checkpointer=saver(connection))
    def order(_):
        charge().result()
        return "done"

    return order


if len(sys.argv) > 1:
    order = workflow(Path(sys.argv[1]), DiesAtFirstSave)
    order.invoke("order 42", CONFIG, durability="sync")
else:
    with tempfile.TemporaryDirectory() as folder:
        died = subprocess.run([sys.executable, __file__, folder], check=False).returncode
        charges = Path(folder) / "charges.txt"
        print("killed before the first checkpoint was saved:", died == -signal.SIGKILL)
        print("charges by then:", charges.read_text().count("charged") if charges.exists() else 0)
        try:
            print("resumed:", workflow(Path(folder), SqliteSaver).invoke(None, CONFIG))
        except EmptyInputError as error:
            print("resumed:", type(error).__name__, error)
