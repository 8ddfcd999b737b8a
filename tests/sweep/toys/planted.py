"""Agents for the tests of kill-sweep: each gets one thing right or wrong on purpose.

``planted.py KIND FOLDER VERB``. Two calls, ``charge`` and ``finish``, both with stable keys, and a
note in between; a journal says what is done. FOLDER outlives the work folder, for the toys that
have to know how often they were started.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

from plugpull import record_effect

KIND, FOLDER, VERB = sys.argv[-3:]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])
RESUMED = VERB == "resume"
NOTE = WORK / "note"
TOYS: dict[str, Callable[[], None]] = {}
OUTPUTS: dict[str, Callable[[], object]] = {}


def toy(function: Callable[[], None]) -> Callable[[], None]:
    """Make a function a kind: ``charge_twice`` is ``charge-twice``."""
    TOYS[function.__name__.replace("_", "-")] = function
    return function


def output(function: Callable[[], object]) -> Callable[[], object]:
    """Make a function what a kind's ``inspect`` reports; the run itself is a sound one."""
    kind = function.__name__.replace("_", "-")
    TOYS[kind], OUTPUTS[kind] = sound, function
    return function


def run(note: Callable[[], object], key: str | None = "order-42") -> None:
    """Charge, leave a note, finish; what the journal has is not done again."""
    journal = WORK / "journal"
    done = journal.read_text().split() if journal.exists() else []
    steps: dict[str, Callable[[], object]] = {
        "charge": lambda: record_effect("charge", key=key),
        "note": note,
        "finish": lambda: record_effect("finish", key="order-42"),
    }
    for name, step in steps.items():
        if name not in done:
            step()
            done.append(name)
            half = journal.with_suffix(".half")
            half.write_text("\n".join(done))
            half.replace(journal)


def write_note() -> None:
    NOTE.write_text("to pay: $42\npaid: $42\n")


def times_started() -> int:
    """How often this toy was started, this time included; resumes do not count."""
    counter = Path(FOLDER) / "count"
    count = int(counter.read_text()) if counter.exists() else 0
    if VERB == "start":
        counter.write_text(str(count := count + 1))
    return count


@toy
def sound() -> None:
    run(write_note)


# -- what a resume may get wrong -------------------------------------------------------------------


@toy
def loses_an_effect() -> None:
    """Notes that it has charged before it has."""
    charged = WORK / "charged"
    if not charged.exists():
        charged.touch()
        record_effect("charge", key="order-42")
    record_effect("finish", key="order-42")


@toy
def doubles_an_effect() -> None:
    run(write_note, key=None)


@toy
def loses_state() -> None:
    run(write_note)
    if RESUMED:
        NOTE.unlink(missing_ok=True)


@toy
def empties_state() -> None:
    """A database that differs from run to run is compared by name, but not when it is empty."""
    run(lambda: NOTE.write_text(uuid.uuid4().hex))
    if RESUMED:
        NOTE.write_text("")


@toy
def removes_everything() -> None:
    run(write_note)
    if RESUMED:
        shutil.rmtree(WORK)


@toy
def signs_again() -> None:
    run(write_note)
    if RESUMED:
        NOTE.write_text(NOTE.read_text().replace("paid: $42", "paid: $43"))


@toy
def leaves_more() -> None:
    run(write_note)
    if RESUMED:
        (WORK / "draft").touch()


@toy
def stays_and_leaves_more() -> None:
    """From the third start on it does not end, so no moment comes too late to kill it."""
    starts = times_started()
    run(write_note)
    while VERB == "start" and starts > 2:
        signal.pause()
    (WORK / "draft").write_text("resumed" if RESUMED else "started")


@toy
def makes_it_a_program() -> None:
    run(write_note)
    if RESUMED:
        NOTE.chmod(0o755)


@toy
def leads_elsewhere() -> None:
    run(lambda: NOTE.symlink_to("journal"))
    if RESUMED:
        NOTE.unlink()
        NOTE.symlink_to("nowhere")


@toy
def replaces_its_folder() -> None:
    run(write_note)
    if RESUMED:
        shutil.rmtree(WORK)
        WORK.write_text("a file")


@toy
def crashes() -> None:
    if RESUMED:
        print("NOISE", file=sys.stderr)
        sys.exit(7)
    run(write_note)


@toy
def hangs() -> None:
    while RESUMED:
        signal.pause()
    run(write_note)


@toy
def refuses() -> None:
    if RESUMED:
        sys.exit("RefusedError: this run is over")
    run(write_note)


@toy
def needs_no_call() -> None:
    """A queue of its own does the rest, so a resume has nothing to call."""
    WORK.joinpath("seen").touch()
    if not RESUMED:
        record_effect("charge", key="order-42")


@output
def output_differs() -> object:
    return {"closed": True, "phase": "resumed" if (WORK / "again").exists() else "started"}


@output
def output_is_gone() -> object:
    return None if (WORK / "again").exists() else ["paid"]


@output
def output_cannot_be_read() -> object:
    return sys.exit("it is broken") if (WORK / "again").exists() else ["paid"]


# -- runs without a fault that are not alike -------------------------------------------------------


@toy
def other_content_each_time() -> None:
    run(lambda: NOTE.write_text(uuid.uuid4().hex))


@toy
def other_content_later() -> None:
    """As a date does: the first two runs happen to write the same."""
    day = 1 if times_started() <= 2 else 2
    run(lambda: NOTE.write_text(f"day {day}"))


@toy
def other_kind_each_time() -> None:
    run(write_note)
    NOTE.chmod(0o755 if times_started() == 2 else 0o644)


@toy
def other_names_each_time() -> None:
    run((WORK / uuid.uuid4().hex).touch)


@toy
def other_names_later() -> None:
    later = times_started() > 2
    run(lambda: (WORK / "later").touch() if later else None)


@toy
def other_calls_each_time() -> None:
    record_effect("charge", key="order-42")
    record_effect("charge" if times_started() == 1 else "thank", key="order-42")


@toy
def second_run_fails() -> None:
    if times_started() == 2:
        sys.exit("not again")
    run(write_note)


@toy
def third_run_never_calls() -> None:
    if times_started() < 3:
        run(write_note)


@toy
def never_calls() -> None:
    write_note()


@output
def other_output_each_time() -> object:
    return uuid.uuid4().hex


@output
def never_to_be_read() -> object:
    return sys.exit("it is broken")


# -- strange surroundings --------------------------------------------------------------------------


@toy
def strange_things() -> None:
    """A socket, a pipe, a loop, a name that is no text, what nobody may read, deep folders."""
    run(write_note)
    os.chdir(WORK)
    if Path("socket").exists():
        return
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("socket")
    os.mkfifo("pipe")
    Path("loop").symlink_to(".")
    Path("nowhere").symlink_to("/no/such/place")
    (WORK / os.fsdecode(b"na\xefve \n")).touch()
    Path("locked").write_text("x")
    Path("locked").chmod(0)
    Path("closed").mkdir(mode=0)
    for _ in range(1100):
        Path("d").mkdir()
        os.chdir("d")


@toy
def goes_without_a_trace() -> None:
    run(write_note)
    shutil.rmtree(WORK)


@toy
def awkward_names() -> None:
    record_effect("../../../charge the card\n", key="order-42")
    record_effect("finish")


@toy
def asks_twice() -> None:
    """Two calls with one key are one effect, and two places to die."""
    record_effect("charge", key="order-42")
    record_effect("charge", key="order-42")


if __name__ == "__main__":
    if VERB == "inspect":
        found = OUTPUTS.get(KIND, lambda: "done")()
        Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps({"output": found}))
    else:
        TOYS[KIND]()
        if RESUMED and KIND in OUTPUTS:
            (WORK / "again").touch()
