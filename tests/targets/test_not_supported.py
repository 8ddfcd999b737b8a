"""What a target calls not supported: the installed package is asked whether that is so."""

from __future__ import annotations

import pytest
from frameworks import Environments
from rigged_target import TARGETS

from plugpull.manifest import NotSupported, read_manifest
from plugpull.specifiers import matches

#: A release with the gap, and one without it.
RELEASES = {
    "langgraph": ("langgraph-0.5.4", "langgraph-1.2.11"),
    "openai-agents": ("openai-agents-0.19.4", "openai-agents-0.22.2"),
}

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


def gaps() -> list[tuple[str, NotSupported]]:
    """Every gap of these targets that names what is absent."""
    return [
        (target, gap)
        for target in RELEASES
        for gap in read_manifest(TARGETS / target).not_supported
        if gap.absent is not None
    ]


@pytest.mark.parametrize(
    ("target", "gap"), gaps(), ids=[f"{target}-{gap.variant}" for target, gap in gaps()]
)
def test_what_is_not_supported_is_really_absent(
    environments: Environments, target: str, gap: NotSupported
) -> None:
    """The API is missing in a release of the declared range and there in one beyond it."""
    assert gap.absent is not None
    old, new = RELEASES[target]
    assert matches(old.rpartition("-")[2], gap.versions)
    assert not matches(new.rpartition("-")[2], gap.versions)
    assert environments[old].says(HAS, gap.absent) == "absent"
    assert environments[new].says(HAS, gap.absent) == "there"


def test_every_gap_has_a_reason_and_a_link() -> None:
    """A reader of the table learns why, and where that is written."""
    for _, gap in gaps():
        assert gap.reason
        assert gap.link.startswith("https://")


def test_a_release_before_durability_runs_under_its_own_names(environments: Environments) -> None:
    """LangGraph 0.5.4 has no durability: its variants are named after what it does have."""
    run = environments["langgraph-0.5.4"].plugpull(
        *("--target", "langgraph", "--targets", TARGETS, "--timing-repeat", "1"),
    )
    targets = {results[0]["target"] for results in run.results.values()}
    assert targets == {
        "langgraph 0.5.4 checkpoint_during=True (default)",
        "langgraph 0.5.4 checkpoint_during=True (default) key=tool-call-id",
    }
    assert run.one("checkpoint-during+no-key", "after-effect")["verdict"] == "FAIL"
    assert {gap["variant"] for gap in run.not_supported} == {"sync+no-key", "sync+tool-call-id"}
