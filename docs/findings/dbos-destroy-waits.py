"""A workflow waits for a human in DBOS.recv: after DBOS.destroy() the process does not end.

python dbos-destroy-waits.py     needs dbos 2.0.0 or newer, and pysqlite3-binary where SQLite is old
"""

import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if sqlite3.sqlite_version_info < (3, 42):
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3

from dbos import DBOS

A_WEEK = 7 * 24 * 60 * 60


@DBOS.workflow()
def order() -> str:
    DBOS.set_event("waits", True)
    return str(DBOS.recv("decision", timeout_seconds=A_WEEK))


def server(folder: str) -> None:
    """A server that is told to stop as soon as its workflow waits."""
    database = f"sqlite:///{Path(folder) / 'dbos.sqlite'}"
    config = {"name": "shop", "system_database_url": database, "log_level": "ERROR"}
    DBOS(config={**config, "run_admin_server": False})
    DBOS.launch()
    handle = DBOS.start_workflow(order)
    DBOS.get_event(handle.workflow_id, "waits")
    DBOS.destroy()
    Path(folder, "destroyed").touch()


if len(sys.argv) > 1:
    server(sys.argv[1])
else:
    work = tempfile.mkdtemp()
    process = subprocess.Popen([sys.executable, __file__, work], env={**os.environ})
    while not Path(work, "destroyed").exists():
        time.sleep(0.1)
    try:
        print("ended with", process.wait(10))
    except subprocess.TimeoutExpired:
        print("DBOS.destroy() has returned, and 10 s later the process is still there")
        process.kill()
