"""resume-after-approval: what each kind of agent comes to, every cause of FAIL and of ERROR."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_worlds import words
from plugpull.lab import Lab
from plugpull.runner import Runner, Selection
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted
from plugpull.scenarios.resume_after_approval import ResumeAfterApproval
from plugpull.subject import Subject
from plugpull.verdicts import Result

PROGRAM = Path(__file__).parent / "toys" / "asking.py"
SCENARIO = ResumeAfterApproval()
SIBLING = "sibling-killed"


def asking(traits: str, folder: Path, **fields: Any) -> Subject:
    """A toy with these traits."""
    return Subject(
        target=traits,
        argv=(sys.executable, str(PROGRAM), traits, str(folder)),
        refusals=(re.compile("^REFUSED"),),
        **{"inspects": True, **fields},
    )


@pytest.fixture(scope="module")
def usual(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Unfaulted:
    """What the run without a fault shows of one that is right: the same for most toys."""
    subject = asking("right", tmp_path_factory.mktemp("usual"))
    return SCENARIO.unfaulted(lab, subject, Settings())


def run(lab: Lab, subject: Subject, point: str, unfaulted: Unfaulted | None = None) -> Result:
    """The result at one fault point.

    Without the usual run its own comes first, for toys that change between the two; the one with a
    sibling is left out where nobody asks.
    """
    if unfaulted is None:
        if point != SIBLING:
            subject = replace(subject, lacking=frozenset({(SCENARIO.name, SIBLING)}))
        unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    return SCENARIO.try_case(lab, subject, unfaulted, Case(point))


def word(result: Result) -> str:
    """Verdict and outcome."""
    return words([result])[0]


# -- what passes -----------------------------------------------------------------------------------


def test_one_that_is_right_passes_everywhere(lab: Lab, tmp_path: Path) -> None:
    """Each of the thirteen points, in their order."""
    runner = Runner(lab, Selection())
    results = list(runner._run_scenario(SCENARIO, asking("right", tmp_path)))  # noqa: SLF001
    assert [one.kill_point for one in results] == [
        "approved",
        "approved-twice",
        "rejected",
        "missing",
        "absent-for-one",
        "other-order",
        "streamed",
        "nested",
        "after-step",
        "nested-after-step",
        "killed-before-effect",
        "killed-after-effect",
        "sibling-killed",
    ]
    assert words(results) == ["PASS held"] * 13


PASSES = {
    "wants-all-at-once": {
        "approved-twice": "refused until everything was decided: REFUSED: each call",
        "missing": "refused until everything was decided: REFUSED: each call",
        "absent-for-one": "refused until everything was decided: REFUSED: each call",
    },
    "leaves-it": {"rejected": "no charge_card effect before the rejection and none after it"},
    "shop-later": {SIBLING: "notify_shop was killed in approve and happened once"},
    "shop-beside": {SIBLING: "notify_shop was killed in approve and happened once"},
    "shop-last": {SIBLING: "notify_shop was killed in approve and happened once"},
    "keyless": {
        "killed-before-effect": "no charge_card effect before the approval, and exactly 1 after",
        "nested-after-step": "reserve_stock was not done again",
        "other-order": "no charge_card_1 or charge_card_2 effect before the approval, and exactly",
    },
    "crashes-at-the-end": {
        "approved-twice": "every effect happened once; told twice, approve ended with 1"
    },
}


@pytest.mark.parametrize(
    ("traits", "point"), [(traits, point) for traits, points in PASSES.items() for point in points]
)
def test_other_ways_to_be_right(
    lab: Lab, usual: Unfaulted, tmp_path: Path, traits: str, point: str
) -> None:
    """Frameworks differ in what they do while something is open; none of it is wrong."""
    result = run(lab, asking(traits, tmp_path), point, usual)
    assert word(result) == "PASS held", result.detail
    assert PASSES[traits][point] in result.detail


def test_a_second_decision_that_is_refused_at_the_end(
    lab: Lab, usual: Unfaulted, tmp_path: Path
) -> None:
    """The first one did its work, so saying no to the second is right, and shown."""
    result = run(lab, asking("refuses-at-the-end", tmp_path), "approved-twice", usual)
    assert word(result) == "PASS refused"
    assert result.detail == "the second decision was refused: REFUSED: not this one"


def test_what_a_pass_has_seen(lab: Lab, usual: Unfaulted, tmp_path: Path) -> None:
    """Each process, what it was told, how it ended, and what had happened by then."""
    evidence = run(lab, asking("right", tmp_path), "absent-for-one", usual).evidence
    first, second = ({"call": f"charge_card_{n}", "decision": "approve"} for n in (1, 2))
    assert evidence["processes"] == [
        {"verb": "start", "returncode": 0, "effects": {}},
        {
            "verb": "approve",
            "decisions": [first],
            "returncode": 0,
            "effects": {"charge_card_1": 1},
        },
        {
            "verb": "approve",
            "decisions": [second],
            "returncode": 0,
            "effects": {"charge_card_1": 1, "charge_card_2": 1, "finish_order": 1},
        },
    ]
    assert evidence["resume_returncode"] == 0
    assert evidence["unfaulted"]["effects"] == {"charge_card": 1, "finish_order": 1}
    assert {one["phase"] for one in evidence["calls"]} == {"approve"}


def test_after_a_refusal_everything_is_decided_anew(
    lab: Lab, usual: Unfaulted, tmp_path: Path
) -> None:
    """What was said together with what was missing counts as not said."""
    processes = run(lab, asking("wants-all-at-once", tmp_path), "absent-for-one", usual).evidence[
        "processes"
    ]
    assert [one["returncode"] for one in processes] == [0, 1, 0]
    told = [one["call"] for one in processes[-1]["decisions"]]
    assert told == ["charge_card_1", "charge_card_2"]


KILLED = {"killed-before-effect": False, "killed-after-effect": True}


@pytest.mark.parametrize("point", KILLED)
def test_the_kill_lands_in_the_approved_call(
    lab: Lab, usual: Unfaulted, tmp_path: Path, point: str
) -> None:
    """The held call is the gated one of ``approve``; then the same is decided again."""
    evidence = run(lab, asking("right", tmp_path), point, usual).evidence
    assert "kill" in evidence
    assert evidence["kill"]["agent_status"] == -9
    (killed, *_) = evidence["calls"]
    assert (killed["effect"], killed["phase"]) == ("charge_card", "approve")
    assert killed["recorded"] is KILLED[point]
    verbs = [(one["verb"], one["returncode"]) for one in evidence["processes"]]
    assert verbs == [("start", 0), ("approve", -9), ("approve", 0)]
    first, second = evidence["processes"][1:]
    assert first["decisions"] == second["decisions"]


ORDERS = {
    "right": ("start", "not made yet", ["start", "resume", "approve"]),
    "shop-later": ("approve", "not made yet", ["start", "approve", "approve"]),
    "shop-beside": ("approve", "made beside it, not recorded", ["start", "approve", "approve"]),
    "shop-last": ("approve", "answered before it", ["start", "approve", "approve"]),
}


@pytest.mark.parametrize("traits", ORDERS)
def test_wherever_the_sibling_comes_it_is_killed_in(
    lab: Lab, usual: Unfaulted, tmp_path: Path, traits: str
) -> None:
    """Before the pause or after it, first, last or beside: the order is a fact in the evidence."""
    called_in, gated, verbs = ORDERS[traits]
    evidence = run(lab, asking(traits, tmp_path), SIBLING, usual).evidence
    assert evidence.get("sibling_called_in") == called_in
    assert evidence["gated_call"] == gated
    assert [one["verb"] for one in evidence["processes"]] == verbs
    assert evidence["kill"]["agent_status"] == -9
    assert evidence["unfaulted"]["sibling"]["effects"]["notify_shop"] == 1
    killed = [one for one in evidence["calls"] if not one["recorded"]]
    assert "notify_shop" in {one["effect"] for one in killed}
    assert {one["phase"] for one in killed} == {called_in}


# -- what fails ------------------------------------------------------------------------------------


FAILS = {
    # Something happened that nobody had allowed.
    ("charges-at-once", "approved"): "FAIL unapproved",
    ("charges-at-once", "rejected"): "FAIL unapproved",
    ("charges-at-once", "killed-before-effect"): "FAIL unapproved",
    ("obeys-no-rejection", "rejected"): "FAIL unapproved",
    ("silence-is-consent", "missing"): "FAIL unapproved",
    ("one-is-all", "absent-for-one"): "FAIL unapproved",
    ("charges-when-resumed", SIBLING): "FAIL unapproved",
    # Something is there twice.
    ("applies-each+keyless", "approved-twice"): "FAIL duplicated",
    ("step-again", "nested-after-step"): "FAIL duplicated",
    ("keyless", "killed-after-effect"): "FAIL duplicated",
    ("closes-twice", "rejected"): "FAIL duplicated",
    ("shop-last+keyless+forgets-charges", SIBLING): "FAIL duplicated",
    # Something is not there.
    ("drops-a-part", "absent-for-one"): "FAIL lost",
    ("by-position", "other-order"): "FAIL lost",
    ("loses-nested", "nested"): "FAIL lost",
    ("idles-told-again", "killed-before-effect"): "FAIL lost",
    ("forgets-the-shop", SIBLING): "FAIL lost",
    ("idles-streamed", "streamed"): "FAIL lost",
    # Something is there that has no place.
    ("refunds", "approved"): "FAIL unexpected",
    ("refunds", "rejected"): "FAIL unexpected",
    # A process ended badly.
    ("crashes-closed", "approved"): "FAIL crashed",
    ("crashes-streamed", "streamed"): "FAIL crashed",
    ("refuses-streamed", "streamed"): "FAIL refused",
    ("crashes-rejected", "rejected"): "FAIL crashed",
    ("refuses-rejected", "rejected"): "FAIL refused",
    ("crashes-undecided", "missing"): "FAIL crashed",
    ("crashes-told-again", "killed-after-effect"): "FAIL crashed",
    ("refuses-told-again", "killed-after-effect"): "FAIL refused",
    ("crashes-resumed", SIBLING): "FAIL crashed",
    ("refuses-resumed", SIBLING): "FAIL refused",
    # The effects are right, and what is stored is not.
    ("unpaired", "approved"): "FAIL unpaired",
    ("unpaired+refuses-at-the-end", "approved-twice"): "FAIL unpaired",
    ("unreadable", "approved"): "FAIL state lost",
}


SENTENCES = {
    ("charges-at-once", "approved"): "1 charge_card effect before anybody had decided (expected 0)",
    ("obeys-no-rejection", "rejected"): "1 charge_card effect after the rejection (expected 0)",
    ("silence-is-consent", "missing"): "1 charge_card effect although nobody had decided (expect",
    ("one-is-all", "absent-for-one"): "1 charge_card_2 effect although it was not approved (exp",
    ("step-again", "nested-after-step"): "2 reserve_stock effects after the approval (expected 1)",
}


@pytest.mark.parametrize(("traits", "point"), FAILS)
def test_what_each_fault_comes_to(
    lab: Lab, usual: Unfaulted, tmp_path: Path, traits: str, point: str
) -> None:
    """Every way of being wrong has its word, and what nobody allowed is told by when it came."""
    result = run(lab, asking(traits, tmp_path), point, usual)
    assert word(result) == FAILS[traits, point], result.detail
    assert SENTENCES.get((traits, point), "") in result.detail


def test_one_that_hangs(impatient_lab: Lab, usual: Unfaulted, tmp_path: Path) -> None:
    """It is ended, and named by its verb."""
    result = run(impatient_lab, asking("hangs-undecided", tmp_path), "missing", usual)
    assert word(result) == "FAIL hung"
    assert result.detail.startswith("approve hung: still running after ")


def test_an_earlier_refusal_is_not_taken_for_a_later_one(lab: Lab, tmp_path: Path) -> None:
    """What each process said is its own."""
    traits = "refuses-undecided+crashes-at-last"
    result = run(lab, asking(traits, tmp_path), "missing")
    assert word(result) == "FAIL crashed", result.detail


def test_without_inspect_the_effects_decide(lab: Lab, usual: Unfaulted, tmp_path: Path) -> None:
    """A subject that has no such verb is not failed for what it would have said."""
    result = run(lab, asking("unpaired", tmp_path, inspects=False), "approved", usual)
    assert word(result) == "PASS held"
    assert "reported" not in result.evidence


# -- what cannot be judged -------------------------------------------------------------------------


NOT_USABLE = {
    "crashes-first": "the run without a fault failed: start exited 1",
    "crashes-approved": "the run without a fault failed: approve exited 1",
    "never-ends": "the run without a fault never came to its end: no finish_order effect",
    "talks-nonsense": "the provider refused a call",
}


@pytest.mark.parametrize("traits", NOT_USABLE)
def test_a_run_without_a_fault_that_shows_nothing(lab: Lab, tmp_path: Path, traits: str) -> None:
    """Every point is an ERROR, with the stage and what was said."""
    runner = Runner(lab, Selection())
    results = list(runner._run_scenario(SCENARIO, asking(traits, tmp_path)))  # noqa: SLF001
    assert words(results) == ["ERROR"] * 13
    assert {one.evidence["stage"] for one in results} == {"unfaulted"}
    assert results[0].detail.startswith(NOT_USABLE[traits])


def test_a_program_that_is_not_there(lab: Lab) -> None:
    """The system's reason is the sentence."""
    with pytest.raises(NotUsable, match="start could not be started: no-such-program"):
        SCENARIO.unfaulted(lab, Subject(target="no", argv=("no-such-program",)), Settings())


MISSED = {
    ("crashes-next-start", "approved"): "start exited 1 and came to no pause",
    ("step-late", "after-step"): "the run paused before its step was done: the provider had seen",
    ("idles-at-last", "killed-before-effect"): "the agent exited (status 0) before its tool called",
    ("pays-from-outside", "killed-before-effect"): "the kill did not land in the tool: the call",
    ("crashes-next-start", SIBLING): "start exited 1 before it called the provider for notify_shop",
    ("shop-never", SIBLING): "in this shape: the run without a fault had the effects",
    ("charges-at-once", SIBLING): "in this shape: the run without a fault did not wait for anybody",
    ("crashes-sibling", SIBLING): "in this shape: the run without a fault failed: approve exited 1",
}


@pytest.mark.parametrize(("traits", "point"), MISSED)
def test_a_fault_that_did_not_land(lab: Lab, tmp_path: Path, traits: str, point: str) -> None:
    """The run went another way than the one without a fault, so nothing was learned."""
    result = run(lab, asking(traits, tmp_path), point)
    assert word(result) == "ERROR", result.detail
    assert result.detail.startswith(MISSED[traits, point])


def test_a_start_that_comes_to_no_pause(hasty_lab: Lab, usual: Unfaulted, tmp_path: Path) -> None:
    """Nobody can say whether it would have waited."""
    for point, sentence in {
        "approved": "start did not come to its pause within 0.2 s",
        SIBLING: "start did not call the provider for notify_shop within 0.2 s",
    }.items():
        result = run(hasty_lab, asking("hangs-first", tmp_path), point, usual)
        assert word(result) == "ERROR"
        assert result.detail == sentence


def test_a_run_without_a_fault_that_hangs(hasty_lab: Lab, tmp_path: Path) -> None:
    """The verb is named."""
    with pytest.raises(NotUsable, match=r"did not end within 0\.2 s: start"):
        SCENARIO.unfaulted(hasty_lab, asking("hangs-first", tmp_path), Settings())


def test_points_that_a_subject_lacks_are_not_run(lab: Lab, tmp_path: Path) -> None:
    """Not even the run without a fault of a shape that it does not have."""
    lacking = frozenset({(SCENARIO.name, SIBLING), (SCENARIO.name, "nested")})
    unfaulted = SCENARIO.unfaulted(lab, asking("shop-never", tmp_path, lacking=lacking), Settings())
    assert unfaulted.evidence["sibling"] is None
    points = [one.kill_point for one in unfaulted.cases]
    assert len(points) == 11
    assert "nested" not in points
