"""Starts an agent's command as forks of itself, so that hundreds of runs take seconds.

``python forker.py AGENT_FOLDER`` imports that agent once. It then reads one JSON object a line,
``{"argv", "env", "cwd", "out", "err"}`` or ``{"wait": PID}``, and answers with a line each: the
process id, or the exit status, negative for a signal.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import runpy
import signal
import sys
import traceback

#: CPU seconds after which a fork is killed (SIGPROF): an agent that never gives up has to end.
LIMIT = 0.4


def become(request) -> None:
    """Turn this fork into the process that was asked for."""
    signal.setitimer(signal.ITIMER_PROF, LIMIT)
    for number, path in enumerate((os.devnull, request["out"], request["err"])):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(path, flags, 0o644), number)
    os.environ.clear()
    os.environ.update(request["env"])
    os.chdir(request["cwd"])
    sys.argv[:] = request["argv"]


def run() -> int:
    """Run the program to its end; its exit status."""
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as leaving:
        if isinstance(leaving.code, str):
            print(leaving.code, file=sys.stderr)
            return 1
        return leaving.code or 0
    except BaseException:  # noqa: BLE001 - as the interpreter does
        traceback.print_exc()
        return 1
    return 0


def answer(request) -> int:
    """Start a process, or wait for one."""
    if "wait" in request:
        return os.waitstatus_to_exitcode(os.waitpid(request["wait"], 0)[1])
    pid = os.fork()
    if pid == 0:
        become(request)
        status = run()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return pid


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    importlib.import_module("durable.cli")
    # What is frozen is not looked at by a fork's collector, so its pages stay shared.
    gc.freeze()
    for line in sys.stdin:
        print(answer(json.loads(line)), flush=True)
