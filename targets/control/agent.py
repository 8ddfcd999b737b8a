"""Agents whose verdicts are known, in nothing but the standard library.

Each is a small durable agent that gets one thing right or wrong on purpose. What it must come to
stands beside its name in target.json. PLUGPULL_CONTROL says which one to be.

kill-mid-tool: the four kinds of tool share one framework. Steps are noted in a journal when they
are done, and a resume runs again whatever is not in it. They differ in how the tool calls the
provider.

kill-sweep: the same with a receipt. One goes on where it was, one starts over, one signs its
receipt again.

batch-kill: three calls at once. One notes each answer, the other forgets them all.

two-resumers: gone on with twice at once. One lets in one process at a time, the other anybody.

resume-twice: gone on with after its end. One finds everything done, the other starts over.

changed-world: resumed where something else is true. One refuses, the other goes on without a word.

resume-after-upgrade: the same two, one that goes on anywhere, and one that charges again elsewhere.
They can also wait for a person's approval.

lost-session-write: the three kinds of recovery share one conversation. It is written item by item,
and its place is saved before each write. They differ in what a resume thinks of the write that
failed.
"""

from __future__ import annotations

import fcntl
import json
import os
import sys
import uuid
from collections.abc import Callable
from pathlib import Path

from plugpull import record_effect
from plugpull.session_store import StoreClient

WORK = Path(os.environ["PLUGPULL_WORKDIR"])
KIND = os.environ["PLUGPULL_CONTROL"]
ORDER = "order-42"
VERB = sys.argv[-1]


def durably(path: Path, text: str) -> None:
    """Write a file so that it is there whole or not at all."""
    half = path.with_suffix(".half")
    half.write_text(text, encoding="utf-8")
    half.replace(path)


# -- kill-mid-tool: a framework that runs an unfinished step again ---------------------------------


def charge_without_key() -> None:
    """The provider cannot tell a second charge from the first."""
    record_effect("charge_card")


def charge_with_stable_key() -> None:
    """The key belongs to the order, so it is the same after a resume."""
    record_effect("charge_card", key=ORDER)


def charge_with_fresh_key() -> None:
    """A key made anew by each run of the tool protects nothing."""
    record_effect("charge_card", key=uuid.uuid4().hex)


def charge_after_ledger() -> None:
    """Notes that it is done before it is: a crash in between loses the charge."""
    ledger = WORK / "ledger"
    if ledger.exists():
        return
    durably(ledger, "charged")
    record_effect("charge_card")


TOOLS: dict[str, Callable[[], None]] = {
    "no-key": charge_without_key,
    "stable-key": charge_with_stable_key,
    "fresh-key": charge_with_fresh_key,
    "ledger-first": charge_after_ledger,
    "locks-its-run": charge_without_key,
    "shares-its-run": charge_without_key,
    "keeps-its-place": charge_with_stable_key,
    "starts-over": charge_without_key,
    "signs-again": charge_with_stable_key,
}


def refuse_company() -> None:
    """One process at a time; the lock ends with the process, however that ends."""
    lock = os.open(WORK / "lock", os.O_RDWR | os.O_CREAT)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit("another process has this run")


def run_steps(charge: Callable[[], None]) -> None:
    """Run every step that the journal does not have yet."""
    journal = WORK / "journal"
    if KIND == "starts-over":
        journal.unlink(missing_ok=True)
    done = journal.read_text(encoding="utf-8").split() if journal.exists() else []
    steps: dict[str, Callable[[], None]] = {
        "charge": charge,
        "receipt": lambda: durably(WORK / "receipt", f"{ORDER}: $42 paid"),
        "finish": lambda: record_effect("finish_order", key=ORDER),
    }
    for name, step in steps.items():
        if name not in done:
            step()
            done.append(name)
            durably(journal, "\n".join(done))
    if KIND == "signs-again" and VERB == "resume":
        with (WORK / "receipt").open("a", encoding="utf-8") as receipt:
            receipt.write("\npaid")


# -- batch-kill: three calls at once ---------------------------------------------------------------


def run_batch(*, notes_each_answer: bool) -> None:
    """Make each call of the batch that is not noted as answered."""
    answered = WORK / "answered"
    noted = answered.read_text(encoding="utf-8").split() if answered.exists() else []
    for number in range(1, int(os.environ["PLUGPULL_BATCH"]) + 1):
        name = f"charge_card_{number}"
        if name in noted:
            continue
        record_effect(name, key=f"{ORDER}-{number}" if notes_each_answer else None)
        if notes_each_answer:
            noted.append(name)
            durably(answered, "\n".join(noted))
    record_effect("finish_order", key=ORDER)


# -- changed-world: resumed where something else is true -------------------------------------------


def run_in_world(*, checks: bool) -> None:
    """Charge and finish, unless the world has changed: then refuse, or leave the charge out."""
    born = WORK / "born"
    if not born.exists():
        durably(born, sys.executable)
    moved = born.read_text(encoding="utf-8") != sys.executable
    change = os.environ.get("PLUGPULL_WORLD") or ("framework-changed" if moved else None)
    if change and checks:
        sys.exit(f"this run was saved in another world: {change}")
    if not change:
        record_effect("charge_card", key=ORDER)
    record_effect("finish_order", key=ORDER)


# -- resume-after-upgrade: gone on with by another version -----------------------------------------


def run_after_upgrade(*, charges_again: bool) -> None:
    """Charge and finish in any world; the bad one forgets its key where it was not born."""
    moved = "PLUGPULL_WORLD" in os.environ
    if moved and charges_again and VERB == "approve":
        record_effect("charge_card")
    record_effect("charge_card", key=uuid.uuid4().hex if moved and charges_again else ORDER)
    record_effect("finish_order", key=ORDER)


# -- lost-session-write: a conversation that is written item by item -------------------------------


def run_conversation(*, resumed: bool) -> None:
    """Write each item that is not written yet; raises when a write fails."""
    store = StoreClient("conversation")
    saved = WORK / "conversation.json"
    if resumed:
        state = json.loads(saved.read_text(encoding="utf-8"))
        state["next"] += failed_write_counts(store, state["items"][state["next"]])
    else:
        texts = ["Charge $42.", os.environ["PLUGPULL_STAGED_INPUT"], "Done."]
        state = {"next": 0, "items": [{"role": "user", "content": text} for text in texts]}
    while state["next"] < len(state["items"]):
        durably(saved, json.dumps(state))
        store.add_items([state["items"][state["next"]]])
        state["next"] += 1
    record_effect("finish_order", key=ORDER)


def failed_write_counts(store: StoreClient, item: dict[str, str]) -> bool:
    """Whether the write that failed is taken for done."""
    if KIND == "looks-before-writing":
        return item in store.get_items()
    return KIND == "believes-it-wrote"


if __name__ == "__main__":
    if VERB == "start" and "PLUGPULL_APPROVAL" in os.environ:
        # Nothing comes before the charge, so there is nothing to save while a human decides.
        sys.exit()
    if KIND == "locks-its-run":
        refuse_company()
    if KIND in TOOLS:
        run_steps(TOOLS[KIND])
    elif KIND in {"notes-each-answer", "forgets-its-answers"}:
        run_batch(notes_each_answer=KIND == "notes-each-answer")
    elif KIND in {"checks-its-world", "ignores-its-world"}:
        run_in_world(checks=KIND == "checks-its-world")
    elif KIND in {"goes-on-anywhere", "charges-again-elsewhere"}:
        run_after_upgrade(charges_again=KIND == "charges-again-elsewhere")
    else:
        run_conversation(resumed=VERB == "resume")
