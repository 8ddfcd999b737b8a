"""Nothing of ours outlives the person who started it: SIGTERM, a closed terminal, a killed parent.

nox stops its sessions' processes on Ctrl-C alone. A SIGTERM would leave them running, and a SIGKILL
of nox cannot be answered by nox at all, so the sessions' processes watch for it themselves.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

__all__ = ["PLANNER_PID", "guard_parent", "guard_worker"]

#: Names, for the sessions' processes, the process that must live on for them to do so.
PLANNER_PID = "PLUGPULL_PLANNER_PID"
#: Seconds between two looks at the parent.
LOOK_EVERY = 0.25
#: Seconds a session's processes get to end by themselves before they are killed.
GRACE = 8.0


def guard_parent() -> None:
    """In the process that starts the sessions: let SIGTERM and SIGHUP do what Ctrl-C does.

    The exit code is then the signal's (143, 129), not Ctrl-C's.
    """
    received: list[int] = []
    # Registered first, so that it runs last: whatever else there is to clean up has been.
    atexit.register(_exit_as_signalled, received)

    def stop(number: int, _frame: FrameType | None) -> None:
        received.append(number)
        # nox knows how to stop its children, and does it for this exception alone.
        raise KeyboardInterrupt

    _install(stop)
    os.environ[PLANNER_PID] = str(os.getpid())


def guard_worker() -> None:
    """In a session's own process: clean up on SIGTERM, and end when the parent is gone."""

    def stop(number: int, _frame: FrameType | None) -> None:
        # Once is enough: whatever cleans up now must not be interrupted by the next one.
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    _install(stop)
    parent = os.environ.get(PLANNER_PID, "")
    if parent.isdigit():
        threading.Thread(target=_watch, args=(int(parent),), daemon=True).start()


def _install(stop: signal._HANDLER) -> None:
    # Only the main thread may; nox runs the noxfile there, an embedding program perhaps not.
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup means what it says
                signal.signal(number, stop)


def _exit_as_signalled(received: list[int]) -> None:
    if received:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(128 + received[0])


def _watch(parent: int) -> None:
    """End this process's whole group when its parent is another one than at the start."""
    while os.getppid() == parent:
        time.sleep(LOOK_EVERY)
    own_group = os.getpgrp() == os.getpid()
    send = os.killpg if own_group else os.kill
    send(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    send(os.getpid(), signal.SIGKILL)
