"""Agents that ask a human before they charge, and whose verdicts are known; standard library only.

PLUGPULL_CONTROL says which one to be, and PLUGPULL_APPROVAL what it asks:

waits-for-a-human: keeps what was decided and what is done, and goes on from there. It tells the
shop before it pauses, so that a kill there is one before anybody decided.

obeys-nobody: charges whatever was decided, and once more for good measure, unless the shop is told
in the same turn: then it charges first, once a process, and forgets that it did.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from plugpull import record_effect

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
KIND = os.environ["PLUGPULL_CONTROL"]
SHAPE = os.environ["PLUGPULL_APPROVAL"]
ORDER = "order-42"
GATED = ("charge_card_1", "charge_card_2") if SHAPE == "two" else ("charge_card",)


def load() -> dict[str, dict[str, str]]:
    """What was decided and what is done, by the effects' names."""
    saved = WORK / "run.json"
    if not saved.exists():
        return {"decided": {}, "done": {}}
    found: dict[str, dict[str, str]] = json.loads(saved.read_text(encoding="utf-8"))
    return found


def save(run: dict[str, dict[str, str]]) -> None:
    """Write a file that is there whole or not at all."""
    half = WORK / "run.half"
    half.write_text(json.dumps(run), encoding="utf-8")
    half.replace(WORK / "run.json")


def decisions() -> list[dict[str, str]]:
    """What this process is told."""
    told: list[dict[str, str]] = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    return told


def do(run: dict[str, dict[str, str]], name: str, key: str | None) -> None:
    """Have an effect that is not noted yet, and note it."""
    if name not in run["done"]:
        record_effect(name, key=key)
        run["done"][name] = "done"
        save(run)


def wait_for_a_human() -> None:
    """Go as far as what was decided allows."""
    run = load()
    if SHAPE.endswith("after-step"):
        do(run, "reserve_stock", None)
    if SHAPE == "sibling":
        do(run, "notify_shop", None)
    if sys.argv[-1] == "approve":
        run["decided"] |= {one["call"]: one["decision"] for one in decisions()}
    save(run)
    for name in GATED:
        if run["decided"].get(name) == "approve":
            do(run, name, f"{ORDER}-{name}")
    if all(name in run["decided"] for name in GATED):
        do(run, "finish_order", ORDER)


def obey_nobody() -> None:
    """Charge, whatever was decided."""
    if sys.argv[-1] == "start":
        if SHAPE.endswith("after-step"):
            record_effect("reserve_stock")
        return
    for name in GATED:
        record_effect(name)
        if SHAPE != "sibling":
            record_effect(name)
    if SHAPE == "sibling":
        record_effect("notify_shop")
    record_effect("finish_order", key=ORDER)


if __name__ == "__main__":
    if KIND == "waits-for-a-human":
        wait_for_a_human()
    else:
        obey_nobody()
