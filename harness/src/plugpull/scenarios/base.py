"""What a scenario is, and the run without a fault that each begins with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from plugpull.lab import Ended, Lab, Trial
from plugpull.processes.launcher import CannotStart
from plugpull.saved_states import SavedState
from plugpull.stderr_tail import last_words
from plugpull.subject import Subject
from plugpull.verdicts import ERROR, FAIL, Judgement, Outcome, Result

__all__ = [
    "Case",
    "NotUsable",
    "Scenario",
    "Settings",
    "Unfaulted",
    "judge_ended_resume",
    "run_unfaulted",
]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a user can set about scenarios.

    Attributes:
        writes: ``staged`` faults the writes that carry the staged input, ``all`` every write.
        points: Which calls a sweep kills at: ``all``, ``N`` (a sample of so many), ``kN`` (one).
        seed: What samples and moments are drawn with.
        moments: How many random moments a sweep kills at.
        moment: One moment to kill at, in seconds after the first call, instead of everything else.
        ignore: Glob patterns of files that are no part of the end state.
        resume_python: An interpreter with another version of the framework, to resume under.
        resume_version: The framework's version there.
        states: Saved states of runs, to go on with.
        save_states: The folder for the states that this framework's runs are saved as.
        framework: The target's name, for states.
        version: The framework's version, for states.
        one_detail: Try each fault point in one way only, where there are several.
    """

    writes: str = "staged"
    points: str = "all"
    seed: int = 0
    moments: int = 3
    moment: float | None = None
    ignore: tuple[str, ...] = ()
    resume_python: Path | None = None
    resume_version: str = ""
    states: tuple[SavedState, ...] = ()
    save_states: Path | None = None
    framework: str = ""
    version: str = ""
    one_detail: bool = False

    def for_controls(self) -> Settings:
        """The same without a choice of fault points: controls are tried at each of them."""
        return replace(
            self,
            points="all",
            moments=1,
            moment=None,
            ignore=(),
            states=(),
            save_states=None,
            framework="control",
            version="itself",
            one_detail=True,
        )


@dataclass(frozen=True, slots=True)
class Case:
    """One thing to try, which gives one result.

    Attributes:
        kill_point: The fault point.
        point_detail: Which one of several under this fault point.
        number: The number of the write or the call that is faulted, where there are several.
        seconds: When, where the fault point is a moment.
        by_chance: The order of things is left to chance, so it is tried several times.
    """

    kill_point: str
    point_detail: str | None = None
    number: int = 0
    seconds: float = 0.0
    by_chance: bool = False


@dataclass(frozen=True, slots=True)
class Unfaulted:
    """What the run without a fault showed.

    Attributes:
        effects: The names it used, each exactly once: the expectation for every faulted run.
        seconds: Wall time.
        cases: What there is to try.
        evidence: What later results carry along.
    """

    effects: tuple[str, ...]
    seconds: float
    cases: tuple[Case, ...]
    evidence: Mapping[str, Any]


class NotUsable(Exception):
    """The run without a fault is not one that a fault could be judged against."""

    def __init__(self, detail: str, evidence: Mapping[str, Any]) -> None:
        super().__init__(detail)
        self.detail = detail
        self.evidence = evidence


class Scenario(Protocol):
    """A way of breaking a run, and what should be true afterwards."""

    @property
    def name(self) -> str:
        """Its name in every table and id."""

    @property
    def for_agents(self) -> bool:
        """Whether a user's own agent can be asked, which has no verbs but start and resume."""

    @property
    def fault_points(self) -> tuple[str, ...]:
        """Where it breaks a run."""

    def unfaulted(self, lab: Lab, subject: Subject, settings: Settings) -> Unfaulted:
        """Run once without a fault.

        Raises:
            NotUsable: There is nothing to judge a fault against; every result is an ERROR.
        """

    def try_case(self, lab: Lab, subject: Subject, unfaulted: Unfaulted, case: Case) -> Result:
        """Run once with the fault, and judge."""


def run_unfaulted(trial: Trial, limit: float) -> tuple[Ended, dict[str, int]]:
    """``start`` without a fault: how it ended, and its effects.

    Raises:
        NotUsable: It could not start, crashed, hung, or had an effect that is not there once.
    """
    evidence: dict[str, Any] = {"stage": "unfaulted", "limit": limit}
    try:
        ended = trial.run("start", limit)
    except CannotStart as error:
        message = f"the agent could not be started: {trial.subject.argv[0]}: {error}"
        raise NotUsable(message, evidence) from error
    effects = trial.provider.effects
    evidence |= {
        "effects": effects,
        "calls": [call.to_json() for call in trial.provider.calls],
        "start_returncode": ended.returncode,
    }
    if ended.stderr:
        evidence["stderr"] = ended.stderr
    if trial.provider.refused:
        evidence["refused_calls"] = list(trial.provider.refused)
        raise NotUsable(f"the provider refused a call: {trial.provider.refused[0]}", evidence)
    if ended.returncode is None:
        called = "" if effects else ", and its tool never called the provider"
        message = f"the run without a fault did not end within {limit:g} s{called}"
        raise NotUsable(message, evidence)
    if ended.returncode != 0:
        called = "" if effects else " before its tool called the provider"
        message = f"the run without a fault failed: start exited {ended.returncode}{called}"
        raise NotUsable(message, evidence)
    for name, count in effects.items():
        if count != 1:
            message = (
                f"the run without a fault had {count} {name} effects, so a faulted run cannot be "
                "judged: every effect name has to happen exactly once (one name per order)"
            )
            raise NotUsable(message, evidence)
    return ended, effects


def judge_ended_resume(
    subject: Subject,
    ended: Ended,
    *,
    new_effects: bool,
    limit: float,
    after: str,
    verb: str = "resume",
) -> Judgement | None:
    """A FAIL for a resume that hung, refused or crashed; ``None`` for one that exited 0.

    Args:
        subject: Knows by which words its framework refuses.
        ended: How the resume ended.
        new_effects: Whether the resume made an effect; a refusal makes none.
        limit: The time limit it had, in seconds.
        after: What came before: ``the kill``.
        verb: How it was gone on.
    """
    if ended.returncode is None:
        return Judgement(FAIL, Outcome.HUNG, f"{verb} hung: still running after {limit:g} s")
    if ended.returncode == 0:
        return None
    refusal = None if new_effects else subject.refused(ended.stderr)
    if refusal:
        return Judgement(FAIL, Outcome.REFUSED, f"{verb} was refused after {after}: {refusal}")
    if verb == "resume":
        return Judgement(FAIL, Outcome.CRASHED, f"run could not be resumed after {after}")
    said = last_words(ended.stderr)
    ending = f": {said}" if said else ""
    return Judgement(FAIL, Outcome.CRASHED, f"{verb} failed after {after}{ending}")


def error(detail: str) -> Judgement:
    """The scenario could not run as designed."""
    return Judgement(ERROR, None, detail)
