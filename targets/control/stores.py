"""Agents with a store of their own behind ``store_write``, and what each gets right or wrong.

Standard library only. What each must come to stands beside its name in target.json.

lost-session-write: a log of two entries, each one write. One looks what its log holds, one counts
the writes that were acknowledged, one does not care whether they were.

kill-at-save: the charge's result is written by itself, and a checkpoint over it. One goes on from
whichever there is, the other looks at the checkpoint alone.

store-roundtrip: the application's values are pickled, or written as texts; and of the checkpoints
every other one is left out when they are listed.
"""

from __future__ import annotations

import datetime as dt
import enum
import json
import os
import pickle
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plugpull import record_effect, store_write

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
KIND = os.environ["PLUGPULL_CONTROL"]
ORDER = "order-42"
VERB = sys.argv[-1]


def durably(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all."""
    half = path.with_suffix(".half")
    half.write_bytes(data)
    half.replace(path)


def load(name: str, default: Any) -> Any:
    """What a file of the work folder holds."""
    path = WORK / name
    return json.loads(path.read_bytes()) if path.exists() else default


def report(**fields: Any) -> None:
    """Write the file for reports."""
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(json.dumps(fields), encoding="utf-8")


# -- lost-session-write: a log, one write for each entry -------------------------------------------


def run_log() -> None:
    """Write what is not written yet; the charge comes before its answer."""
    entries: list[dict[str, str | None]] = [
        {"kind": "call", "id": "call-1"},
        {"kind": "answer", "id": "call-1"},
    ]
    reads = KIND == "reads-its-log"
    done = len(load("log", [])) if reads else load("count", 0)
    for number, entry in enumerate(entries):
        if number < done:
            continue
        if entry["kind"] == "answer":
            record_effect("charge_card", key=ORDER)
        try:
            append(entry)
        except ConnectionError:
            if KIND != "goes-on-regardless":
                raise
        durably(WORK / "count", json.dumps(number + 1).encode())
    record_effect("finish_order", key=ORDER)


def append(entry: dict[str, str | None]) -> None:
    """One write."""
    with store_write(f"save:{entry['kind']}"):
        durably(WORK / "log", json.dumps([*load("log", []), entry]).encode())


# -- kill-at-save: a result by itself, and a checkpoint over it ------------------------------------


def run_checkpoints() -> None:
    """Charge unless that is known to be done, and save."""
    reads = KIND == "reads-its-results"
    if not (load("charged", reads and load("result", default=False))):
        record_effect("charge_card", key=ORDER if reads else None)
        with store_write("writes:charge"):
            durably(WORK / "result", b"true")
    with store_write("save:charged"):
        durably(WORK / "charged", b"true")
    record_effect("finish_order", key=ORDER)


# -- store-roundtrip: the application's own values -------------------------------------------------


@dataclass(frozen=True)
class Parcel:
    """A value of a class of the application."""

    weight: int


class Speed(enum.Enum):
    """Another one."""

    FAST = "fast"


VALUES: dict[str, Any] = {
    "dataclass": Parcel(3),
    "model": Parcel(4),
    "enum": Speed.FAST,
    "bytes": b"label",
    "datetime": dt.datetime(2026, 9, 14, tzinfo=dt.timezone.utc),
}


def describe(value: Any) -> str:
    """A value and its class."""
    return f"{type(value).__module__.rpartition('.')[2]}.{type(value).__qualname__} {value!r}"


def run_values() -> None:
    """Save the values twice, charge, and finish."""
    if VERB == "start":
        report(classes={name: describe(value) for name, value in VALUES.items()})
        for number in (1, 2):
            with store_write(f"save:{number}"):
                durably(WORK / f"values-{number}", pickled() if KIND == "pickles" else texts())
    record_effect("charge_card", key=ORDER)
    record_effect("finish_order", key=ORDER)


def pickled() -> bytes:
    """The values as they are."""
    return pickle.dumps(VALUES)


def texts() -> bytes:
    """What is left of the values in JSON."""
    return json.dumps({name: str(value) for name, value in VALUES.items()}).encode()


def inspect_values() -> None:
    """Read the newest, and count them."""
    seen = sorted(WORK.glob("values-*"))
    newest = seen[-1].read_bytes()
    values = pickle.loads(newest) if KIND == "pickles" else json.loads(newest)  # noqa: S301 - our own
    report(
        history=[],
        checkpoints=len(seen) if KIND == "pickles" else len(seen) // 2,
        classes={name: describe(value) for name, value in values.items()},
    )


if __name__ == "__main__":
    if KIND in {"pickles", "writes-texts"}:
        inspect_values() if VERB == "inspect" else run_values()
    elif KIND in {"reads-its-results", "forgets-its-results"}:
        run_checkpoints()
    elif VERB == "inspect":
        report(history=load("log", []))
    else:
        run_log()
