"""two-resumers: what each kind of pair comes to, the overlap itself, and every cause of ERROR."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from plugpull.lab import Lab
from plugpull.runner import Runner, Selection
from plugpull.scenarios import two_resumers
from plugpull.scenarios.base import Case, NotUsable, Settings
from plugpull.scenarios.two_resumers import TwoResumers
from plugpull.subject import Subject
from plugpull.verdicts import Result

PROGRAM = Path(__file__).parent / "toys" / "pair.py"

COMES_TO = {
    "locked": "PASS refused",
    "patient": "PASS held",
    "keyed": "PASS held",
    "second-dies": "PASS held",
    "side-by-side": "FAIL duplicated",
    "second-takes-over": "FAIL lost",
    "first-dies": "FAIL crashed",
    "silent": "ERROR",
}
POINTS = ("at-once", "approvals-at-once")


def pair(kind: str, folder: Path, **fields: Any) -> Subject:
    """A pair of this kind."""
    return Subject(
        target=kind,
        argv=(sys.executable, str(PROGRAM), kind, str(folder)),
        refusals=(re.compile("somebody else has this run"),),
        **fields,
    )


def run(lab: Lab, subject: Subject, point: str) -> Result:
    """The result at one fault point."""
    scenario = TwoResumers()
    unfaulted = scenario.unfaulted(lab, subject, Settings())
    assert tuple(one.kill_point for one in unfaulted.cases) == POINTS
    return scenario.try_case(lab, subject, unfaulted, Case(point))


def words(result: Result) -> str:
    """Verdict and outcome."""
    return f"{result.verdict} {result.outcome or ''}".strip()


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second resumer that waits is let go sooner; that decides no verdict."""
    monkeypatch.setattr(two_resumers, "_WAITS", 1.0)


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("kind", COMES_TO)
def test_what_each_pair_comes_to(lab: Lab, tmp_path: Path, kind: str, point: str) -> None:
    """One effect each is the rule; whether the second is refused, waits or repeats is its own."""
    result = run(lab, pair(kind, tmp_path), point)
    assert words(result) == COMES_TO[kind], result.detail
    assert result.kill_point == point


@pytest.mark.parametrize(("point", "verb"), [("at-once", "resume"), (POINTS[1], "approve")])
def test_the_two_overlap_in_the_tool(lab: Lab, tmp_path: Path, point: str, verb: str) -> None:
    """The second one calls while the first one has no answer, and they are two processes."""
    calls = run(lab, pair("side-by-side", tmp_path), point).evidence["calls"]
    resumed = [one for one in calls if one["phase"] == verb]
    assert [one["effect"] for one in resumed[:2]] == ["charge_card", "charge_card"]
    assert resumed[0]["pid"] != resumed[1]["pid"]


def test_a_second_resumer_that_waits_is_seen_to(lab: Lab, tmp_path: Path) -> None:
    """It ends only after the first one was answered, and finds the work done."""
    evidence = run(lab, pair("patient", tmp_path), "at-once").evidence
    assert evidence["second_waited"] is True
    assert (evidence["resume_returncode"], evidence["second_returncode"]) == (0, 0)
    assert evidence["effects"] == {"charge_card": 1, "finish_order": 1}


def test_the_sentence_names_a_second_one_that_failed(lab: Lab, tmp_path: Path) -> None:
    """No refusal, no harm: it passes, and nobody is left to think that it went well."""
    assert run(lab, pair("second-dies", tmp_path), "at-once").detail == (
        "every effect happened once; the second resume ended with 1"
    )


def test_what_the_one_said_is_not_taken_for_the_other(lab: Lab, tmp_path: Path) -> None:
    """Where the first one crashes, its words are shown, and not those of the second."""
    evidence = run(lab, pair("first-dies", tmp_path), "approvals-at-once").evidence
    assert "RuntimeError: out of luck" in evidence.get("stderr", "")


def test_one_that_hangs_beside_the_other(impatient_lab: Lab, tmp_path: Path) -> None:
    """It is named, and ended."""
    result = run(impatient_lab, pair("hangs", tmp_path), "approvals-at-once")
    assert words(result) == "FAIL hung"
    assert result.detail.startswith("the second approve hung")


def test_a_stored_history_that_two_have_broken(lab: Lab, tmp_path: Path) -> None:
    """Effects once each are not all: the next turn needs a history that is whole."""
    result = run(lab, pair("loses-its-history", tmp_path, inspects=True), "approvals-at-once")
    assert words(result) == "FAIL duplicated"
    subject = pair("loses-its-history", tmp_path, inspects=True, environment={"KEYED": "1"})
    result = run(lab, subject, "approvals-at-once")
    assert words(result) == "FAIL unpaired"


MISSED = {
    "next-start-fails": "the run did not wait: start exited 1 and came to no pause",
    "next-start-charges": "the run did not wait: effect unapproved: the provider saw 1",
    "silent": "the first approve made no call to be held in",
}


@pytest.mark.parametrize("kind", MISSED)
def test_where_two_approvals_never_met(lab: Lab, tmp_path: Path, kind: str) -> None:
    """Nothing was learned about two at once."""
    result = run(lab, pair(kind, tmp_path), "approvals-at-once")
    assert words(result) == "ERROR"
    assert result.detail.startswith(MISSED[kind])


def test_a_run_without_an_effect_cannot_be_judged(lab: Lab) -> None:
    """There is nothing to be held in."""
    subject = Subject(target="true", argv=("true",))
    with pytest.raises(NotUsable, match="never called the provider"):
        TwoResumers().unfaulted(lab, subject, Settings())


def test_an_agent_without_approve_is_asked_for_resumes_only(lab: Lab, tmp_path: Path) -> None:
    """A user's own agent has no such verb, and so no such result."""
    selection = Selection(scenarios=("two-resumers",))
    command = shlex.join(pair("locked", tmp_path).argv)
    results = Runner(lab, selection).run_agent(command).results
    assert [one.kill_point for one in results] == ["at-once"]
