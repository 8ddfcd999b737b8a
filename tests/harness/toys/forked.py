"""A target's program for the tests of launchers: says what it sees, then ends as it is told.

``forked.py VERB``, and the variable TOY_END names the end.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import sibling

REPORT = Path(os.environ["PLUGPULL_REPORTED"])


def report(name: str, value: object) -> None:
    """Add one fact to the report."""
    known = json.loads(REPORT.read_text()) if REPORT.exists() else {}
    REPORT.write_text(json.dumps({**known, name: value}))


def later() -> None:
    """A thread that outlives the main one."""
    time.sleep(0.05)
    report("thread", True)


if __name__ == "__main__":
    report("hash", hash("a text"))
    report("name", __name__)
    report("file", __file__)
    report("argv", sys.argv)
    report("path", sys.path[0])
    report("directory", str(Path.cwd()))
    report("sibling", sibling.ANSWER)
    report("main", sys.modules["__main__"].report is report)
    report("stdin", sys.stdin.read())
    report("environment", dict(os.environ))
    report("leader", os.getpgid(0) == os.getpid() == os.getsid(0))
    report("preloaded", "wave" in sys.modules)
    watched = (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP)
    report("signals", [signal.getsignal(one) == signal.SIG_DFL for one in watched])
    atexit.register(report, "atexit", True)
    threading.Thread(target=later).start()
    print("said without a newline", end="")
    match os.environ["TOY_END"]:
        case "exception":
            raise RuntimeError("on purpose")
        case "exit":
            sys.exit(3)
        case "sentence":
            sys.exit("a last sentence")
        case "signal":
            os.kill(os.getpid(), signal.SIGTERM)
        case "at once":
            os._exit(5)
        case "kills its parent":
            os.kill(os.getppid(), signal.SIGKILL)
            signal.pause()
