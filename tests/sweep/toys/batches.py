"""A durable agent in nothing but the standard library, whose model asks for six calls in batches.

Three calls, then two, then one. Each writes a file and has an effect. The model goes on from the
conversation that is stored, and never sees what was lost. TOY_SAVE says how a result is stored,
``each`` or by the ``batch``; TOY_RESUME what a resume runs of a batch that is not whole, what is
``pending`` or the ``whole`` of it; TOY_KEY whether the service gets a ``stable`` key; TOY_BATCH
whether the calls of a batch are made one by one in the order asked for, ``shuffled``, or
``together``.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from plugpull import record_effect

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
SCRIPT = [["tea", "milk", "sugar"], ["bread", "butter"], ["jam"]]
LOCK = threading.Lock()


def setting(name: str) -> str:
    """What this run is to get right or wrong."""
    return os.environ.get(f"TOY_{name}", "")


class Session:
    """The conversation: each batch that was asked for, and the results it has."""

    def __init__(self) -> None:
        self._path = WORK / "session.json"
        stored = json.loads(self._path.read_text()) if self._path.exists() else []
        self.batches: list[list[str]] = [batch["calls"] for batch in stored]
        self.results: list[list[str]] = [batch["results"] for batch in stored]

    def save(self) -> None:
        """Replace what is stored; a crash leaves the old or the new."""
        pairs = zip(self.batches, self.results, strict=True)
        half = self._path.with_suffix(".half")
        # Sorted, because results of calls made together come in any order.
        half.write_text(json.dumps([{"calls": one, "results": sorted(two)} for one, two in pairs]))
        half.replace(self._path)


def run_tool(session: Session, name: str) -> None:
    """Buy one thing."""
    record_effect(name, key=f"order-42-{name}" if setting("KEY") == "stable" else None)
    (WORK / name).write_text(f"bought {name}\n")
    with LOCK:
        session.results[-1].append(name)
        if setting("SAVE") == "each":
            session.save()


def run_batch(session: Session) -> None:
    """Make the calls of the newest batch."""
    calls, done = session.batches[-1], session.results[-1]
    if setting("RESUME") == "whole" and len(done) < len(calls):
        done.clear()
    pending = [name for name in calls if name not in done]
    if setting("BATCH") == "together":
        with ThreadPoolExecutor(len(pending)) as pool:
            list(pool.map(lambda name: run_tool(session, name), pending))
    else:
        if setting("BATCH") == "shuffled":
            random.SystemRandom().shuffle(pending)
        for name in pending:
            run_tool(session, name)
    if setting("SAVE") != "each":
        # Not twice: a draft of what is stored already would be left by a kill.
        session.save()


def main(verb: str) -> None:
    """Run to the end, from wherever the stored conversation is."""
    session = Session()
    if verb == "inspect":
        output = {"results": [sorted(batch) for batch in session.results]}
        Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"output": output}))
        return
    if session.batches and len(session.results[-1]) < len(session.batches[-1]):
        run_batch(session)
    for batch in SCRIPT[len(session.batches) :]:
        session.batches.append(batch)
        session.results.append([])
        session.save()
        run_batch(session)


if __name__ == "__main__":
    main(sys.argv[-1])
