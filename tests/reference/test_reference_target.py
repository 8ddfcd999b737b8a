"""The reference agent as a target: what plugpull makes of it, and of a copy that lost a guard."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from agent_bench import REFERENCE
from agent_mutants import MUTANTS, mutant
from plugpull.manifest import read_manifest
from plugpull.scenarios import SCENARIOS

TARGETS = REFERENCE.parent
Results = dict[tuple[str, str], dict[str, list[dict[str, Any]]]]


def plugpull(*arguments: str, targets: Path = TARGETS) -> Results:
    """Run the command; the results by scenario and variant, and then by fault point."""
    command = [sys.executable, "-m", "plugpull", "--targets", str(targets), "--target", "reference"]
    ended = subprocess.run(
        [*command, *arguments, "--json"], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    found: Results = defaultdict(lambda: defaultdict(list))
    for result in json.loads(ended.stdout)["results"]:
        found[result["scenario"], result["variant"]][result["kill_point"]].append(result)
    return found


def verdicts(results: Results, scenario: str, variant: str) -> list[str]:
    """Verdict and outcome at each fault point."""
    return [
        f"{result['verdict']} {result['outcome']}"
        for point in results[scenario, variant].values()
        for result in point
    ]


@pytest.fixture(scope="module")
def results() -> Results:
    """The kills of the report's task, but for the random moments."""
    return plugpull("--moments", "0", "--scenario", "kill-mid-tool", "--scenario", "kill-sweep")


def test_killed_while_it_publishes(results: Results) -> None:
    """With the key exactly once; without it, the negative control, twice after the effect."""
    assert verdicts(results, "kill-mid-tool", "idempotent") == ["PASS held", "PASS held"]
    assert verdicts(results, "kill-mid-tool", "unsafe-effects") == ["PASS held", "FAIL duplicated"]
    (duplicated,) = results["kill-mid-tool", "unsafe-effects"]["after-effect"]
    assert duplicated["evidence"]["effects"] == {"publish_report": 2, "finish_order": 1}
    assert "docs/reference-agent.md" in duplicated["detail"]
    (held,) = results["kill-mid-tool", "idempotent"]["after-effect"]
    assert held["evidence"]["reported"]["finished"] is True
    assert [item["kind"] for item in held["evidence"]["reported"]["history"]] == [
        "user",
        *["call", "answer"] * 3,
    ]


def test_its_nine_kill_points_from_outside(results: Results) -> None:
    """Before and after each tool's effect, and after each commit; also twice; all hold.

    The call that a commit is followed by is held before its effect: nothing else happens between.
    """
    found = results["kill-sweep", "every-step"]
    tools = ["read_notes", "ask_model", "publish_report"]
    calls = [call for step, tool in enumerate(tools) for call in (tool, f"store_step_{step}")]
    calls.append("finish_order")
    places = [f"{number}-{call}" for number, call in enumerate(calls, 1)]
    points = ["before-effect", "after-effect", "before-effect-twice", "after-effect-twice"]
    assert list(found) == points
    assert all([one["point_detail"] for one in found[point]] == places for point in points)
    assert set(verdicts(results, "kill-sweep", "every-step")) == {"PASS held"}


@pytest.mark.skipif(sys.version_info < (3, 13), reason="one Python is enough")
def test_asked_everything_else() -> None:
    """Everything holds with the key; without it what a retry or a resume calls again is doubled."""
    others = sorted({*SCENARIOS} - {"kill-mid-tool", "kill-sweep", "resume-after-upgrade"})
    results = plugpull(*(word for name in others for word in ("--scenario", name)))
    assert {scenario for scenario, _ in results} == {*others}
    failed = {
        (scenario, variant, point): result["outcome"]
        for (scenario, variant), points in results.items()
        for point, found in points.items()
        for result in found
        if result["verdict"] != "PASS"
    }
    unsafe_talk = "conversation+unsafe-effects"
    assert failed == {
        ("batch-kill", unsafe_talk, "between-results-recorded"): "duplicated",
        ("provider-ack-lost", "unsafe-effects", "ack-lost"): "duplicated",
        ("restart-next-turn", unsafe_talk, "after-effect"): "duplicated",
    }


STARTS_OVER = "starts over instead of going on"
NOBODY_ASKED = mutant(
    "nobody is asked", "conversation.py", (' if call["tool"] in gated]', " if False]"), red=set()
)


@pytest.mark.parametrize(
    ("name", "scenario", "variant", "seen"),
    [
        ("key not stable", "kill-mid-tool", "idempotent", ["PASS held", "FAIL duplicated"]),
        ("recovery missing", "kill-mid-tool", "idempotent", ["FAIL lost", "FAIL unpaired"]),
        (STARTS_OVER, "batch-kill", "conversation", ["FAIL crashed", "FAIL crashed"]),
        ("nobody is asked", "resume-after-approval/approved", "conversation", ["FAIL unapproved"]),
    ],
)
def test_plugpull_sees_a_guard_that_is_gone(
    tmp_path: Path, name: str, scenario: str, variant: str, seen: list[str]
) -> None:
    """The same mutants that the agent's own checks see, from outside."""
    (lacking,) = [one for one in (*MUTANTS, NOBODY_ASKED) if one.name == name]
    lacking.make(tmp_path).rename(tmp_path / "reference")
    shutil.copytree(TARGETS / "control", tmp_path / "control")
    scenario, _, point = scenario.partition("/")
    only = ("--fault-point", point) if point else ()
    asked = ("--scenario", scenario, "--variant", variant, *only)
    results = plugpull(*asked, targets=tmp_path)
    assert verdicts(results, scenario, variant) == seen


def test_a_second_resume_is_a_refusal(tmp_path: Path) -> None:
    """While the task is locked, a resume says no in the words that the manifest announces."""
    import fcntl

    env = {**os.environ, "PLUGPULL_WORKDIR": str(tmp_path), "PLUGPULL_PROVIDER": "/nowhere"}
    with (tmp_path / "state.db.order-42.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ended = subprocess.run(
            [sys.executable, str(REFERENCE / "adapter.py"), "resume"],
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ended.returncode == 3
    (pattern,) = read_manifest(REFERENCE).refusals
    assert pattern.search(ended.stderr)
