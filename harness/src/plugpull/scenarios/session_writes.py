"""The Session store of one run: opened, its writes known by what they hold, its items counted.

One input is staged by the agent: a text with a random token, which the harness hands to it. All
other items are known by the fields that say what they are in the common message formats.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from plugpull.lab import Trial
from plugpull.scenarios.base import NotUsable
from plugpull.scenarios.history import judge_history
from plugpull.session_store import STORE_VARIABLE
from plugpull.store import Fault, SessionStore, Write, canonical
from plugpull.verdicts import FAIL, Judgement, Outcome

__all__ = [
    "judge_items",
    "judge_reported",
    "names_of",
    "new_token",
    "open_store",
    "staged_numbers",
    "staged_variable",
    "usable_staged_writes",
]

#: Environment variable that holds the text the agent adds to its paused run.
STAGED_VARIABLE = "PLUGPULL_STAGED_INPUT"

STAGED = "staged-input"

# Of one item's part in the name of a write.
_LONGEST_NAME = 40


class open_store:  # noqa: N801 - reads as the verb that it is
    """A Session store for one trial, which the trial's processes can reach."""

    def __init__(self, trial: Trial, fault: Fault | None) -> None:
        path = trial.private / "store"
        try:
            self._store = SessionStore(path, fault)
        except OSError as reason:
            raise NotUsable(
                f"the Session store could not start: {reason}", {"stage": "store"}
            ) from reason
        trial.variables[STORE_VARIABLE] = str(path)

    def __enter__(self) -> SessionStore:
        return self._store

    def __exit__(self, *_: object) -> None:
        self._store.close()


def new_token() -> str:
    """A token that no other run has."""
    return uuid.uuid4().hex


def staged_variable(token: str) -> dict[str, str]:
    """The variable with the text that the agent adds, which has the token in it."""
    return {STAGED_VARIABLE: f"Please also send a receipt ({token})."}


def staged_numbers(writes: Sequence[Write], token: str) -> list[int]:
    """The numbers of the writes of ``start`` that carry the staged input."""
    return [write.number for write in writes if write.phase == "start" and write.carries(token)]


def names_of(writes: Sequence[Write], token: str) -> dict[int, str]:
    """Each write's number and its name, which comes from its content and not from its order."""
    names: dict[int, str] = {}
    seen: Counter[str] = Counter()
    for write in writes:
        name = _name(write, token)
        seen[name] += 1
        names[write.number] = name if seen[name] == 1 else f"{name}-{seen[name]}"
    return names


def _name(write: Write, token: str) -> str:
    if write.call != "add_items":
        return write.call.replace("_", "-")
    return "+".join(_item_name(item, token) for item in write.items) or "nothing"


def _item_name(item: dict[str, Any], token: str) -> str:
    """What an item is, by the fields that say so in the common message formats."""
    if token in canonical(item):
        return STAGED
    kind = item.get("type")
    role = item.get("role") or item.get("kind")
    name = role if role and (kind is None or kind == "message") else kind
    # Items are the agent's, names stand in ids and file names.
    plain = re.sub(r"[^a-z0-9.]+", "-", str(name or "item").lower()).strip("-.")
    return plain[:_LONGEST_NAME] or "item"


def usable_staged_writes(store: SessionStore, token: str, stderr: str) -> list[int]:
    """The numbers of the writes that carried the staged input in the run without a fault.

    Raises:
        NotUsable: There is none, or the run stored something twice by itself.
    """
    evidence: dict[str, Any] = {
        "stage": "unfaulted",
        "baseline_writes": [write.to_json() for write in store.writes],
    }
    if stderr:
        evidence["stderr"] = stderr
    if store.refused:
        raise NotUsable(f"the store refused a call: {store.refused[0]}", evidence)
    staged = staged_numbers(store.writes, token)
    if not staged:
        raise NotUsable(
            "no Session write of the run without a fault carried the staged input", evidence
        )
    for item, count in store.stored().items():
        if count > 1:
            raise NotUsable(
                f"the run without a fault stored an item {count} times by itself: {_short(item)}",
                evidence,
            )
        if count == 0:
            raise NotUsable(
                f"the run without a fault removed an item by itself: {_short(item)}", evidence
            )
    return staged


def judge_items(items: dict[str, int], token: str, when: str) -> Judgement | None:
    """A FAIL for the first item that is not stored exactly once; the staged input comes first."""
    for item in sorted(items, key=lambda text: token not in text):
        count = items[item]
        if count == 1:
            continue
        outcome = Outcome.LOST if count == 0 else Outcome.DUPLICATED
        what = "the staged input" if token in item else f"the item {_short(item)}"
        return Judgement(
            FAIL, outcome, f"{what} {outcome}: stored {count} times {when} (expected 1)"
        )
    return None


def judge_reported(reported: dict[str, Any] | None, when: str) -> Judgement | None:
    """A FAIL for a history that is not well-formed; the items alone do not say what they are."""
    return judge_history(reported if reported and "history" in reported else None, when=when)


def _short(item: str) -> str:
    longest = 100
    return item if len(item) <= longest else item[: longest - 3] + "..."
