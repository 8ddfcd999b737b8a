"""A process that has imported pytest and forks to run some tests, which saves half of the time.

Started by test_mutants.py as a program. Reads one line of JSON per run, ``{"path": ..., "tests":
[...], "report": ..., "output": ...}``, and writes the exit status of pytest.
"""

from __future__ import annotations

import json
import os
import signal
import sys

import pytest

__all__: list[str] = []

# Seconds; the longest takes three.
_LIMIT = 180


def _run(path: str, tests: list[str], report: str, output: str) -> int:
    """In a forked child: what ``python -m pytest`` with ``path`` in PYTHONPATH does."""
    # A mutant may make its tests wait for ever; that is no failed assertion.
    signal.alarm(_LIMIT)
    os.environ["PYTHONPATH"] = path
    sys.path.insert(0, path)
    written = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for descriptor in (1, 2):
        os.dup2(written, descriptor)
    plugins = ("-p", "no:cacheprovider")
    return int(pytest.main(["-x", "-q", *plugins, f"--junitxml={report}", *tests]))


if __name__ == "__main__":
    for _line in sys.stdin:
        _child = os.fork()
        if _child == 0:
            try:
                os._exit(_run(**json.loads(_line)))
            finally:
                os._exit(70)
        print(os.waitstatus_to_exitcode(os.waitpid(_child, 0)[1]), flush=True)
