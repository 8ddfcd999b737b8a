"""Agents for the tests of resume-after-approval and resume-twice: ``asking.py TRAITS FOLDER VERB``.

Without traits it is right in all shapes: it keeps what was decided and what is done, and goes on
from there. A trait, or several with a plus between them, makes it wrong in one thing, or right in
another way. FOLDER outlives a run, for what goes wrong only after the run without a fault.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from plugpull import fault, record_effect

TRAITS = set(sys.argv[1].split("+"))
FOLDER, VERB = Path(sys.argv[2]), sys.argv[3]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])
SHAPE = os.environ.get("PLUGPULL_APPROVAL", "none")
STREAMED = os.environ.get("PLUGPULL_STREAM") == "1"
ORDER = "order-42"
GATED = ["charge_card_1", "charge_card_2"] if SHAPE == "two" else ["charge_card"]
TOLD: list[dict[str, str]] = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
LOCK = threading.Lock()

Run = dict[str, Any]


def has(trait: str) -> bool:
    return trait in TRAITS


def load() -> Run:
    saved = WORK / "run.json"
    run: Run = {"decided": {}, "done": []}
    return json.loads(saved.read_text()) if saved.exists() else run


def save(run: Run) -> None:
    with LOCK:
        draft = WORK / "run.draft"
        draft.write_text(json.dumps(run))
        draft.replace(WORK / "run.json")


def later(name: str) -> bool:
    """Whether this was asked before, in this run or in an earlier one of the same toy."""
    place = FOLDER / f"{sys.argv[1]}-{name}"
    before = place.exists()
    place.touch()
    return before


def do(run: Run, name: str, *, forget: bool = False) -> None:
    """Have an effect that is not noted as done."""
    if name in run["done"]:
        return
    keyless = has("keyless") or name == "reserve_stock"
    record_effect(name, key=None if keyless else f"{ORDER}-{name}")
    if not forget:
        run["done"].append(name)
        save(run)


def tell_shop(run: Run) -> None:
    if has("shop-when-told"):
        fault("shop")
    if SHAPE == "sibling" and not has("shop-never"):
        do(run, "notify_shop")


def charge(run: Run, name: str) -> None:
    if has("pays-from-outside") and later("outside"):
        pay_from_outside(name)
    do(run, name, forget=has("forgets-charges"))


def pay_from_outside(name: str) -> None:
    """Call from a process group of its own, and wait for an answer as any caller does."""
    line = json.dumps({"effect": name, "key": ORDER}) + "\n"
    program = (
        "import os, socket, sys\n"
        "s = socket.socket(socket.AF_UNIX)\n"
        "s.connect(os.environ['PLUGPULL_PROVIDER'])\n"
        "s.sendall(sys.argv[1].encode())\n"
        "s.recv(100)\n"
    )
    subprocess.run([sys.executable, "-c", program, line], check=False, start_new_session=True)


def start(run: Run) -> None:
    if SHAPE.endswith("after-step") and not has("step-late"):
        do(run, "reserve_stock")
    if has("charges-at-once"):
        charge(run, GATED[0])
    if not TRAITS & {"shop-later", "shop-beside", "shop-last"}:
        tell_shop(run)
    save(run)


def refuse_what_is_not_clear(run: Run) -> None:
    """Say no without doing anything, unless each call was decided once."""
    calls = [one["call"] for one in TOLD]
    if sorted([*calls, *run["decided"]]) != sorted(GATED):
        sys.exit("REFUSED: each call has to be decided once")


def apply(run: Run) -> None:
    if has("by-position"):
        run["decided"] |= {name: one["decision"] for name, one in zip(GATED, TOLD, strict=False)}
        if TOLD and TOLD[0]["call"] != GATED[0]:
            run["decided"][GATED[0]] = "reject"
        return
    if has("drops-a-part") and 0 < len(TOLD) < len(GATED) and not later("part"):
        return
    for one in TOLD:
        run["decided"][one["call"]] = one["decision"]
        if has("applies-each"):
            run["done"] = []
            charge(run, one["call"])
    if has("silence-is-consent") and not TOLD:
        run["decided"][GATED[0]] = "approve"
    if has("one-is-all") and TOLD:
        run["decided"] |= dict.fromkeys(GATED, "approve")
    if has("obeys-no-rejection"):
        run["decided"] = dict.fromkeys(run["decided"], "approve")


def go_wrong(when: str) -> None:
    """Crash, refuse or hang where a trait says so: ``crashes-WHEN``, ..."""
    if has(f"crashes-{when}"):
        raise RuntimeError("out of luck")
    if has(f"refuses-{when}"):
        sys.exit("REFUSED: not this one")
    if has(f"hangs-{when}"):
        time.sleep(600)
    if has(f"idles-{when}"):
        sys.exit(0)


def approve(run: Run) -> None:
    if has("wants-all-at-once"):
        refuse_what_is_not_clear(run)
    if STREAMED:
        go_wrong("streamed")
    if SHAPE == "sibling":
        go_wrong("sibling")
    if TOLD and TOLD[0]["decision"] == "reject":
        go_wrong("rejected")
    if not TOLD:
        go_wrong("undecided")
    if (WORK / "told").exists():
        go_wrong("told-again")
    (WORK / "told").touch()
    if later(f"approve-{SHAPE}"):
        go_wrong("at-last")
    if has("step-again") and SHAPE == "nested-after-step":
        run["done"].remove("reserve_stock")
        do(run, "reserve_stock")
    if has("forgets-it-ended") and (WORK / "ended").exists():
        run["done"] = []
    apply(run)
    save(run)
    go_on(run)


def go_on(run: Run) -> None:
    if has("shop-later"):
        tell_shop(run)
    approved = [name for name in GATED if run["decided"].get(name) == "approve"]
    calls = [threading.Thread(target=charge, args=(run, name)) for name in approved]
    if has("shop-beside"):
        calls.append(threading.Thread(target=tell_shop, args=(run,)))
    for call in calls:
        call.start()
        if not has("shop-beside"):
            call.join()
    for call in calls:
        call.join()
    if has("shop-last"):
        tell_shop(run)
    if all(name in run["decided"] for name in GATED):
        end(run)
    if len(TOLD) > 1 and SHAPE == "one":
        go_wrong("at-the-end")
    go_wrong("closed")


def end(run: Run) -> None:
    rejected = "reject" in run["decided"].values()
    if has("never-ends") or (has("leaves-it") and rejected):
        return
    if has("loses-nested") and SHAPE == "nested":
        return
    if has("closes-twice") and rejected:
        record_effect("finish_order")
    if has("refunds"):
        record_effect("refund")
    do(run, "finish_order")
    (WORK / "ended").touch()


def resume(run: Run) -> None:
    go_wrong("resumed")
    if SHAPE == "none":
        if VERB == "resume":
            go_wrong("again")
        if has("refunds-again") and VERB == "resume":
            record_effect("refund")
        if has("forgets-it-ended"):
            run["done"] = []
        run["decided"] = {"charge_card": "approve"}
        go_on(run)
        return
    if has("charges-when-resumed"):
        charge(run, GATED[0])
    if not has("forgets-the-shop"):
        tell_shop(run)


def inspect() -> None:
    if has("unreadable"):
        sys.exit("no such run")
    history = [{"kind": "call", "id": "1"}, {"kind": "answer", "id": "1"}]
    if has("unpaired"):
        history.pop()
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"history": history}))


def nonsense() -> None:
    """A line that is not the protocol's."""
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(os.environ["PLUGPULL_PROVIDER"])
        line.sendall(b"charge, please\n")
        line.recv(100)


def main() -> None:
    if VERB == "inspect":
        inspect()
        return
    if has("talks-nonsense"):
        nonsense()
    if VERB == "start":
        go_wrong("first")
        if later(f"start-{SHAPE}"):
            go_wrong("next-start")
        start(load())
        if SHAPE == "none":
            resume(load())
    elif VERB == "approve":
        go_wrong("approved")
        approve(load())
    else:
        resume(load())


if __name__ == "__main__":
    main()
