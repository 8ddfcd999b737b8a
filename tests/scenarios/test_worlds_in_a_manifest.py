"""The worlds of a manifest: named as they are, or a clear error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from plugpull.errors import UsageError
from plugpull.manifest import read_manifest
from plugpull.scenarios.changed_world import WORLDS
from two_versions import TARGETS, add_target


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"worlds": {"tool-renamed": "x"}}, "unknown world 'tool-renamed'; there are tool-schema-"),
        ({"worlds": {}}, "worlds: changed-world is answered, and there is no world"),
        ({"worlds": {"tool-removed": "("}}, "worlds.tool-removed: '(' is not a regular expression"),
        ({"worlds": {"tool-removed": 3}}, "worlds: its values have to be texts"),
        ({"worlds": ["tool-removed"]}, "worlds: it has to be an object"),
    ],
)
def test_a_wrong_world_is_an_error(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    """A world that nothing knows would never be tried, and nobody would notice."""
    with pytest.raises(UsageError) as caught:
        read_manifest(add_target(tmp_path, "goes-on", **changes) / "toy")
    assert sentence in str(caught.value)


def test_worlds_are_patterns(tmp_path: Path) -> None:
    """What a refusal has to name."""
    worlds = dict.fromkeys(WORLDS, "a.c")
    manifest = read_manifest(add_target(tmp_path, "goes-on", worlds=worlds) / "toy")
    assert {world: pattern.pattern for world, pattern in manifest.worlds.items()} == worlds


@pytest.mark.parametrize("target", ["langgraph", "openai-agents", "pydantic-ai", "endstate"])
def test_the_shipped_targets_can_be_asked_for_every_change_that_is_announced(target: str) -> None:
    """None of them leaves one out in silence."""
    worlds = read_manifest(TARGETS / target).worlds
    assert set(WORLDS) - {"framework-changed"} <= set(worlds)
