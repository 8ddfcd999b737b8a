"""The Pydantic AI target on real Pydantic AI: what a history stored at every node is worth."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from frameworks import NOTHING, Environment, Environments, Run, watch
from rigged_target import TARGETS, rigged_target

NOTE = (
    "(documented: a run without a prompt executes the tool calls at the end of the history, see "
    "https://pydantic.dev/docs/ai/core-concepts/message-history/#making-histories-provider-valid)"
)
NOTE_AT_END = (
    "(documented: the messages are there when the run has ended, see "
    "https://pydantic.dev/docs/ai/core-concepts/message-history/#accessing-messages-from-results)"
)


@pytest.fixture(scope="module")
def pydantic_ai(environments: Environments) -> Environment:
    """pydantic-ai-slim 2.43.0."""
    return environments["pydantic-ai-2.43.0"]


@pytest.fixture(scope="module")
def shipped(pydantic_ai: Environment) -> Run:
    """The shipped target."""
    return pydantic_ai.plugpull(
        *("--target", "pydantic-ai", "--targets", TARGETS, "--scenario", "kill-mid-tool"),
    )


def test_the_shipped_target_as_it_is_printed(shipped: Run) -> None:
    """The pending call runs again under its old id: a key of it makes the difference."""
    once = "the provider saw exactly 1 charge_card effect"
    twice = "effect duplicated: the provider saw 2 charge_card effects after resume (expected 1) "
    plain = "pydantic-ai 2.43.0 history=per-node"
    ended = "pydantic-ai 2.43.0 history=at-end"
    keyed = "key=tool-call-id"
    assert [re.split(r" {2,}", line) for line in shipped.lines] == [
        ["PASS", "kill-mid-tool", "before-effect", plain, once],
        ["FAIL", "kill-mid-tool", "after-effect", plain, twice + NOTE],
        ["PASS", "kill-mid-tool", "before-effect", f"{plain} {keyed}", once],
        ["PASS", "kill-mid-tool", "after-effect", f"{plain} {keyed}", once],
        ["PASS", "kill-mid-tool", "before-effect", ended, once],
        ["FAIL", "kill-mid-tool", "after-effect", ended, twice + NOTE_AT_END],
        ["PASS", "kill-mid-tool", "before-effect", f"{ended} {keyed}", once],
        ["FAIL", "kill-mid-tool", "after-effect", f"{ended} {keyed}", twice + NOTE_AT_END],
    ]
    assert shipped.returncode == 0


def test_the_version_is_that_of_the_distribution(shipped: Run) -> None:
    """The table says pydantic-ai; what is installed, imported and proven is pydantic-ai-slim."""
    assert shipped.cell["framework"] == "pydantic-ai"
    assert shipped.cell["distribution"] == "pydantic-ai-slim"
    assert shipped.cell["version"] == "2.43.0"


def test_the_stored_history_is_whole(shipped: Run) -> None:
    """After resume, inspect finds one question, one call, its answer and the last words."""
    variant = "history-per-node+tool-call-id"
    reported = shipped.one(variant, "after-effect")["evidence"]["reported"]
    assert [entry["kind"] for entry in reported["history"]] == ["user", "call", "answer", "message"]
    assert reported["history"][1]["id"] == reported["history"][2]["id"]
    assert reported["finished"] is True


def test_without_a_stored_history_the_key_is_worth_nothing(
    pydantic_ai: Environment, tmp_path: Path
) -> None:
    """The saved history carries the id: without it the model is asked again and charges anew."""
    targets = rigged_target(
        tmp_path,
        "pydantic-ai",
        "pydantic_ai_forgets.py",
        {"forgets": {"PLUGPULL_KEY": "tool-call-id"}},
    )
    run = pydantic_ai.plugpull(
        *("--target", "pydantic-ai", "--targets", targets, "--scenario", "kill-mid-tool"),
    )
    assert run.verdicts("forgets") == ("PASS", "FAIL")
    assert run.one("forgets", "after-effect")["evidence"]["effects"]["charge_card"] == 2


def test_the_framework_is_imported_once(shipped: Run) -> None:
    """The modules to preload start no thread, so runs are forks of a warm process."""
    if shipped.cell["platform"].startswith("Linux"):
        assert shipped.cell["launcher"] == "fork"


def test_no_connection_and_no_key(pydantic_ai: Environment, tmp_path: Path) -> None:
    """No process of a run uses the network, and the user's keys do not reach it."""
    run, seen = watch(pydantic_ai, "pydantic-ai", "kill-mid-tool", tmp_path)
    assert run.verdicts("watched") == ("PASS", "FAIL")
    assert seen == NOTHING
