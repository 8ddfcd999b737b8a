"""An async workflow and the one that it calls are both recovered, and the second one runs twice.

python dbos-child-twice.py     needs dbos 2.0.0 or newer, and pysqlite3-binary where SQLite is old
"""

import asyncio
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

if sqlite3.sqlite_version_info < (3, 42):
    import pysqlite3

    sys.modules["sqlite3"] = pysqlite3

from dbos import DBOS, SetWorkflowID

FOLDER = Path(os.environ.setdefault("FOLDER", tempfile.mkdtemp()))
PROCESS = os.environ.get("PROCESS")


@DBOS.step()
async def charge_card() -> str:
    """Charge the card. The first process dies in here, before anything has happened."""
    if PROCESS == "first":
        os._exit(1)
    with (FOLDER / "charged").open("a") as log:
        log.write("charged ")
    await asyncio.sleep(2)
    return "done"


@DBOS.workflow()
async def agent() -> str:
    return await charge_card()


@DBOS.workflow()
async def order() -> str:
    return await agent()


async def main() -> None:
    database = f"sqlite:///{FOLDER / 'dbos.sqlite'}"
    config = {"name": "shop", "system_database_url": database, "log_level": "ERROR"}
    DBOS(config={**config, "run_admin_server": False})
    DBOS.launch()
    if PROCESS == "first":
        with SetWorkflowID("order-42"):
            await order()
    handle = await DBOS.retrieve_workflow_async("order-42")
    try:
        print(await asyncio.wait_for(handle.get_result(), 10))
    except asyncio.TimeoutError:
        print("10 s later the workflow is", (await handle.get_status()).status)
    print((FOLDER / "charged").read_text())
    sys.stdout.flush()
    os._exit(0)


if PROCESS:
    asyncio.run(main())
else:
    for name in ("first", "second"):
        environment = {**os.environ, "PROCESS": name}
        subprocess.run([sys.executable, __file__], env=environment, check=False)
