"""Mutation proof: each way of breaking the harness turns at least one named test red."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutants import MUTANTS
from workshop import Mutant, Workshop, check_noticed, named


@pytest.mark.parametrize("mutant", MUTANTS, ids=named)
def test_a_broken_harness_is_noticed(mutant: Mutant, workshop: Workshop, tmp_path: Path) -> None:
    """At least one of the named tests fails, by an assertion and not by accident."""
    check_noticed(mutant, workshop, tmp_path / "report.xml")


def test_every_mutant_has_a_name_of_its_own() -> None:
    """The table can be talked about."""
    names = [(mutant.file, mutant.name) for mutant in MUTANTS]
    assert len(set(names)) == len(names)
