"""batch-kill and changed-world on the real frameworks: what each keeps of a batch, and minds."""

from __future__ import annotations

from typing import Any

import pytest
from frameworks import Environment, Environments, Run
from plugpull.scenarios.batch_kill import BatchKill
from plugpull.scenarios.changed_world import FRAMEWORK_CHANGED, ChangedWorld
from rigged_target import TARGETS

BATCH, WORLD = BatchKill.name, ChangedWorld.name

#: Without a key the call that nobody knows the end of is made twice, in every framework.
EACH_IS_KEPT = ("PASS held", "FAIL duplicated")
KEYED_IS_KEPT = ("PASS held", "PASS held")
NONE_IS_KEPT = ("FAIL duplicated", "FAIL duplicated")
KEY_HIDES_IT = ("FAIL repeated", "FAIL repeated")

#: Target to its environment, and each variant to what it comes to at the two fault points.
BATCHES: dict[str, tuple[str, dict[str, tuple[str, str]]]] = {
    # One node runs the whole batch, or a task of its own runs each call.
    "langgraph": (
        "langgraph-1.2.11",
        {
            "sync+no-key": NONE_IS_KEPT,
            "sync+tool-call-id": KEY_HIDES_IT,
            "sync+no-key+send": EACH_IS_KEPT,
            "sync+tool-call-id+send": KEYED_IS_KEPT,
            "functional+no-key": EACH_IS_KEPT,
            "functional+tool-call-id": KEYED_IS_KEPT,
        },
    ),
    # The state is kept where the run pauses: once for all approvals, or once for each.
    "openai-agents": (
        "openai-agents-0.22.2",
        {
            "no-key": NONE_IS_KEPT,
            "tool-call-id": KEY_HIDES_IT,
            "no-key+one-by-one": EACH_IS_KEPT,
            "tool-call-id+one-by-one": KEYED_IS_KEPT,
        },
    ),
    "pydantic-ai": (
        "pydantic-ai-2.43.0",
        {"history-per-node+no-key": NONE_IS_KEPT, "history-per-node+tool-call-id": KEY_HIDES_IT},
    ),
    # It never runs a pending call of a tool that is not idempotent, nor one that has not begun.
    "endstate": (
        "endstate-0.3.0",
        {
            "no-key": EACH_IS_KEPT,
            "key-in-arguments": KEYED_IS_KEPT,
            "key-in-arguments+prompt": KEYED_IS_KEPT,
            "not-idempotent": ("FAIL lost", "FAIL lost"),
            "not-idempotent+stop": ("FAIL refused", "FAIL refused"),
        },
    ),
}

#: Target to what it comes to where the tool's schema, the tool list and the model's name changed.
WORLDS = {
    "langgraph": ("PASS refused", "FAIL lost", "PASS held"),
    "openai-agents": ("FAIL crashed", "PASS refused", "PASS held"),
    "pydantic-ai": ("PASS held", "FAIL lost", "PASS held"),
    "endstate": ("FAIL crashed", "FAIL lost", "PASS held"),
}


def words(results: list[dict[str, Any]]) -> tuple[str, ...]:
    """Verdict and outcome of each result."""
    return tuple(f"{one['verdict']} {one['outcome']}" for one in results)


@pytest.fixture(scope="module", params=BATCHES)
def asked(request: pytest.FixtureRequest, environments: Environments) -> tuple[str, Run]:
    """A target's name, and both scenarios on it."""
    run = environments[BATCHES[request.param][0]].plugpull(
        *("--target", request.param, "--targets", TARGETS),
        *("--scenario", BATCH, "--scenario", WORLD),
    )
    assert run.returncode == 0, run.lines
    return request.param, run


def of(run: Run, scenario: str, variant: str) -> list[dict[str, Any]]:
    """The results of one scenario on one variant."""
    return [
        result
        for results in run.results.values()
        for result in results
        if (result["scenario"], result["variant"]) == (scenario, variant)
    ]


def test_what_is_kept_of_a_batch(asked: tuple[str, Run]) -> None:
    """Whether an answered call is made again is a matter of what is stored, and when."""
    target, run = asked
    expected = BATCHES[target][1]
    assert {variant: words(of(run, BATCH, variant)) for variant in expected} == expected
    for variant in expected:
        for result in of(run, BATCH, variant):
            (first,) = result["evidence"]["answered"]
            again = result["evidence"]["effects"][first]
            assert again == (2 if expected[variant] == NONE_IS_KEPT else 1)
            assert result["evidence"]["unfaulted"]["stored_calls"] == 3


def test_each_call_of_the_batch_is_answered_once(asked: tuple[str, Run]) -> None:
    """The history that the framework gives back is whole, whatever was done twice."""
    target, run = asked
    for variant in BATCHES[target][1]:
        for result in of(run, BATCH, variant):
            history = result["evidence"]["reported"]["history"]
            calls = [one["id"] for one in history if one["kind"] == "call"]
            answers = [one["id"] for one in history if one["kind"] == "answer"]
            assert len(set(calls)) == len(calls) == 3
            assert sorted(answers) == sorted(calls)


def test_what_a_changed_world_comes_to(asked: tuple[str, Run]) -> None:
    """None of them minds another model; a tool that has gone is what most lose work over."""
    target, run = asked
    variants = {
        result["variant"]
        for results in run.results.values()
        for result in results
        if result["scenario"] == WORLD
    }
    assert len(variants) == 1
    results = of(run, WORLD, variants.pop())
    assert words(results) == WORLDS[target]
    silent = [one for one in results if one["outcome"] == "lost"]
    assert all("resume went on silently" in one["detail"] for one in silent)


def test_documented_fails_have_their_link(asked: tuple[str, Run]) -> None:
    """Where the framework says that this happens, the result says where."""
    target, run = asked
    documented = {
        "langgraph": (BATCH, "durable-execution#starting-points-for-resuming-workflows"),
        "openai-agents": (WORLD, "config/#sensitive-data-in-logs"),
        "pydantic-ai": (BATCH, "message-history/#making-histories-provider-valid"),
        "endstate": (WORLD, "durability/#open-problems"),
    }
    scenario, link = documented[target]
    fails = [
        result
        for results in run.results.values()
        for result in results
        if (result["scenario"], result["verdict"]) == (scenario, "FAIL")
    ]
    assert fails
    assert all(link in result["detail"] for result in fails)


def moved(environments: Environments, target: str, before: str, after: str) -> dict[str, Any]:
    """The one result of a resume under another release."""
    run = environments[before].plugpull(
        *("--target", target, "--targets", TARGETS, "--scenario", WORLD),
        *("--other-python", environments[after].python),
    )
    assert run.returncode == 0, run.lines
    (result,) = [
        one
        for results in run.results.values()
        for one in results
        if one["kill_point"] == FRAMEWORK_CHANGED
    ]
    assert result["evidence"]["resume_version"] == after.rpartition("-")[2]
    assert run.cell["version"] == before.rpartition("-")[2]
    return result


def test_langgraph_goes_on_under_a_newer_release(environments: Environments) -> None:
    """A run that 0.6.11 saved in a tool, 1.2.11 brings to its end."""
    result = moved(environments, "langgraph", "langgraph-0.6.11", "langgraph-1.2.11")
    assert words([result]) == ("PASS held",)
    assert result["detail"] == "the run went on under 1.2.11 and came to what it should"


def test_openai_agents_refuses_what_a_newer_release_saved(environments: Environments) -> None:
    """0.19.4 names the version of the state that 0.22.2 wrote."""
    result = moved(environments, "openai-agents", "openai-agents-0.22.2", "openai-agents-0.19.4")
    assert words([result]) == ("PASS refused",)
    assert "schema version" in result["detail"]


# -- endstate's own claims -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def endstate(environments: Environments) -> Environment:
    """Version 0.3.0 of it, the newest there is."""
    return environments["endstate-0.3.0"]


REFUSE = """
import sys
sys.path.insert(0, sys.argv[1])
from model import refuse_unpaired
from endstate.types import Message, ToolCall, ToolResult
user = Message(role="user", content="Charge my card.")
call = Message(role="assistant", tool_calls=[ToolCall(id="id", name="x")])
told = Message(role="tool", tool_results=[ToolResult(call_id="id", content="done")])
for said in ([user, call], [user, call, user], [user, told], [user, call, told, told]):
    try:
        refuse_unpaired(said)
    except ValueError as error:
        assert str(error).startswith("400: "), error
    else:
        raise SystemExit(f"taken: {said}")
refuse_unpaired([user, call, told, user])
print("refused")
"""


def test_the_model_takes_no_unpaired_messages(endstate: Environment) -> None:
    """As no provider does: a history that lost an answer would not go unseen."""
    assert endstate.says(REFUSE, str(TARGETS / "endstate")) == "refused"


def test_what_endstate_does_with_its_flag(endstate: Environment) -> None:
    """A call that died is run again, or given up: safe, as its documentation says, not correct."""
    run = endstate.plugpull(
        *("--target", "endstate", "--targets", TARGETS, "--scenario", "kill-mid-tool"),
    )
    assert run.returncode == 0, run.lines
    variants = {variant for variant, _ in run.results}
    found = {variant: words(of(run, "kill-mid-tool", variant)) for variant in variants}
    assert found == {
        "no-key": EACH_IS_KEPT,
        "key-in-arguments": KEYED_IS_KEPT,
        "key-in-arguments+prompt": KEYED_IS_KEPT,
        "not-idempotent": ("FAIL lost", "PASS held"),
        "not-idempotent+stop": ("FAIL refused", "FAIL refused"),
    }
    settled = run.one("key-in-arguments+prompt", "after-effect")["evidence"]["reported"]["history"]
    # The call that died is settled before the new words are added: its answer follows it.
    assert [one["kind"] for one in settled] == ["user", "call", "answer", "user", "message"]
