"""Agents for the tests of batch-kill: each gets one thing right or wrong on purpose.

``batch.py KIND FOLDER VERB``. They ask for three payments in one turn and keep a history of calls
and answers in their work folder. FOLDER outlives it, for the toys that count their starts.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plugpull import record_effect

KIND, FOLDER, VERB = sys.argv[1:]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])
HISTORY = WORK / "history.json"
RESUMED = VERB == "resume"
NUMBERS = range(1, int(os.environ["PLUGPULL_BATCH"]) + 1)
LOCK = threading.Lock()

Entries = list[dict[str, Any]]


def load() -> Entries:
    entries: Entries = json.loads(HISTORY.read_text()) if HISTORY.exists() else []
    return entries


def save(entries: Entries) -> None:
    draft = HISTORY.with_suffix(".new")
    draft.write_text(json.dumps(entries))
    draft.replace(HISTORY)


def note(kind: str, number: int) -> None:
    with LOCK:
        save([*load(), {"kind": kind, "id": f"call_{number}"}])


def answered(number: int) -> bool:
    return {"kind": "answer", "id": f"call_{number}"} in load()


def pay(number: int, *, keyed: bool = True) -> None:
    record_effect(f"charge_card_{number}", key=f"order-{number}" if keyed else None)


def finish() -> None:
    record_effect("finish_order", key="order-42")


def ask() -> None:
    """The model's turn, in one piece."""
    if not HISTORY.exists():
        save([{"kind": "user"}, *({"kind": "call", "id": f"call_{n}"} for n in NUMBERS)])


def one_by_one(*, keyed: bool = True, skip: int = 0) -> None:
    """Each answer is noted when it comes."""
    ask()
    for number in NUMBERS:
        if not answered(number) and number != skip:
            pay(number, keyed=keyed)
            note("answer", number)
    finish()


def all_at_the_end(*, keyed: bool) -> None:
    """The answers are noted together."""
    ask()
    for number in NUMBERS:
        pay(number, keyed=keyed)
    for number in NUMBERS:
        note("answer", number)
    finish()


def side_by_side(*, notes: bool) -> None:
    """All three at once; each thread notes its answer, or nobody does before the end."""
    ask()

    def work(number: int) -> None:
        pay(number)
        if notes:
            note("answer", number)

    threads = [threading.Thread(target=work, args=(n,)) for n in NUMBERS if not answered(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if not notes:
        for number in NUMBERS:
            note("answer", number)
    finish()


def times_started() -> int:
    counter = Path(FOLDER) / "starts"
    count = 1 + (int(counter.read_text()) if counter.exists() else 0)
    counter.write_text(str(count))
    return count


def resume_with(act: Callable[[], None]) -> None:
    """Start well; what a resume does is the toy's."""
    if RESUMED:
        act()
    else:
        one_by_one()


def break_history(change: Callable[[Entries], Entries]) -> None:
    """Pay well, and leave a history that a resume has spoiled."""
    one_by_one()
    if RESUMED:
        save(change(load()))


def without(kind: str, number: int) -> Callable[[Entries], Entries]:
    return lambda all_: [one for one in all_ if one != {"kind": kind, "id": f"call_{number}"}]


# -- what cannot be judged -------------------------------------------------------------------------


def one_charge() -> None:
    record_effect("charge_card", key="order-42")
    finish()


def something_first() -> None:
    record_effect("open_order", key="order-42")
    one_by_one()


def one_a_turn() -> None:
    """Three payments in three turns."""
    for number in NUMBERS:
        if not answered(number):
            note("call", number)
            pay(number)
            note("answer", number)
    finish()


def broken_from_the_start() -> None:
    one_by_one()
    save(without("answer", 2)(load()))


def next_start(act: Callable[[], None]) -> None:
    """The first start, without a fault, is good; later ones are not."""
    if VERB == "start" and times_started() > 1:
        act()
    else:
        one_by_one()


def give_up_after_one() -> None:
    pay(1)
    sys.exit("NOISE")


def audit_first() -> None:
    record_effect("audit")
    one_by_one()


def leave_the_answer() -> None:
    """Send the first payment and never read what comes back."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.environ["PLUGPULL_PROVIDER"])
    line = json.dumps({"effect": "charge_card_1", "key": "order-1"})
    connection.sendall(line.encode() + b"\n")
    # The second payment must not overtake the first: wait for the answer, and leave it there.
    connection.recv(1, socket.MSG_PEEK)
    pay(2)


def pay_from_outside() -> None:
    """The second payment comes from a process that leads a group of its own."""
    pay(1)
    words = [sys.executable, "-m", "plugpull.effects", "charge_card_2"]
    subprocess.run(words, check=False, start_new_session=True)


TOYS: dict[str, Callable[[], None]] = {
    "notes-each": one_by_one,
    "notes-each-keyless": lambda: one_by_one(keyed=False),
    "forgets": lambda: all_at_the_end(keyed=False),
    "forgets-with-key": lambda: all_at_the_end(keyed=True),
    "parallel-notes": lambda: side_by_side(notes=True),
    "parallel-forgets": lambda: side_by_side(notes=False),
    "skips-the-held": lambda: one_by_one(skip=2 if RESUMED else 0),
    "resume-does-nothing": lambda: resume_with(lambda: None),
    "resume-crashes": lambda: resume_with(lambda: sys.exit("NOISE")),
    "resume-hangs": lambda: resume_with(signal.pause),
    "answers-nothing": lambda: break_history(without("answer", 2)),
    "answers-twice": lambda: break_history(lambda all_: [*all_, all_[-1]]),
    "answers-nobody": lambda: break_history(without("call", 2)),
    "answers-too-early": lambda: break_history(lambda all_: [all_[-1], *all_[:-1]]),
    "calls-twice": lambda: break_history(lambda all_: [*all_[:2], *all_[1:]]),
    "forgets-its-history": lambda: break_history(lambda all_: all_[:1]),
    "loses-its-history": one_by_one,
    "lies": lambda: one_by_one(skip=2 if RESUMED else 0),
    "no-ids": one_by_one,
    "no-list": one_by_one,
    "no-entries": one_by_one,
    "no-calls": one_by_one,
    "unreadable": one_by_one,
    "one-charge": one_charge,
    "something-first": something_first,
    "one-a-turn": one_a_turn,
    "broken-from-the-start": broken_from_the_start,
    "next-start-gives-up": lambda: next_start(give_up_after_one),
    "next-start-audits": lambda: next_start(audit_first),
    "next-start-leaves-the-answer": lambda: next_start(leave_the_answer),
    "next-start-pays-from-outside": lambda: next_start(pay_from_outside),
}


def inspect() -> None:
    """Report the history, or what the toy says it is."""
    found: Any = load()
    if KIND == "lies":
        found = [{"kind": kind, "id": f"call_{n}"} for kind in ("call", "answer") for n in NUMBERS]
    elif KIND == "no-ids":
        found = [{"kind": one["kind"]} for one in found]
    elif KIND == "no-list":
        found = None
    elif KIND == "no-entries":
        found = ["call", "answer"]
    elif KIND == "no-calls":
        found = []
    elif KIND == "unreadable" or (KIND == "loses-its-history" and (WORK / "resumed").exists()):
        sys.exit("no such thread")
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"history": found}))


if __name__ == "__main__":
    if VERB == "inspect":
        inspect()
    else:
        if RESUMED:
            (WORK / "resumed").touch()
        TOYS[KIND]()
