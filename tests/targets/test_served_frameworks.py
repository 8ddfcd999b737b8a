"""Temporal and Restate on their real servers: anchors, and what the harness makes of a server."""

from __future__ import annotations

import re
import sys

import pytest
from frameworks import CHECKOUT, Environments, Run
from plugpull.manifest import read_manifest
from rigged_target import TARGETS

# Two servers of more than 100 MB each, and runs that wait until a server notices a death.
pytestmark = pytest.mark.skipif(
    sys.version_info[:2] != (3, 13), reason="the servers are fetched and tried on Python 3.13"
)

#: Target, environment, the variant without a key, and the one with the framework's own.
SERVED = {
    "restate": ("restate-1.3.0", "no-key", "ctx-uuid"),
    "temporal": ("temporal-1.35.0", "no-key", "activity-id"),
}


@pytest.fixture(scope="module", params=SERVED)
def served(request: pytest.FixtureRequest, environments: Environments) -> tuple[str, Run]:
    """kill-mid-tool on a shipped target and its real server."""
    environment, *_ = SERVED[request.param]
    return request.param, environments[environment].plugpull(
        *("--target", request.param, "--targets", TARGETS, "--scenario", "kill-mid-tool"),
    )


def test_a_key_of_the_framework_makes_the_difference(served: tuple[str, Run]) -> None:
    """A step that did not end runs again: twice without a key, once with the documented one."""
    name, run = served
    _, without, keyed = SERVED[name]
    assert run.verdicts(without) == ("PASS", "FAIL")
    assert run.verdicts(keyed) == ("PASS", "PASS")
    duplicated = run.one(without, "after-effect")
    assert duplicated["outcome"] == "duplicated"
    note = read_manifest(TARGETS / name).notes[0]
    assert duplicated["detail"].endswith(f"{note.text} {note.link})")


def test_the_stored_history_is_the_servers(served: tuple[str, Run]) -> None:
    """A process of its own reads it there: question, call, answer, and the end of the run."""
    name, run = served
    reported = run.one(SERVED[name][2], "after-effect")["evidence"]["reported"]
    kinds = [entry["kind"] for entry in reported["history"]]
    assert kinds == ["user", "message", "call", "answer", "message"]
    assert reported["finished"] is True


def test_the_server_listens_on_loopback_only(served: tuple[str, Run]) -> None:
    """As the kernel tells it; each declared port is among what it listens on."""
    service = served[1].cell["service"]
    assert all(one.startswith("127.0.0.1:") for one in service["listens"])
    assert {f"127.0.0.1:{port}" for port in service["ports"].values()} <= set(service["listens"])
    assert "left" not in service


def test_the_script_of_the_finding_counts_how_processes_end(environments: Environments) -> None:
    """Each try is counted once. How many crash is chance, so no number is asked for."""
    script = CHECKOUT / "docs" / "findings" / "temporal-exit-crash.py"
    said = environments[SERVED["temporal"][0]].script(script, "2").splitlines()
    counts = [re.fullmatch(r"(exit 0|SIG[A-Z]+): ([0-9]) of 2", line) for line in said]
    assert sum(int(count[2]) for count in counts if count is not None) == 2
    assert None not in counts


def test_every_scenario_is_answered_or_declared(served: tuple[str, Run]) -> None:
    """Every scenario is answered or declared as not supported, with a reason and a link."""
    from plugpull.scenarios import SCENARIOS

    manifest = read_manifest(TARGETS / served[0])
    whole = {gap.scenario for gap in manifest.not_supported if gap.kill_point is None}
    assert set(manifest.scenarios) | whole == set(SCENARIOS)
    assert not set(manifest.scenarios) & whole
    for gap in manifest.not_supported:
        assert gap.reason
        assert gap.link.startswith("https://docs.")
