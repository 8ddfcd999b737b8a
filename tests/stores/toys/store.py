"""Agents with a store behind ``store_write``: ``store.py KIND VERB``.

Each charges a card and closes the order. They differ in what they write, in what they make of a
write that failed, and in what they read back.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plugpull import record_effect, store_write

KIND, FOLDER, VERB = sys.argv[1:]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])
USER = {"kind": "user", "id": None}
CALL = {"kind": "call", "id": "call-1"}
ANSWER = {"kind": "answer", "id": "call-1"}
RESUMED = VERB == "resume"


def load(name: str, default: Any) -> Any:
    path = WORK / name
    return json.loads(path.read_bytes()) if path.exists() else default


def keep(name: str, value: Any) -> None:
    half = WORK / f"{name}.half"
    half.write_text(json.dumps(value), encoding="utf-8")
    half.replace(WORK / name)


def report(**fields: Any) -> None:
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(fields), encoding="utf-8")


def times_started() -> int:
    """How many starts there were before this one, of this toy, in all trials."""
    file = Path(FOLDER) / "starts"
    before = len(file.read_text(encoding="utf-8")) if file.exists() else 0
    with file.open("a", encoding="utf-8") as counter:
        counter.write("." if VERB == "start" else "")
    return before


# -- a log, one write for each entry ---------------------------------------------------------------


def append(entry: dict[str, Any]) -> None:
    with store_write(f"save:{entry['kind']}"):
        keep("log", [*load("log", []), entry])


def write_log(
    *, looks: bool = True, on_failure: Callable[[], None] | None = None, key: str | None = "order"
) -> None:
    done = len(load("log", [])) if looks else load("count", 0)
    entries: list[dict[str, Any]] = [USER, CALL, ANSWER]
    for number, entry in enumerate(entries):
        if number < done:
            continue
        if entry is ANSWER:
            record_effect("charge_card", key=key)
        try:
            append(entry)
        except ConnectionError:
            if on_failure is None:
                raise
            on_failure()
        keep("count", number + 1)
    record_effect("finish_order", key="order")


def hang() -> None:
    signal.pause()


def from_outside() -> None:
    """A process that leads a group of its own makes the first write."""
    if VERB == "start" and times_started():
        words = "from plugpull import store_write\nwith store_write('save:user'): pass"
        subprocess.run([sys.executable, "-c", words], check=False, start_new_session=True)
    else:
        write_log()


def silent_second_start() -> None:
    if VERB == "start" and times_started():
        record_effect("charge_card")
    else:
        write_log()


def resume_with(act: Callable[[], None]) -> None:
    """A start that fails at its first failing write, and another resume."""
    if RESUMED:
        act()
    else:
        write_log()


# -- single results, and a checkpoint over them ----------------------------------------------------


def step(
    *, reads: bool = True, key: str | None = None, background: bool = False, wait: bool = False
) -> None:
    """Charge unless it is known to be done; its result is written by itself."""
    writing: threading.Thread | None = None
    if not load("saved", reads and load("result", default=False)):
        record_effect("charge_card", key=key)
        writing = threading.Thread(target=write_result, daemon=True)
        writing.start()
        if not background or wait:
            writing.join()
    with store_write("save:step"):
        keep("saved", value=True)
    record_effect("finish_order", key="order")
    if writing is not None:
        writing.join()


def write_result() -> None:
    with store_write("writes:charge"):
        keep("result", value=True)


def only_saves(key: str | None = "order") -> None:
    if not load("saved", default=False):
        record_effect("charge_card", key=key)
    with store_write("save:step"):
        keep("saved", value=True)
    record_effect("finish_order", key="order")


def save_from_outside() -> None:
    if VERB == "start" and times_started():
        words = "from plugpull import store_write\nwith store_write('save:step'): pass"
        subprocess.run([sys.executable, "-c", words], check=False, start_new_session=True)
    only_saves()


def saves_no_more() -> None:
    if VERB == "start" and times_started():
        record_effect("charge_card")
    else:
        only_saves()


# -- the application's own values ------------------------------------------------------------------

VALUES = {name: f"toy.{name} 1" for name in ("dataclass", "model", "enum", "bytes", "datetime")}


def values(*, saves: int = 2, refused: int = 0, said: Any = VALUES) -> None:
    if VERB == "start":
        report(classes=said)
        for number in range(saves):
            try:
                with store_write(f"save:{number}"):
                    # A set is not to be had in JSON.
                    keep(f"values-{number}", VALUES if number < saves - refused else {1})
            except TypeError as error:
                print(error, file=sys.stderr)
    record_effect("charge_card", key="order")
    record_effect("finish_order", key="order")


def read_values(*, seen: Any = 2, found: Any = VALUES) -> None:
    report(history=[], checkpoints=seen, classes=found)


def values_then(act: Callable[[], None]) -> None:
    if RESUMED:
        act()
    else:
        values()


def crash() -> None:
    sys.exit("NOISE")


def refuse() -> None:
    sys.exit("RefusedError: another store")


TOYS: dict[str, Callable[[], None]] = {
    "reads-its-log": write_log,
    "counts-its-writes": lambda: write_log(looks=False),
    "swallows": lambda: write_log(on_failure=lambda: None),
    "charges-again": lambda: write_log(key=None),
    "hangs": lambda: write_log(on_failure=hang),
    "crashes": lambda: resume_with(crash),
    "refuses": lambda: resume_with(refuse),
    "does-nothing": lambda: resume_with(lambda: None),
    "writes-from-outside": from_outside,
    "writes-less-next-time": silent_second_start,
    "broken-by-itself": write_log,
    "unreadable": write_log,
    "silent": lambda: record_effect("charge_card"),
    "keyed": lambda: step(reads=False, key="order"),
    "forgets-its-results": lambda: step(reads=False),
    "does-not-wait": lambda: step(background=True),
    "waits": lambda: step(background=True, wait=True),
    "one-kind": only_saves,
    "save-crashes": lambda: crash() if RESUMED else only_saves(),
    "save-does-nothing": lambda: None if RESUMED else only_saves(),
    "save-unpaired": only_saves,
    "saves-from-outside": save_from_outside,
    "saves-no-more": saves_no_more,
    "keeps-all": values,
    "loses-a-class": values,
    "changes-a-class": values,
    "hides-one": values,
    "shows-one-more": values,
    "refuses-a-save": lambda: values(refused=1),
    "values-crash": lambda: values_then(crash),
    "values-lost": lambda: values_then(lambda: record_effect("finish_order", key="order")),
    "values-unreadable": values,
    "no-number": values,
    "no-classes": values,
    "says-nothing": lambda: values(said=None),
    "says-too-little": lambda: values(said={"enum": "toy.enum 1"}),
    "saves-nothing": lambda: values(saves=0),
}

READERS: dict[str, Callable[[], None]] = {
    "broken-by-itself": lambda: report(history=[USER, CALL]),
    "unreadable": crash,
    "save-unpaired": lambda: report(history=[USER, CALL]),
    "keeps-all": read_values,
    "values-crash": read_values,
    "values-lost": read_values,
    "refuses-a-save": lambda: read_values(seen=1),
    "loses-a-class": lambda: read_values(found=VALUES | {"enum": None}),
    "changes-a-class": lambda: read_values(found=VALUES | {"enum": "builtins.str 'fast'"}),
    "hides-one": lambda: read_values(seen=1),
    "shows-one-more": lambda: read_values(seen=3),
    "values-unreadable": crash,
    "no-number": lambda: read_values(seen="two"),
    "no-classes": lambda: read_values(found={}),
}


if __name__ == "__main__":
    if VERB == "inspect":
        READERS.get(KIND, lambda: report(history=load("log", [])))()
    else:
        TOYS[KIND]()
