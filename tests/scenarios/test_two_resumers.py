"""two-resumers: what each kind of pair comes to, the overlap itself, and every cause of ERROR."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from plugpull.lab import Lab
from plugpull.scenarios import two_resumers
from plugpull.scenarios.base import NotUsable, Settings
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


def run(lab: Lab, kind: str) -> Result:
    """The one result of a pair of this kind."""
    subject = Subject(
        target=kind,
        argv=(sys.executable, str(PROGRAM), kind),
        refusals=(re.compile("somebody else has this run"),),
    )
    scenario = TwoResumers()
    unfaulted = scenario.unfaulted(lab, subject, Settings())
    (case,) = unfaulted.cases
    return scenario.try_case(lab, subject, unfaulted, case)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second resumer that waits is let go sooner; that decides no verdict."""
    monkeypatch.setattr(two_resumers, "_WAITS", 1.0)


@pytest.mark.parametrize("kind", COMES_TO)
def test_what_each_pair_comes_to(lab: Lab, kind: str) -> None:
    """One effect each is the rule; whether the second is refused, waits or repeats is its own."""
    result = run(lab, kind)
    assert f"{result.verdict} {result.outcome or ''}".strip() == COMES_TO[kind], result.detail
    assert result.kill_point == "at-once"


def test_the_two_overlap_in_the_tool(lab: Lab) -> None:
    """The second one calls while the first one has no answer: both calls are those of resumes."""
    calls = run(lab, "side-by-side").evidence["calls"]
    resumed = [one for one in calls if one["phase"] == "resume"]
    assert [one["effect"] for one in resumed[:2]] == ["charge_card", "charge_card"]
    assert resumed[0]["pid"] != resumed[1]["pid"]


def test_a_second_resumer_that_waits_is_seen_to(lab: Lab) -> None:
    """It ends only after the first one was answered, and finds the work done."""
    evidence = run(lab, "patient").evidence
    assert evidence["second_waited"] is True
    assert (evidence["resume_returncode"], evidence["second_returncode"]) == (0, 0)
    assert evidence["effects"] == {"charge_card": 1, "finish_order": 1}


def test_the_sentence_names_a_second_one_that_failed(lab: Lab) -> None:
    """No refusal, no harm: it passes, and nobody is left to think that it went well."""
    assert run(lab, "second-dies").detail == (
        "every effect happened once; the second resume ended with 1"
    )


def test_a_run_without_an_effect_cannot_be_judged(lab: Lab) -> None:
    """There is nothing to be held in."""
    subject = Subject(target="true", argv=("true",))
    with pytest.raises(NotUsable, match="never called the provider"):
        TwoResumers().unfaulted(lab, subject, Settings())
