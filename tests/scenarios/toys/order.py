"""An agent for the tests of faults around one tool call: ``order.py FLAGS FOLDER VERB``.

It charges a card, asks its model, closes the order, and keeps its history in its work folder. The
flags, joined by ``+``, say what it does well or badly. FOLDER outlives the work folder, for the
flags that count starts.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

from plugpull import fault, record_effect

FLAGS, FOLDER, VERB = set(sys.argv[1].split("+")), Path(sys.argv[2]), sys.argv[3]
HISTORY = Path(os.environ["PLUGPULL_WORKDIR"]) / "history.json"

Entries = list[dict[str, Any]]


def load() -> Entries:
    entries: Entries = json.loads(HISTORY.read_text()) if HISTORY.exists() else []
    return entries


def note(kind: str, identity: str | None = None) -> None:
    draft = HISTORY.with_suffix(".new")
    draft.write_text(json.dumps([*load(), {"kind": kind, "id": identity}]))
    draft.replace(HISTORY)


def has(kind: str) -> bool:
    return any(one["kind"] == kind for one in load())


def hang() -> NoReturn:
    while True:
        signal.pause()


def call_provider() -> None:
    record_effect("charge_card", key="order-42" if "keyed" in FLAGS else None)


def charge() -> None:
    try:
        call_provider()
    except ConnectionError:
        if "retries" in FLAGS:
            call_provider()
        if "raises-later" in FLAGS or not FLAGS & {"retries", "tells-model", "goes-quietly"}:
            fail()
        if "goes-quietly" in FLAGS:
            sys.exit(0)
        if "unpairs" in FLAGS:
            note("call", "call_2")
        if "apologizes" in FLAGS:
            record_effect("send_apology")


def fail() -> NoReturn:
    if "hangs" in FLAGS:
        hang()
    if "dies" in FLAGS:
        print("a library gives up", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    if "mute" in FLAGS:
        sys.exit(3)
    raise ConnectionError("no answer from the payment service")


def ask_model() -> None:
    if "no-model" in FLAGS:
        return
    try:
        fault("model:after-tool")
    except ConnectionError:
        if "model-hangs" in FLAGS:
            hang()
        if "stops" in FLAGS:
            sys.exit(0)
        if "charges-again" in FLAGS:
            call_provider()
        if "unpairs" in FLAGS:
            note("call", "call_2")
        if "asks-again" in FLAGS:
            fault("model:after-tool")
        elif "swallows" not in FLAGS:
            raise


def run() -> None:
    if not has("user"):
        note("user")
    if "model-first" in FLAGS:
        ask_model()
    if not has("call"):
        note("call", "call_1")
    if not has("answer"):
        charge()
        if "forgets" not in FLAGS:
            note("answer", "call_1")
    if "stubborn" in FLAGS and VERB == "start" and (FOLDER / "started-2").exists():
        hang()
    ask_model()
    if not has("answer"):
        note("answer", "call_1")
    if not has("message"):
        note("message")
    record_effect("finish_order", key="order-42")


def start() -> None:
    number = 1
    while (FOLDER / f"started-{number}").exists():
        number += 1
    (FOLDER / f"started-{number}").touch()
    if "never-calls" in FLAGS:
        return
    if number > 1:
        if "next-start-gives-up" in FLAGS:
            sys.exit("gave up")
        if "next-start-calls-from-outside" in FLAGS:
            outside = [sys.executable, "-m", "plugpull.effects", "charge_card"]
            subprocess.run(outside, check=True, start_new_session=True)
    if "starts-unpaired" in FLAGS:
        note("call", "call_0")
    run()


def note_and_go() -> NoReturn:
    note("answer", "call_1")
    os._exit(0)


def resume() -> None:
    if "resume-complains" in FLAGS and has("message"):
        sys.exit("nothing to resume")
    if "resume-crashes" in FLAGS:
        sys.exit("NOISE")
    if "resume-hangs" in FLAGS:
        hang()
    if "resume-does-nothing" in FLAGS:
        return
    if "resume-charges" in FLAGS:
        call_provider()
    if "resume-unpairs" in FLAGS:
        note("call", "call_2")
    run()


def inspect() -> None:
    if "unreadable" in FLAGS or ("unreadable-later" in FLAGS and (FOLDER / "started-2").exists()):
        sys.exit("cannot read")
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"history": load()}))


HANDLERS: dict[str, Any] = {
    "handles": lambda *_: None,
    "stubborn": signal.SIG_IGN,
    "exits": lambda *_: sys.exit(0),
    "notes-and-goes": lambda *_: note_and_go(),
}

if __name__ == "__main__":
    for flag in FLAGS & set(HANDLERS):
        signal.signal(signal.SIGTERM, HANDLERS[flag])
    {"start": start, "resume": resume, "inspect": inspect}[VERB]()
