"""lost-session-write: one write to the Session store fails, then the run goes on.

What should be true after: every item ever written is stored exactly once, and every effect of the
unfaulted run happened exactly once.

The process is not killed: the write's call is closed without an answer, as a database that goes
away closes it, and the agent recovers the way its framework documents. The store kept the items
(``ack-lost``) or did not (``write-lost``), or it is gone from that write on until the next process
comes (``outage``). The harness chooses the write, by default each one that carries the staged
input, a text with a random token that it hands to the agent.

That is the harness's own store, for frameworks whose sessions are lists of items. Where a framework
keeps checkpoints in a store of another shape, the target wraps that one, and each of its writes is
lost in turn: :mod:`plugpull.scenarios.plugged_store`.

ERROR when the write could not be faulted as designed; the proof that it was is the store's own
log. For a write without the staged input a start that goes on regardless is judged, because only
the staged one is known to be a write that the run cannot do without.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from plugpull.lab import Ended, Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.scenarios.base import (
    Case,
    NotUsable,
    Settings,
    Unfaulted,
    error,
    judge_ended_resume,
    run_unfaulted,
)
from plugpull.scenarios.history import judge_history
from plugpull.scenarios.plugged_store import find_cases, try_store_case
from plugpull.scenarios.store_writes import WATCHED
from plugpull.session_store import STORE_VARIABLE
from plugpull.store import ACK_LOST, OUTAGE, WRITE_LOST, Fault, SessionStore, Write, canonical
from plugpull.subject import Subject
from plugpull.verdicts import FAIL, PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["LostSessionWrite"]

#: Environment variable that holds the text the agent adds to its paused run.
STAGED_VARIABLE = "PLUGPULL_STAGED_INPUT"

STAGED = "staged-input"

# Of one item's part in the name of a write.
_LONGEST_NAME = 40


class LostSessionWrite:
    """One Session write fails."""

    name = "lost-session-write"
    for_agents = False
    fault_points = (WRITE_LOST, ACK_LOST, OUTAGE)

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run ``start`` with every write answered, and find the writes worth losing.

        Raises:
            NotUsable: The run failed, wrote no staged input, or stored an item twice by itself.
        """
        token = _token()
        limit = lab.limits.unfaulted
        variables = _staged(token) | WATCHED
        with lab.trial(subject, variables) as trial, _open_store(trial, None) as store:
            try:
                ended, effects = run_unfaulted(trial, limit)
            except NotUsable as reason:
                written = {"baseline_writes": [write.to_json() for write in store.writes]}
                raise NotUsable(reason.detail, {**reason.evidence, **written}) from None
            if not store.writes and (own := find_cases(trial, effects, ended.seconds, limit)):
                return own
            staged = _usable_staged_writes(store, token, ended.stderr)
            names = _names(store.writes, token)
            reported = trial.inspect(limit)
            if broken := _judge_reported(reported, "without a fault"):
                raise NotUsable(broken.detail, {"stage": "unfaulted", "reported": reported})
        chosen = staged if settings.writes == "staged" else list(names)
        only_one = settings.writes == "staged" and len(chosen) == 1
        return Unfaulted(
            effects=tuple(effects),
            seconds=ended.seconds,
            cases=tuple(
                Case(point, None if only_one else names[number], number)
                for number in chosen
                for point in self.fault_points
            ),
            evidence={
                "effects": effects,
                "seconds": round(ended.seconds, 3),
                "staged_writes": staged,
                "writes": list(names.values()),
            },
        )

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Lose the write, resume, and count what is stored."""
        if "names" in unfaulted.evidence:
            told = _staged(_token())
            return try_store_case(self.name, lab, subject, unfaulted, case, variables=told)
        token = _token()
        limit = lab.limits.faulted(unfaulted.seconds)
        evidence: dict[str, Any] = {
            "unfaulted": {key: unfaulted.evidence[key] for key in ("effects", "seconds")},
            "limit": round(limit, 3),
            "launcher": lab.launcher.name,
            "staged_writes": unfaulted.evidence["staged_writes"],
            "lost_write": case.number,
        }
        with lab.trial(subject, _staged(token)) as trial:
            try:
                with _open_store(trial, Fault(case.number, case.kill_point)) as store:
                    attempt = _Attempt(trial, store, unfaulted, case, token, limit, evidence)
                    judgement = attempt.run()
                    evidence["writes"] = [write.to_json() for write in store.writes]
            except NotUsable as reason:
                judgement = error(reason.detail)
            evidence["effects"] = trial.provider.effects
            if strays := trial.sweep():
                evidence["left_group"] = strays
            if judgement.verdict != PASS:
                trial.keep(f"{self.name}-{subject.variant}-{case.kill_point}-{case.number}")
        judgement = Judgement(
            judgement.verdict, judgement.outcome, f"write {case.number}: {judgement.detail}"
        )
        return Result(
            scenario=self.name,
            target=subject.target,
            kill_point=case.kill_point,
            judgement=judgement,
            evidence=evidence,
            variant=subject.variant,
            point_detail=case.point_detail,
        )


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One faulted run and its judgement."""

    trial: Trial
    store: SessionStore
    unfaulted: Unfaulted
    case: Case
    token: str
    limit: float
    evidence: dict[str, Any]

    def run(self) -> Judgement:
        self.trial.provider.phase = "start"
        try:
            started = self.trial.run("start", self.limit)
        except CannotStart as reason:
            return error(f"the agent could not be started: {self.trial.subject.argv[0]}: {reason}")
        self.evidence["start_code"] = started.returncode
        if started.stderr:
            self.evidence["start_stderr"] = started.stderr
        if problem := self._misses(started):
            if started.stderr:
                self.evidence["stderr"] = started.stderr
            return error(problem)
        broken, when = None, "at the end"
        if started.returncode != 0:
            when = "after resume"
            try:
                broken = self._resume()
            except CannotStart as reason:
                return error(f"resume could not be started: {reason}")
        items = self.store.stored()
        self.evidence["items"] = items
        broken = (
            broken
            or _judge_items(items, self.token, when)
            or judge_effects(self.unfaulted.effects, self.trial.provider.effects, when=when)
        )
        if (reported := self.trial.inspect(self.limit)) is not None:
            self.evidence["reported"] = reported
        return (
            broken
            or _judge_reported(reported, when)
            or Judgement(PASS, Outcome.HELD, f"all {len(items)} Session items stored exactly once")
        )

    def _misses(self, started: Ended) -> str | None:
        """Why the fault did not land as designed, ``None`` when it did."""
        if started.returncode is None:
            return f"start did not end within {self.limit:g} s"
        if problem := self._differs():
            return problem
        if self.case.number not in self.unfaulted.evidence["staged_writes"]:
            return None
        if started.returncode == 0:
            return "start exited 0 although the write failed: something below retries it"
        if self.case.kill_point != OUTAGE and any(
            write.number > self.case.number for write in self.store.writes
        ):
            return "start kept writing to the Session after the lost write"
        return None

    def _differs(self) -> str | None:
        """Where this start left the path of the unfaulted run, ``None`` if nowhere."""
        writes, number = self.store.writes, self.case.number
        lost = next((write for write in writes if write.number == number), None)
        if lost is None:
            return f"start made {len(writes)} Session writes and never reached this one"
        staged = self.unfaulted.evidence["staged_writes"]
        if number in staged and not lost.carries(self.token):
            return "the lost write does not carry the staged input"
        expected = [one for one in staged if one <= number]
        if [one for one in _staged_numbers(writes, self.token) if one <= number] != expected:
            return (
                "start did not follow the run without a fault: up to the lost write, the staged "
                f"input was not in the writes {expected}"
            )
        name, planned = (
            _names(writes, self.token)[number],
            self.unfaulted.evidence["writes"][number - 1],
        )
        if number not in expected and name != planned:
            return f"the lost write is {name}, and in the run without a fault it was {planned}"
        return None

    def _resume(self) -> Judgement | None:
        """A FAIL for a resume that did not end well, ``None`` for one that exited 0.

        Raises:
            CannotStart: With the system's reason.
        """
        self.store.next_phase("resume")
        self.trial.provider.phase = "resume"
        before = len(self.trial.provider.calls)
        ended = self.trial.run("resume", self.limit, generation=1)
        self.evidence["resume_returncode"] = ended.returncode
        if ended.stderr and ended.returncode != 0:
            self.evidence["stderr"] = ended.stderr
        return judge_ended_resume(
            self.trial.subject,
            ended,
            new_effects=len(self.trial.provider.calls) > before,
            limit=self.limit,
            after="the lost write",
        )


class _open_store:  # noqa: N801 - reads as the verb that it is
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


def _token() -> str:
    return uuid.uuid4().hex


def _staged(token: str) -> dict[str, str]:
    return {STAGED_VARIABLE: f"Please also send a receipt ({token})."}


def _staged_numbers(writes: Sequence[Write], token: str) -> list[int]:
    return [write.number for write in writes if write.phase == "start" and write.carries(token)]


def _names(writes: Sequence[Write], token: str) -> dict[int, str]:
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


def _usable_staged_writes(store: SessionStore, token: str, stderr: str) -> list[int]:
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
    staged = _staged_numbers(store.writes, token)
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


def _judge_items(items: dict[str, int], token: str, when: str) -> Judgement | None:
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


def _judge_reported(reported: dict[str, Any] | None, when: str) -> Judgement | None:
    """A FAIL for a history that is not well-formed; the items alone do not say what they are."""
    return judge_history(reported if reported and "history" in reported else None, when=when)


def _short(item: str) -> str:
    longest = 100
    return item if len(item) <= longest else item[: longest - 3] + "..."
