"""What a target calls not supported: the installed package is asked whether that is so."""

from __future__ import annotations

import sys

import pytest
from frameworks import Environments
from plugpull.manifest import read_manifest
from plugpull.specifiers import matches
from plugpull.target import NotSupported
from rigged_target import TARGETS

#: For each target and each of its ranges of gaps: a release with the gap, and one without it.
RELEASES = {
    ("langgraph", "<0.6.0"): ("langgraph-0.5.4", "langgraph-1.2.11"),
    ("langgraph", "<1.0.10"): ("langgraph-0.6.11", "langgraph-1.2.11"),
    ("openai-agents", "<0.8.0"): ("openai-agents-0.7.0", "openai-agents-0.19.4"),
    ("openai-agents", "<0.12.0"): ("openai-agents-0.7.0", "openai-agents-0.19.4"),
    ("openai-agents", "<0.20.0"): ("openai-agents-0.19.4", "openai-agents-0.22.2"),
    ("pydantic-ai", "<2.26.0"): ("pydantic-ai-1.11.1", "pydantic-ai-2.37.0"),
    ("pydantic-ai", "<2.53.0"): ("pydantic-ai-2.43.0", "pydantic-ai-2.68.0"),
    ("pydantic-ai", "<2.66.0"): ("pydantic-ai-2.43.0", "pydantic-ai-2.68.0"),
}

#: From this release on Pydantic AI needs Python 3.11.
NEEDS_311 = "pydantic-ai-2.68.0"

HAS = """
import importlib, operator, sys
module, _, name = sys.argv[1].partition(":")
try:
    operator.attrgetter(name)(importlib.import_module(module))
except (ImportError, AttributeError):
    print("absent")
else:
    print("there")
"""


def gaps(target: str) -> list[NotSupported]:
    """What a target calls not supported."""
    return list(read_manifest(TARGETS / target).not_supported)


@pytest.mark.parametrize(("target", "versions"), RELEASES)
def test_what_is_not_supported_is_really_absent(
    environments: Environments, target: str, versions: str
) -> None:
    """The API is missing in a release of the declared range and there in one beyond it."""
    old, new = RELEASES[target, versions]
    if new == NEEDS_311 and sys.version_info < (3, 11):
        pytest.skip("this release needs Python 3.11")
    assert matches(old.rpartition("-")[2], versions)
    assert not matches(new.rpartition("-")[2], versions)
    missing = {gap.absent for gap in gaps(target) if gap.versions == versions and gap.absent}
    assert missing
    for absent in missing:
        assert environments[old].says(HAS, absent) == "absent"
        assert environments[new].says(HAS, absent) == "there"


@pytest.mark.parametrize("target", sorted({target for target, _ in RELEASES}))
def test_every_gap_has_a_reason_and_a_link(target: str) -> None:
    """A reader learns why, and where that is written; a release is asked for what it lacks.

    A variant that leaves out one fault point by what it is lacks nothing of the release.
    """
    assert gaps(target)
    for gap in gaps(target):
        assert gap.reason
        assert gap.link.startswith("https://")
        if gap.absent or not (gap.variant and gap.kill_point):
            assert (target, gap.versions) in RELEASES


def test_a_release_before_durability_runs_under_its_own_names(environments: Environments) -> None:
    """LangGraph 0.5.4 has no durability: its variants are named after what it does have."""
    run = environments["langgraph-0.5.4"].plugpull(
        *("--target", "langgraph", "--targets", TARGETS, "--timing-repeat", "1"),
        *("--scenario", "kill-mid-tool"),
    )
    targets = {results[0]["target"] for results in run.results.values()}
    assert targets == {
        "langgraph 0.5.4 checkpoint_during=True (default)",
        "langgraph 0.5.4 checkpoint_during=True (default) key=tool-call-id",
    }
    assert run.one("checkpoint-during+no-key", "after-effect")["verdict"] == "FAIL"
    assert {gap["variant"] for gap in run.not_supported} == {
        "sync+no-key",
        "sync+tool-call-id",
        "exit+no-key",
        "functional+no-key",
        "functional+tool-call-id",
    }
