"""Agents for the tests of changed-world: each meets the change well or badly on purpose.

``world.py KIND FOLDER VERB``. FOLDER outlives the work folder, for the toys that count starts.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

from plugpull import record_effect

KIND, FOLDER, VERB = sys.argv[1:]
WORLD = os.environ.get("PLUGPULL_WORLD", "")
ORDER = "order-42"


def charge() -> None:
    record_effect("charge_card", key=ORDER)


def finish() -> None:
    record_effect("finish_order", key=ORDER)


def go_on() -> None:
    charge()
    finish()


def refuse() -> NoReturn:
    sys.exit(f"RefusedError: this run was saved before: {WORLD}")


def leave_it_out() -> None:
    finish()


def charge_twice() -> None:
    record_effect("charge_card")
    go_on()


def apologize() -> None:
    go_on()
    record_effect("send_apology")


def crash() -> NoReturn:
    message = "this run cannot be resumed"
    raise ValueError(message)


def crash_in_code_that_names_it() -> NoReturn:
    # The traceback quotes this line.
    raise ValueError("sorry") from KeyError(f"no {len('tool-removed')}")


def refuse_late() -> NoReturn:
    charge()
    refuse()


def say_and_exit_0() -> None:
    print(f"RefusedError: this run was saved before: {WORLD}", file=sys.stderr)
    finish()


def say_and_die() -> None:
    print(f"RefusedError: this run was saved before: {WORLD}", file=sys.stderr, flush=True)
    os.kill(os.getpid(), signal.SIGTERM)


#: What a resume does that finds another world; in the one it knows, all of them go on.
CHANGED: dict[str, Callable[[], object]] = {
    "refuses": refuse,
    "goes-on": go_on,
    "leaves-it-out": leave_it_out,
    "charges-twice": charge_twice,
    "apologizes": apologize,
    "crashes": crash,
    "crashes-quoting": crash_in_code_that_names_it,
    "refuses-late": refuse_late,
    "says-so": say_and_exit_0,
    "says-so-and-dies": say_and_die,
    "hangs": signal.pause,
    "stays-as-it-was": go_on,
    "has-no-world": go_on,
    "cannot-be-inspected": go_on,
    "refuses-inspection-too": refuse,
    "harmed-already": go_on,
    "next-start-exits": go_on,
    "crashes-at-once": go_on,
    "never-calls": go_on,
}


def times_started() -> int:
    counter = Path(FOLDER) / "starts"
    count = 1 + (int(counter.read_text()) if counter.exists() else 0)
    counter.write_text(str(count))
    return count


def start() -> None:
    if KIND == "never-calls":
        return
    # One start without a fault, one with the fault in the world as it was, then those to judge.
    if KIND == "crashes-at-once" or (KIND == "next-start-exits" and times_started() > 2):
        sys.exit("NOISE")
    go_on()


def resume() -> None:
    if KIND == "harmed-already":
        finish()
    elif WORLD:
        CHANGED[KIND]()
    else:
        go_on()


def inspect() -> None:
    if WORLD and KIND in {"cannot-be-inspected", "refuses-inspection-too"}:
        sys.exit("no such tool")
    found: dict[str, object] = {"history": [], "finished": True}
    if KIND != "has-no-world":
        found["world"] = {"seen": "" if KIND == "stays-as-it-was" else WORLD, "model": "shop"}
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(found))


if __name__ == "__main__":
    {"start": start, "resume": resume, "inspect": inspect}[VERB]()
