"""The fake Session store: a database on another machine, as far as the agent can tell.

It keeps exactly what it is given: no keys, no deduplication, because a store that cleans up could
hide a framework that writes twice. One chosen write can fail: its call is closed without an
answer, and the store kept the items or did not. Or the database is gone from that write on, for
reads as well, until the next process comes.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plugpull.wire import Connection, Server

__all__ = [
    "ACK_LOST",
    "OUTAGE",
    "STORED",
    "WRITE_LOST",
    "Fault",
    "SessionStore",
    "Write",
    "canonical",
]

#: The store did not keep the items, and the call fails.
WRITE_LOST = "write-lost"
#: The store kept the items, and the call fails all the same.
ACK_LOST = "ack-lost"
#: The store kept nothing from here on, and every call fails.
OUTAGE = "outage"
#: The store kept the items and said so.
STORED = "stored"

Item = dict[str, Any]


def canonical(item: Item) -> str:
    """One text for one content: how items are told apart and counted."""
    return json.dumps(item, sort_keys=True, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Fault:
    """Which write fails, and how.

    Attributes:
        number: The write, counted from 1 over the phase ``start``.
        point: :data:`WRITE_LOST`, :data:`ACK_LOST` or :data:`OUTAGE`.
    """

    number: int
    point: str

    def strikes(self, number: int) -> bool:
        """Whether this write fails."""
        return number == self.number or (self.point == OUTAGE and number > self.number)


@dataclass(frozen=True, slots=True)
class Write:
    """One call that changes a session, as the store saw it.

    Attributes:
        phase: Which part of the run was going on.
        number: Counted from 1 in each phase.
        call: ``add_items``, ``pop_item`` or ``clear``.
        session: The session it was for.
        pid: Whatever the caller said its process id is; nothing rests on it.
        items: What was to be added, or what was removed.
        outcome: :data:`STORED`, :data:`WRITE_LOST`, :data:`ACK_LOST` or :data:`OUTAGE`.
    """

    phase: str
    number: int
    call: str
    session: str
    pid: Any
    items: tuple[Item, ...] = field(default=())
    outcome: str = STORED

    def carries(self, token: str) -> bool:
        """Whether an added item holds ``token`` anywhere."""
        return self.call == "add_items" and any(token in canonical(item) for item in self.items)

    def to_json(self) -> dict[str, Any]:
        """The write as it stands in a result's evidence."""
        return {
            "phase": self.phase,
            "number": self.number,
            "call": self.call,
            "session": self.session,
            "pid": self.pid,
            "items": list(self.items),
            "outcome": self.outcome,
        }


class SessionStore:
    """Keeps sessions, logs every write, and can fail one of them.

    Args:
        path: Where its socket is made.
        fault: The write that fails, ``None`` for a store that always answers.

    Raises:
        OSError: The socket cannot be made.
    """

    def __init__(self, path: Path, fault: Fault | None = None) -> None:
        self._fault = fault
        self._out = False
        self._phase = "start"
        self._lock = threading.Lock()
        self._sessions: dict[str, list[Item]] = {}
        self._writes: list[Write] = []
        self._refused: list[str] = []
        self._server = Server(path, self._serve)

    @property
    def path(self) -> Path:
        """Where the socket is."""
        return self._server.path

    @property
    def writes(self) -> tuple[Write, ...]:
        """Every write so far, in order."""
        with self._lock:
            return tuple(self._writes)

    @property
    def refused(self) -> tuple[str, ...]:
        """Why calls were refused: lines that were not the protocol's."""
        with self._lock:
            return tuple(self._refused)

    def next_phase(self, phase: str) -> None:
        """From here on every call is answered; writes are counted from 1 again."""
        with self._lock:
            self._phase = phase
            self._fault = None
            self._out = False

    def stored(self) -> dict[str, int]:
        """How often each item that was ever written is stored now, by its canonical JSON."""
        with self._lock:
            counts = {
                canonical(item): 0
                for write in self._writes
                if write.call == "add_items"
                for item in write.items
            }
            for items in self._sessions.values():
                for item in items:
                    counts[canonical(item)] += 1
            return counts

    def close(self) -> None:
        """Stop; calls that are open fail in their callers."""
        self._server.close()

    def _serve(self, connection: Connection) -> None:
        while line := connection.read_line():
            try:
                request = _parse(line)
            except ValueError as error:
                with self._lock:
                    self._refused.append(str(error))
                connection.answer({"error": str(error)})
                return
            with self._lock:
                answer = self._handle(request)
            if answer is None:
                return
            connection.answer(answer)

    def _handle(self, request: dict[str, Any]) -> dict[str, Any] | None:
        """The answer, or ``None`` for the call that is closed without one."""
        items = self._sessions.setdefault(request["session"], [])
        if request["call"] == "get_items":
            if self._out:
                return None
            limit = request.get("limit")
            newest = items if limit is None else items[max(0, len(items) - limit) :]
            return {"ok": True, "items": list(newest)}
        number = 1 + sum(write.phase == self._phase for write in self._writes)
        fault = self._fault if self._fault and self._fault.strikes(number) else None
        outcome = fault.point if fault else STORED
        self._out = outcome == OUTAGE
        lost = outcome in {WRITE_LOST, OUTAGE}
        changed: list[Item] = []
        if request["call"] == "add_items":
            changed = request["items"]
            if not lost:
                items.extend(changed)
        elif request["call"] == "pop_item":
            changed = items[-1:]
            if not lost:
                del items[-1:]
        elif not lost:
            changed = list(items)
            items.clear()
        self._writes.append(
            Write(
                phase=self._phase,
                number=number,
                call=request["call"],
                session=request["session"],
                pid=request.get("pid"),
                items=tuple(changed),
                outcome=outcome,
            )
        )
        if fault:
            return None
        return {"ok": True, "item": changed[0] if changed else None}


def _parse(line: bytes) -> dict[str, Any]:
    """One request, checked.

    Raises:
        ValueError: The line is not of the protocol; the text says what was expected.
    """
    try:
        request = json.loads(line)
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict) or not isinstance(request.get("session"), str):
        raise ValueError(  # noqa: TRY004 - the line is at fault, not our caller
            'expected one line of JSON with "call" and "session"'
        )
    name = request.get("call")
    if name not in ("get_items", "add_items", "pop_item", "clear"):
        msg = f'unknown "call": {name!r}; there are get_items, add_items, pop_item and clear'
        raise ValueError(msg)
    items = request.get("items")
    if name == "add_items" and not (
        isinstance(items, list) and all(isinstance(item, dict) for item in items)
    ):
        msg = 'add_items needs "items", a list of JSON objects'
        raise ValueError(msg)
    limit = request.get("limit")
    if limit is not None and (type(limit) is not int or limit < 0):
        msg = '"limit" must be a number that is not negative, or null'
        raise ValueError(msg)
    return request
