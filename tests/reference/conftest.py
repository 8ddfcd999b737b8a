"""Benches for the reference agent."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_bench import REFERENCE, Bench, spawn


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Work folders in which the agent is started as a user starts it."""
    return Bench(tmp_path, REFERENCE, spawn)
