"""Agents for the tests of kill-mid-tool: each gets one thing right or wrong on purpose.

``tools.py KIND [FILE] VERB``. They stand for a framework that runs an unfinished tool again on
resume, and report one more effect where the run ends. FILE outlives the work folder, for the
toys that have to know how often they were started.
"""

# ruff: noqa: D103 - a toy's name says what it does

from __future__ import annotations

import atexit
import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path

from plugpull import record_effect

KIND, *REST, VERB = sys.argv[1:]
WORK = Path(os.environ["PLUGPULL_WORKDIR"])
TOYS: dict[str, Callable[[], None]] = {}
RESUMED = VERB == "resume"


def toy(function: Callable[[], None]) -> Callable[[], None]:
    """Make a function a kind: ``charge_twice`` is ``charge-twice``."""
    TOYS[function.__name__.replace("_", "-")] = function
    return function


def finish() -> None:
    """The run's end, as the provider sees it."""
    record_effect("finish_order", key="order-42")


def send(name: str) -> socket.socket:
    """Send a call and return at once, with the connection open and no answer read."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.environ["PLUGPULL_PROVIDER"])
    connection.sendall(json.dumps({"effect": name}).encode() + b"\n")
    return connection


def wait_forever() -> None:
    """Wait to be killed."""
    while True:
        signal.pause()


def times_started() -> int:
    """How often this toy was started with this verb, this time included."""
    counter = Path(f"{REST[0]}.{VERB}")
    count = 1 + (int(counter.read_text()) if counter.exists() else 0)
    counter.write_text(str(count))
    return count


def faulted_start() -> bool:
    """Whether this start comes after the run without a fault."""
    return VERB == "start" and times_started() > 1


# -- tools -----------------------------------------------------------------------------------------


@toy
def no_key() -> None:
    record_effect("charge_card")
    finish()


@toy
def stable_key() -> None:
    record_effect("charge_card", key="order-42")
    finish()


@toy
def fresh_key() -> None:
    record_effect("charge_card", key=uuid.uuid4().hex)
    finish()


@toy
def ledger_first() -> None:
    ledger = WORK / "ledger"
    if not ledger.exists():
        ledger.touch()
        record_effect("charge_card")
    finish()


@toy
def done_marker() -> None:
    """Says that it is done, in its work folder and in the file for reports, before it is."""
    (WORK / "done").touch()
    Path(os.environ["PLUGPULL_REPORTED"]).write_text('{"finished": true, "effects": {}}')
    no_key()


@toy
def two_names_one_key() -> None:
    record_effect("charge", key="k")
    record_effect("email", key="k")


@toy
def drops_the_email() -> None:
    record_effect("charge", key="k")
    if not RESUMED:
        record_effect("email", key="k")


@toy
def doubles_the_second() -> None:
    """Only the second name is doubled, and only on resume."""
    record_effect("charge", key="k")
    record_effect("email")
    if RESUMED:
        record_effect("email")


@toy
def two_orders_under_one_name() -> None:
    record_effect("charge_card")
    record_effect("charge_card")


# -- where the call comes from ---------------------------------------------------------------------


@toy
def forked_child() -> None:
    """The tool runs in a child that stays in the group."""
    child = os.fork()
    if child == 0:
        record_effect("charge_card")
        os._exit(0)
    os.waitpid(child, 0)
    finish()


@toy
def child_in_own_session() -> None:
    """The tool runs in a child that left the group."""
    child = os.fork()
    if child == 0:
        os.setsid()
        record_effect("charge_card")
        os._exit(0)
    os.waitpid(child, 0)
    finish()


@toy
def worker_gives_up() -> None:
    """A worker outside the group makes the call and closes it again by itself."""
    child = os.fork()
    if child == 0:
        os.setsid()
        connection = send("charge_card")
        connection.settimeout(0.3)
        with contextlib.suppress(TimeoutError):
            connection.recv(100)
        os._exit(0)
    os.waitpid(child, 0)
    finish()


@toy
def child_keeps_the_call_open() -> None:
    """This process makes the call, and a child that left the group holds its socket too."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.environ["PLUGPULL_PROVIDER"])
    away, went_away = os.pipe()
    if not RESUMED and os.fork() == 0:
        os.setsid()
        os.write(went_away, b"x")
        wait_forever()
    if not RESUMED:
        os.read(away, 1)
    connection.sendall(b'{"effect": "charge_card"}\n')
    connection.recv(100)
    finish()


@toy
def calls_after_it_ended() -> None:
    """The agent ends at once; a child in its group makes the call afterwards."""
    parent = os.getpid()
    if os.fork() > 0:
        os._exit(0)
    while os.getppid() == parent:
        time.sleep(0.001)
    record_effect("charge_card")


@toy
def calls_and_exits() -> None:
    """Sends its call from a thread and ends without waiting for the answer."""
    thread = threading.Thread(target=send, args=["charge_card"])
    thread.start()
    thread.join()
    os._exit(0)


@toy
def hangs_up() -> None:
    """Makes its call, closes it by itself, and lives on."""
    send("charge_card").close()
    wait_forever()


@toy
def half_closes() -> None:
    """Says that it sends no more, as ``nc -N`` does, and waits for the answer."""
    connection = send("charge_card")
    connection.shutdown(socket.SHUT_WR)
    if connection.recv(100):
        finish()


@toy
def sends_ahead() -> None:
    """Sends its second call before the first one is answered, over the same connection."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.environ["PLUGPULL_PROVIDER"])
    # Longer than what the provider reads at once, so that some of it waits in the kernel.
    second = b'{"effect": "finish_order", "key": "order-42"}' + b" " * 50_000 + b"\n"
    connection.sendall(b'{"effect": "charge_card"}\n' + second)
    answers = b""
    while answers.count(b"\n") < 2:
        received = connection.recv(100)
        if not received:
            sys.exit("the provider hung up")
        answers += received


@toy
def caller_hands_over() -> None:
    """A child makes the call and ends; its own child keeps the socket open."""
    if os.fork() == 0:
        _open = send("charge_card")
        if os.fork() > 0:
            os._exit(0)
        wait_forever()
    os.wait()
    wait_forever()


@toy
def exits_137_on_sigterm() -> None:
    signal.signal(signal.SIGTERM, lambda *_: os._exit(137))
    no_key()


@toy
def last_words() -> None:
    """Leaves a word wherever a process can that is asked to end, rather than killed."""
    signal.signal(signal.SIGTERM, lambda *_: Path(REST[0]).write_text("SIGTERM"))
    if not RESUMED:
        atexit.register(lambda: Path(f"{REST[0]}.{times_started()}").write_text("atexit"))
    no_key()


# -- ends of a run ---------------------------------------------------------------------------------


@toy
def exits_early() -> None:
    print("NOISE", file=sys.stderr)
    sys.exit(3)


@toy
def never_calls() -> None:
    print("nothing to charge", file=sys.stderr)


@toy
def hangs_without_a_call() -> None:
    print("HALF", file=sys.stderr, flush=True)
    wait_forever()


@toy
def next_start_exits() -> None:
    if faulted_start():
        print("NOISE", file=sys.stderr)
        sys.exit(4)
    no_key()


@toy
def next_start_hangs() -> None:
    if faulted_start():
        print("HALF", file=sys.stderr, flush=True)
        wait_forever()
    no_key()


@toy
def malformed_call() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.connect(os.environ["PLUGPULL_PROVIDER"])
        connection.sendall(b"charge me\n")
        connection.recv(1000)


@toy
def resume_does_nothing() -> None:
    if not RESUMED:
        no_key()


@toy
def resume_crashes() -> None:
    print("NOISE", file=sys.stderr)
    if RESUMED:
        sys.exit(7)
    no_key()


@toy
def resume_hangs() -> None:
    if RESUMED:
        print("HALF", file=sys.stderr, flush=True)
        wait_forever()
    no_key()


@toy
def resume_refuses() -> None:
    if RESUMED:
        sys.exit("RefusedError: this run is over")
    no_key()


@toy
def resume_charges_and_refuses() -> None:
    no_key()
    if RESUMED:
        sys.exit("RefusedError: this run is over")


@toy
def resume_has_another_effect() -> None:
    stable_key()
    if RESUMED:
        record_effect("send_apology")


@toy
def noisy() -> None:
    print("NOISE", file=sys.stderr)
    print("NOISE on standard output")
    no_key()


@toy
def ten_thousand_lines() -> None:
    if RESUMED:
        sys.stderr.write("".join(f"line {number}\n" for number in range(10_000)))
        sys.exit(1)
    no_key()


# -- what an agent sees and does to its surroundings -----------------------------------------------


@toy
def shows_itself() -> None:
    """Adds to FILE what it sees, one line of JSON for each process."""
    seen = {
        "argv": sys.argv[1:],
        "environment": dict(os.environ),
        "work": str(WORK),
        "files": sorted(path.name for path in WORK.iterdir()),
        "directory": str(Path.cwd()),
    }
    with Path(REST[-1]).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(seen) + "\n")
    (WORK / "checkpoint").touch()
    no_key()


@toy
def deletes_its_folder() -> None:
    shutil.rmtree(WORK)
    no_key()


@toy
def puts_a_file_there() -> None:
    shutil.rmtree(WORK)
    WORK.touch()
    no_key()


@toy
def deletes_what_is_ours() -> None:
    """Its work folder's parent and all that is in it, once it is connected to the provider."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.environ["PLUGPULL_PROVIDER"])
    shutil.rmtree(WORK.parent)
    connection.sendall(b'{"effect": "charge_card"}\n')
    connection.recv(100)


@toy
def leaves_a_fifo() -> None:
    if not RESUMED:
        os.mkfifo(WORK / "fifo")
    no_key()


@toy
def leaves_a_locked_folder() -> None:
    locked = WORK / "locked"
    if not locked.exists():
        locked.mkdir()
        (locked / "file").touch()
        locked.chmod(0o500)
    no_key()


@toy
def daemon_in_own_session() -> None:
    """Leaves a process behind that no kill of the group reaches; FILE gets its pid."""
    if not RESUMED:
        daemon = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        with Path(REST[0]).open("a", encoding="utf-8") as stream:
            stream.write(f"{daemon.pid}\n")
    no_key()


@toy
def children_in_the_group() -> None:
    """Ends while it has children, all in its group."""
    for _ in range(8):
        subprocess.Popen(["sleep", "1000"])
    no_key()


@toy
def holds_until_killed() -> None:
    """Tells FILE its pid and a daemon's, then waits inside its tool for ever."""
    daemon = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    Path(f"{REST[0]}.half").write_text(f"{os.getpid()} {daemon.pid} {WORK}")
    Path(f"{REST[0]}.half").replace(REST[0])
    wait_forever()


@toy
def strange_name() -> None:
    record_effect("charge\nPASS   \x1b[31mforged\ud800é")
    if not RESUMED:
        finish()


if __name__ == "__main__":
    TOYS[KIND]()
