"""An agent for the tests of cut-off turns: ``talk.py FLAGS FOLDER VERB``.

It charges a card in its first turn, streams when it is asked to, and keeps its history in its work
folder. The flags, joined by ``+``, say what it does well or badly; most of them only after a turn
that was cut off. FOLDER outlives the work folder, for the flags that count starts.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, NoReturn

from plugpull import fault, record_effect

FLAGS, FOLDER, VERB = set(sys.argv[1].split("+")), Path(sys.argv[2]), sys.argv[3]
HISTORY = Path(os.environ["PLUGPULL_WORKDIR"]) / "history.json"
STREAMS = "PLUGPULL_STREAM" in os.environ

Entries = list[dict[str, Any]]

client_gone = threading.Event()


class CutOffError(Exception):
    """Nobody reads the stream any more."""


def load() -> Entries:
    entries: Entries = json.loads(HISTORY.read_text()) if HISTORY.exists() else []
    return entries


def save(entries: Entries) -> None:
    draft = HISTORY.with_suffix(".new")
    draft.write_text(json.dumps(entries))
    draft.replace(HISTORY)


def note(kind: str, identity: str | None = None) -> None:
    save([*load(), {"kind": kind, "id": identity}])


def unanswered() -> list[str]:
    answers = {one["id"] for one in load() if one["kind"] == "answer"}
    return [one["id"] for one in load() if one["kind"] == "call" and one["id"] not in answers]


def cut_off() -> bool:
    """Whether the first turn never came to its last words."""
    return all(one["kind"] != "message" for one in load())


def hang() -> NoReturn:
    while True:
        signal.pause()


def charge() -> None:
    record_effect("charge_card", key=None if "keyless" in FLAGS else "order-42")


def ask_model() -> None:
    if unanswered() and "trusts" not in FLAGS:
        raise ValueError("400: an assistant message with tool calls must be followed by answers")


# -- the first turn --------------------------------------------------------------------------------


def watch() -> None:
    if "deaf" in FLAGS and second_start():
        with socket.socket(socket.AF_UNIX) as client:
            client.connect(os.environ["PLUGPULL_PROVIDER"])
            client.sendall(b'{"fault": "client"}\n')
            hang_in_thread()
    word = fault("client")
    if word != "go-on":
        print(f"the client said {word}", file=sys.stderr, flush=True)
        client_gone.set()


def hang_in_thread() -> NoReturn:
    while True:
        threading.Event().wait(60)


def stream(answer: str) -> None:
    if not STREAMS:
        return
    for _ in range(1 if "one-piece" in FLAGS else 3):
        if client_gone.is_set() and "ignores-its-client" not in FLAGS:
            raise CutOffError
        try:
            word = fault(f"chunk:{answer}")
        except ConnectionError:
            print("the connection is lost", file=sys.stderr, flush=True)
            if "ignores-its-client" not in FLAGS:
                raise
            continue
        if word == "close":
            print("the stream is closed", file=sys.stderr, flush=True)
        if word == "close" and "ignores-its-client" not in FLAGS:
            raise CutOffError


def start() -> None:
    number = 1
    while (FOLDER / f"started-{number}").exists():
        number += 1
    (FOLDER / f"started-{number}").touch()
    if "never-calls" in FLAGS:
        return
    if STREAMS and not ("no-watcher" in FLAGS and second_start()):
        threading.Thread(target=watch, daemon=True).start()
    if number > 1 and "next-start-gives-up" in FLAGS:
        sys.exit("gave up")
    note("user")
    try:
        take_turn(number)
    except (CutOffError, ConnectionError):
        clean_up()


def second_start() -> bool:
    return (FOLDER / "started-2").exists()


def take_turn(number: int) -> None:
    if "starts-unpaired" in FLAGS:
        note("call", "call_0")
    stream("first-answer")
    note("call", "call_1")
    if number > 1 and "next-start-calls-from-outside" in FLAGS:
        outside = [sys.executable, "-m", "plugpull.effects", "charge_card"]
        subprocess.run(outside, check=True, start_new_session=True)
    charge()
    if "leaves-open" not in FLAGS or not client_gone.is_set():
        note("answer", "call_1")
    stream("last-answer")
    note("message")
    record_effect("finish_order", key="order-42")


def clean_up() -> None:
    if "hangs-off" in FLAGS:
        hang()
    if "drops-turn" in FLAGS:
        save([])
    if "drops-call" in FLAGS:
        save([one for one in load() if one["kind"] == "user"])


# -- the next turn ---------------------------------------------------------------------------------


def next_turn() -> None:
    if "never-goes-on" in FLAGS:
        sys.exit(3)
    if cut_off():
        spoil()
    for call in unanswered():
        if not FLAGS & {"sends-open", "trusts"}:
            note("answer", call)
    note("user")
    ask_model()
    note("message")
    if "no-report" not in FLAGS:
        record_effect("next_turn", key=None if "twice" in FLAGS else "order-42-turn-2")
    if "twice" in FLAGS:
        record_effect("next_turn")


def spoil() -> None:
    if "refuses" in FLAGS:
        sys.exit("NOISE")
    if "hangs" in FLAGS:
        hang()
    if "charges-again" in FLAGS:
        charge()
    if "charges-twice" in FLAGS:
        record_effect("charge_card")
        record_effect("charge_card")
    if "apologizes" in FLAGS:
        record_effect("send_apology")
    if "says-nothing" in FLAGS:
        sys.exit(0)
    if "repeats-user" in FLAGS:
        note("user")
    if "forgets" in FLAGS:
        save([])


def inspect() -> None:
    if "unreadable" in FLAGS or ("unreadable-later" in FLAGS and second_start()):
        sys.exit("cannot read")
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"history": load()}))


if __name__ == "__main__":
    {"start": start, "next-turn": next_turn, "inspect": inspect}[VERB]()
