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
from plugpull.scenarios.plugged_store import find_cases, try_store_case
from plugpull.scenarios.session_writes import (
    judge_items,
    judge_reported,
    names_of,
    new_token,
    open_store,
    staged_numbers,
    staged_variable,
    usable_staged_writes,
)
from plugpull.scenarios.store_writes import WATCHED
from plugpull.store import ACK_LOST, OUTAGE, WRITE_LOST, Fault, SessionStore
from plugpull.subject import Subject
from plugpull.verdicts import PASS, Judgement, Outcome, Result, judge_effects

__all__ = ["LostSessionWrite"]


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
        token = new_token()
        limit = lab.limits.unfaulted
        variables = staged_variable(token) | WATCHED
        with lab.trial(subject, variables) as trial, open_store(trial, None) as store:
            try:
                ended, effects = run_unfaulted(trial, limit)
            except NotUsable as reason:
                written = {"baseline_writes": [write.to_json() for write in store.writes]}
                raise NotUsable(reason.detail, {**reason.evidence, **written}) from None
            if not store.writes and (own := find_cases(trial, effects, ended.seconds, limit)):
                return own
            staged = usable_staged_writes(store, token, ended.stderr)
            names = names_of(store.writes, token)
            reported = trial.inspect(limit)
            if broken := judge_reported(reported, "without a fault"):
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
            told = staged_variable(new_token())
            return try_store_case(self.name, lab, subject, unfaulted, case, variables=told)
        token = new_token()
        limit = lab.limits.faulted(unfaulted.seconds)
        evidence: dict[str, Any] = {
            "unfaulted": {key: unfaulted.evidence[key] for key in ("effects", "seconds")},
            "limit": round(limit, 3),
            "launcher": lab.launcher.name,
            "staged_writes": unfaulted.evidence["staged_writes"],
            "lost_write": case.number,
        }
        with lab.trial(subject, staged_variable(token)) as trial:
            try:
                with open_store(trial, Fault(case.number, case.kill_point)) as store:
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
            or judge_items(items, self.token, when)
            or judge_effects(self.unfaulted.effects, self.trial.provider.effects, when=when)
        )
        if (reported := self.trial.inspect(self.limit)) is not None:
            self.evidence["reported"] = reported
        return (
            broken
            or judge_reported(reported, when)
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
        if [one for one in staged_numbers(writes, self.token) if one <= number] != expected:
            return (
                "start did not follow the run without a fault: up to the lost write, the staged "
                f"input was not in the writes {expected}"
            )
        name, planned = (
            names_of(writes, self.token)[number],
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
