"""Agents for the tests of lost-session-write: conversations that are written item by item.

``sessions.py KIND [FILE] VERB``. FILE outlives the work folder, for the toys that have to know
how often they were started.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import json
import os
import signal
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plugpull import record_effect
from plugpull.session_store import StoreClient
from plugpull.wire import call

KIND, *REST, VERB = sys.argv[1:]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])
STAGED = os.environ["PLUGPULL_STAGED_INPUT"]
RESUMED = VERB == "resume"
TOYS: dict[str, Callable[[], None]] = {}
Item = dict[str, Any]


def toy(function: Callable[[], None]) -> Callable[[], None]:
    """Make a function a kind."""
    TOYS[function.__name__.replace("_", "-")] = function
    return function


def finish() -> None:
    """The run's end, as the provider sees it."""
    record_effect("finish_order", key="order-42")


def user(text: str) -> Item:
    """One item."""
    return {"role": "user", "content": text}


def faulted_start() -> bool:
    """Whether this start comes after the run without a fault."""
    counter = Path(REST[0])
    count = 1 + (int(counter.read_text()) if counter.exists() else 0)
    if VERB == "start":
        counter.write_text(str(count))
    return VERB == "start" and count > 1


def converse(*items: Item, looks: bool = True, swallows: bool = False) -> None:
    """Write each item that is not written yet; the place is saved before each write.

    Args:
        items: The conversation.
        looks: Whether a resume looks into the store before it writes the failed item again.
        swallows: Whether a write that fails is taken for written.
    """
    store = StoreClient("conversation")
    saved = WORK / "saved.json"
    position = 0
    if RESUMED:
        position, items = json.loads(saved.read_text())
        position += looks and items[position] in store.get_items()
    for number in range(position, len(items)):
        saved.write_text(json.dumps([number, items]))
        try:
            store.add_items([items[number]])
        except ConnectionError:
            if not swallows:
                raise
    finish()


# -- recoveries ------------------------------------------------------------------------------------


@toy
def looks_first() -> None:
    converse(user("Charge $42."), user(STAGED), {"type": "reasoning", "id": "r1"})


@toy
def writes_again() -> None:
    converse(user("Charge $42."), user(STAGED), user("Done."), looks=False)


@toy
def two_staged_writes() -> None:
    converse(user(STAGED), user("Charge $42."), {"role": "system", "content": f"noted: {STAGED}"})


@toy
def random_item() -> None:
    """An item that differs in each run, before the staged one."""
    converse(user(uuid.uuid4().hex), user(STAGED))


@toy
def strange_items() -> None:
    converse(
        {"type": ["list"], "role": {"a": 1}},
        {"type": "a/b_c\n\ud800" + "x" * 200},
        {},
        user(STAGED),
    )


@toy
def same_item_twice() -> None:
    """Two sessions, one content: the store counts contents."""
    for session in ("one", "two"):
        StoreClient(session).add_items([user(STAGED)])
    finish()


@toy
def removes_an_item() -> None:
    store = StoreClient("conversation")
    store.add_items([user("draft")])
    store.pop_item()
    store.add_items([user(STAGED)])
    finish()


@toy
def resume_does_nothing() -> None:
    if not RESUMED:
        looks_first()


@toy
def resume_loses_it() -> None:
    """The staged input is forgotten, the rest goes on."""
    if RESUMED:
        finish()
    else:
        converse(user(STAGED))


@toy
def resume_crashes() -> None:
    if RESUMED:
        print("NOISE", file=sys.stderr)
        sys.exit(7)
    looks_first()


@toy
def resume_hangs() -> None:
    if RESUMED:
        print("HALF", file=sys.stderr, flush=True)
        signal.pause()
    looks_first()


@toy
def charges_twice() -> None:
    """Its history is right, and its tool has its effect again on resume."""
    record_effect("charge_card")
    looks_first()


@toy
def resume_refuses() -> None:
    if RESUMED:
        sys.exit("RefusedError: this run is over")
    looks_first()


@toy
def inspects() -> None:
    """Reports lies about its history."""
    if VERB == "inspect":
        report = {"history": [], "finished": True, "verdict": "PASS"}
        Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(report))
    else:
        writes_again()


@toy
def spoils_its_history() -> None:
    """Every item is stored once, and after a resume a call has no answer."""
    spoilt = Path(os.environ["PLUGPULL_WORKDIR"]) / "resumed"
    if VERB == "inspect":
        history = [{"kind": "call", "id": "call_1"}] if spoilt.exists() else []
        Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"history": history}))
        return
    if RESUMED:
        spoilt.touch()
    looks_first()


# -- what cannot be judged -------------------------------------------------------------------------


@toy
def first_run_exits_5() -> None:
    StoreClient("conversation").add_items([user(STAGED)])
    print("NOISE", file=sys.stderr)
    sys.exit(5)


@toy
def first_run_hangs() -> None:
    StoreClient("conversation").add_items([user(STAGED)])
    signal.pause()


@toy
def nothing_staged() -> None:
    converse(user("Charge $42."))


@toy
def stores_twice_by_itself() -> None:
    converse(user(STAGED), user(STAGED))


@toy
def next_start_writes_less() -> None:
    if faulted_start():
        sys.exit(1)
    looks_first()


@toy
def next_start_writes_something_else() -> None:
    converse(user("something else" if faulted_start() else STAGED), user("Done."))


@toy
def next_start_stages_more() -> None:
    """The lost write carries the staged input, and so does one that did not before."""
    converse(user(STAGED if faulted_start() else "Charge $42."), user(f"once more: {STAGED}"))


@toy
def next_start_writes_another_kind() -> None:
    converse({"type": "reasoning"} if faulted_start() else user("Charge $42."), user(STAGED))


@toy
def swallows() -> None:
    converse(user("Charge $42."), user(STAGED), user("Done."), swallows=True)


@toy
def retries() -> None:
    """A session layer that tries each write again by itself."""
    store = StoreClient("conversation")
    for item in (user("Charge $42."), user(STAGED)):
        try:
            store.add_items([item])
        except ConnectionError:
            store.add_items([item])
    finish()


@toy
def goes_on_writing() -> None:
    """Fails in the end, and writes something after the lost write."""
    store = StoreClient("conversation")
    try:
        store.add_items([user(STAGED)])
    except ConnectionError:
        store.add_items([user("an apology")])
        raise
    finish()


@toy
def lies_about_the_write() -> None:
    """Claims a failure, ends with one, and never made the write that was to fail."""
    if faulted_start():
        sys.exit(f"ConnectionError: the write of {STAGED} failed without an answer")
    looks_first()


@toy
def malformed_write() -> None:
    call(os.environ["PLUGPULL_STORE"], {"call": "add_items", "session": "s", "items": "x"})
    looks_first()


if __name__ == "__main__":
    TOYS[KIND]()
