"""resume-twice: what each kind of agent comes to when a saved state is used again."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest
from broken_worlds import words
from plugpull.lab import Lab
from plugpull.runner import Runner, Selection
from plugpull.scenarios.base import Case, NotUsable, Settings, Unfaulted
from plugpull.scenarios.resume_twice import ResumeTwice
from plugpull.subject import Subject
from plugpull.verdicts import Result

PROGRAM = Path(__file__).parent / "toys" / "asking.py"
SCENARIO = ResumeTwice()
POINTS = ("after-finish", "after-approval")


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
    """What the runs without a fault show of one that is right: the same for most toys."""
    subject = asking("right", tmp_path_factory.mktemp("usual"))
    unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    assert tuple(one.kill_point for one in unfaulted.cases) == POINTS
    return unfaulted


def run(lab: Lab, subject: Subject, point: str, unfaulted: Unfaulted | None = None) -> Result:
    """The result at one fault point; without the usual runs its own come first."""
    if unfaulted is None:
        unfaulted = SCENARIO.unfaulted(lab, subject, Settings())
    return SCENARIO.try_case(lab, subject, unfaulted, Case(point))


COMES_TO = {
    ("right", POINTS[0]): "PASS held",
    ("right", POINTS[1]): "PASS held",
    ("forgets-it-ended", POINTS[0]): "PASS held",
    ("forgets-it-ended", POINTS[1]): "PASS held",
    ("forgets-it-ended+keyless", POINTS[0]): "FAIL duplicated",
    ("forgets-it-ended+keyless", POINTS[1]): "FAIL duplicated",
    ("refuses-again", POINTS[0]): "PASS refused",
    ("refuses-told-again", POINTS[1]): "PASS refused",
    ("crashes-again", POINTS[0]): "FAIL crashed",
    ("crashes-told-again", POINTS[1]): "FAIL crashed",
    ("refunds-again", POINTS[0]): "FAIL unexpected",
    ("unpaired", POINTS[0]): "FAIL unpaired",
    ("unpaired", POINTS[1]): "FAIL unpaired",
    ("unreadable", POINTS[1]): "FAIL state lost",
}


SENTENCES = {
    "refuses-again": "the second resume was refused: REFUSED: not this one",
    "crashes-told-again": "the second approve ended with 1 and no refusal that the target declares",
}


@pytest.mark.parametrize(("traits", "point"), COMES_TO)
def test_what_each_kind_of_agent_gets(
    lab: Lab, usual: Unfaulted, tmp_path: Path, traits: str, point: str
) -> None:
    """Nothing new, or a refusal, is right; a second effect or a crash is not."""
    result = run(lab, asking(traits, tmp_path), point, usual)
    assert words([result]) == [COMES_TO[traits, point]], result.detail
    assert SENTENCES.get(traits, result.detail) == result.detail


def test_a_second_use_that_hangs(impatient_lab: Lab, tmp_path: Path) -> None:
    """It is ended, and named by its verb."""
    result = run(impatient_lab, asking("hangs-told-again", tmp_path), "after-approval")
    assert words([result]) == ["FAIL hung"]
    assert result.detail == "approve hung: still running after 4 s"


def test_what_a_pass_has_seen(lab: Lab, usual: Unfaulted, tmp_path: Path) -> None:
    """The state was used up with every effect once, and then used again."""
    evidence = run(lab, asking("right", tmp_path), "after-approval", usual).evidence
    verbs = [(one["verb"], one["returncode"]) for one in evidence["processes"]]
    assert verbs == [("start", 0), ("approve", 0), ("approve", 0)]
    first, second = evidence["processes"][1:]
    assert first["decisions"] == second["decisions"]
    assert first["effects"] == second["effects"] == {"charge_card": 1, "finish_order": 1}
    evidence = run(lab, asking("right", tmp_path), "after-finish", usual).evidence
    verbs = [(one["verb"], one["returncode"]) for one in evidence["processes"]]
    assert verbs == [("start", 0), ("resume", 0)]


UNUSED = {
    ("crashes-next-start", POINTS[0]): "the first start exited 1",
    ("crashes-next-start", POINTS[1]): "the first start exited 1",
    ("crashes-at-last", POINTS[1]): "the first approve exited 1",
    ("idles-at-last", POINTS[1]): "the saved state was not used up: effect lost: the provider saw",
}


@pytest.mark.parametrize(("traits", "point"), UNUSED)
def test_a_state_that_was_not_used_before(
    lab: Lab, tmp_path: Path, traits: str, point: str
) -> None:
    """Its second use would be its first one."""
    result = run(lab, asking(traits, tmp_path), point)
    assert words([result]) == ["ERROR"], result.detail
    assert result.detail.startswith(UNUSED[traits, point])


def test_a_first_use_that_hangs(hasty_lab: Lab, usual: Unfaulted, tmp_path: Path) -> None:
    """Nothing was used up."""
    result = run(hasty_lab, asking("hangs-first", tmp_path), "after-finish", usual)
    assert words([result]) == ["ERROR"]
    assert result.detail == "the first start did not end within 0.2 s"


NOT_USABLE = {
    "crashes-first": "start exited 1 before its tool called the provider",
    "crashes-approved": "the run without a fault failed: approve exited 1",
    "charges-at-once": "did not wait for anybody: charge_card happened before the approval",
    "never-ends": "never came to its end: no finish_order effect",
}


@pytest.mark.parametrize("traits", NOT_USABLE)
def test_a_run_without_a_fault_that_shows_nothing(lab: Lab, tmp_path: Path, traits: str) -> None:
    """Then nothing can be used again."""
    with pytest.raises(NotUsable, match=NOT_USABLE[traits]):
        SCENARIO.unfaulted(lab, asking(traits, tmp_path), Settings())


def test_a_run_without_an_effect(lab: Lab) -> None:
    """There is nothing that could be doubled."""
    with pytest.raises(NotUsable, match="never called the provider"):
        SCENARIO.unfaulted(lab, Subject(target="true", argv=("true",)), Settings())


def test_an_agent_without_approve_is_asked_for_resumes_only(lab: Lab, tmp_path: Path) -> None:
    """A user's own agent has no such verb, and so no such result."""
    command = shlex.join(asking("right", tmp_path).argv)
    results = Runner(lab, Selection(scenarios=("resume-twice",))).run_agent(command).results
    assert [(one.kill_point, one.verdict) for one in results] == [("after-finish", "PASS")]
