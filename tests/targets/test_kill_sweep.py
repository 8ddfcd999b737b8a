"""kill-sweep on the real frameworks: every call of each shipped target, judged by the end state."""

from __future__ import annotations

from typing import Any

import pytest
from frameworks import Environments, Run
from plugpull.provider import AFTER_EFFECT, BEFORE_EFFECT
from rigged_target import TARGETS

CHARGE, FINISH = "1-charge_card", "2-finish_order"
HELD, TWICE, THRICE = ("PASS", "held", 1), ("FAIL", "duplicated", 2), ("FAIL", "duplicated", 3)

#: The tool call is stored before it runs, and its result after: only a call that died unanswered
#: is made again, once per kill.
STORED_RESULTS = {
    (BEFORE_EFFECT, CHARGE): HELD,
    (AFTER_EFFECT, CHARGE): TWICE,
    (BEFORE_EFFECT, FINISH): HELD,
    (AFTER_EFFECT, FINISH): HELD,
    ("before-effect-twice", CHARGE): HELD,
    ("after-effect-twice", CHARGE): THRICE,
    ("before-effect-twice", FINISH): HELD,
    ("after-effect-twice", FINISH): HELD,
}

#: What is stored is the pause before the tool, so a kill after it makes the tool run again too.
#: With the second kill before the effect of that call, it has none in between.
STORED_PAUSE = {
    **STORED_RESULTS,
    (BEFORE_EFFECT, FINISH): TWICE,
    (AFTER_EFFECT, FINISH): TWICE,
    ("before-effect-twice", FINISH): TWICE,
    ("after-effect-twice", FINISH): THRICE,
}

#: Target to its environment, its variants without and with a key, and what the former comes to.
SUBJECTS: dict[str, tuple[str, str, str, dict[tuple[str, str], Any]]] = {
    "langgraph": ("langgraph-1.2.11", "sync+no-key", "sync+tool-call-id", STORED_RESULTS),
    "pydantic-ai": (
        "pydantic-ai-2.43.0",
        "history-per-node+no-key",
        "history-per-node+tool-call-id",
        STORED_RESULTS,
    ),
    "openai-agents": ("openai-agents-0.22.2", "no-key", "tool-call-id", STORED_PAUSE),
}

OUTPUT = {"kinds": ["user", "call", "answer", "message"], "closed": True}


@pytest.fixture(scope="module", params=SUBJECTS)
def swept(request: pytest.FixtureRequest, environments: Environments) -> tuple[str, Run]:
    """A target's name and its sweep."""
    environment = environments[SUBJECTS[request.param][0]]
    run = environment.plugpull(
        *("--target", request.param, "--targets", TARGETS),
        *("--scenario", "kill-sweep", "--moments", "1"),
    )
    assert run.returncode == 0, run.lines
    return request.param, run


def at_calls(run: Run, variant: str) -> dict[tuple[str, str], Any]:
    """Verdict, outcome and number of charges at every call of a variant."""
    return {
        (point, result["point_detail"]): (
            result["verdict"],
            result["outcome"],
            result["evidence"]["effects"]["charge_card"],
        )
        for (name, point), results in run.results.items()
        if name == variant and point != "random-moment"
        for result in results
    }


def test_without_a_key_a_call_that_nobody_stored_is_made_again(swept: tuple[str, Run]) -> None:
    """Which calls these are is what the framework stores, and when."""
    target, run = swept
    _, unkeyed, _, expected = SUBJECTS[target]
    assert at_calls(run, unkeyed) == expected


def test_with_the_call_s_id_as_key_every_fault_is_survived(swept: tuple[str, Run]) -> None:
    """Eight faults and a random moment: each ends as a run without a fault does."""
    target, run = swept
    _, _, keyed, expected = SUBJECTS[target]
    assert at_calls(run, keyed) == dict.fromkeys(expected, HELD)
    moment = run.one(keyed, "random-moment")
    assert (moment["verdict"], moment["timing_dependent"]) == ("PASS", True)


def test_the_stored_run_is_read_back_and_compared(swept: tuple[str, Run]) -> None:
    """The output holds no ids and no wording, so it is the same after every kill."""
    target, run = swept
    for point in (BEFORE_EFFECT, AFTER_EFFECT):
        for result in run.results[SUBJECTS[target][2], point]:
            assert result["evidence"]["unfaulted"]["output"] == OUTPUT
            assert result["evidence"]["output"] == OUTPUT


def test_the_sdk_runs_an_approved_tool_again_from_the_saved_state(
    environments: Environments,
) -> None:
    """kill-mid-tool on the OpenAI Agents SDK: the call's id is in the state, so it works as key."""
    run = environments["openai-agents-0.22.2"].plugpull(
        *("--target", "openai-agents", "--targets", TARGETS, "--scenario", "kill-mid-tool"),
    )
    assert run.verdicts("no-key") == ("PASS", "FAIL")
    assert run.one("no-key", AFTER_EFFECT)["outcome"] == "duplicated"
    assert run.verdicts("tool-call-id") == ("PASS", "PASS")
