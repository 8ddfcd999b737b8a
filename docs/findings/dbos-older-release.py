"""A SQLite database that an older DBOS has made, under a newer one: a message is sent.

python dbos-older-release.py wait     with dbos 2.12.0 or older (2.0.0 is the oldest)
python dbos-older-release.py send     with a newer one

Where SQLite is older than 3.42 it needs pysqlite3-binary.
"""

import os
import sqlite3
import sys
import tempfile
from pathlib import Path

if sqlite3.sqlite_version_info < (3, 42):
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3

from dbos import DBOS, SetWorkflowID

FILE = Path(tempfile.gettempdir()) / "dbos-older-release.sqlite"


@DBOS.workflow()
def order() -> str:
    DBOS.set_event("waits", True)
    return f"told: {DBOS.recv('decision', timeout_seconds=60)}"


def launch() -> None:
    config = {"name": "shop", "system_database_url": f"sqlite:///{FILE}", "log_level": "CRITICAL"}
    DBOS(config={**config, "application_version": "1", "run_admin_server": False})
    DBOS.launch()


if sys.argv[1:] == ["wait"]:
    FILE.unlink(missing_ok=True)
    launch()
    with SetWorkflowID("order-42"):
        DBOS.start_workflow(order)
    DBOS.get_event("order-42", "waits")
    print("the order waits for a decision")
else:
    launch()
    try:
        DBOS.send("order-42", "approve", topic="decision")
        print(DBOS.retrieve_workflow("order-42").get_result())
    except Exception as error:  # noqa: BLE001
        print(getattr(error, "orig", error))
sys.stdout.flush()
os._exit(0)  # the process dies here: what waits is not waited for
