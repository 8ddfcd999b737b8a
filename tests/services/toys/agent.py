"""An agent that keeps its state in the toy server, under the name of its run."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from plugpull import record_effect
from server import NOTES, ask

TRIAL = os.environ["PLUGPULL_TRIAL"]

if __name__ == "__main__":
    verb = sys.argv[-1]
    with NOTES.joinpath("runs").open("a", encoding="utf-8") as runs:
        runs.write(f"{TRIAL} {verb}\n")
    if verb == "inspect":
        found = {"history": [], "finished": ask(f"{TRIAL}-end") == "yes"}
        Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found), encoding="utf-8")
    else:
        begun = ask(f"{TRIAL} {os.getpid()}")
        if (begun == str(os.getpid())) != (verb == "start"):
            sys.exit(f"{verb} found the run begun by {begun}")
        if os.environ["TOY_AGENT"] == f"ends-the-server-in-{verb}":
            ask("stop")
        if os.environ["TOY_AGENT"] == "waits":
            NOTES.joinpath("waiting").touch()
            signal.pause()
        record_effect("charge_card", key="order-42")
        record_effect("finish_order", key="order-42")
        ask(f"{TRIAL}-end yes")
