"""The Pythons of older versions: the ends, unless somebody asks for one between."""

from __future__ import annotations

from pathlib import Path

import pytest
from planned import checkout, plan_for
from plugpull.errors import UsageError
from plugpull.matrix.older import pythons_of

DECLARED = """
[matrix]
python = ["3.10", "3.11", "3.12"]
older-python = ["3.10", "3.12"]

[framework.toy]
versions = ["1.0.0", "1.1.0"]
default = ["1.1.0"]

[framework.other]
versions = ["5.0"]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with that declaration."""
    return checkout(tmp_path, DECLARED)


def pythons(root: Path, version: str, *posargs: str) -> list[str]:
    """The Pythons that a version of the toy is planned on."""
    return [cell.python for cell in plan_for(root, *posargs).cells if cell.version == version]


def test_an_older_version_is_asked_at_both_ends(root: Path) -> None:
    """One that default names, and whatever has no default, is asked on every Python."""
    assert pythons(root, "1.0.0") == ["3.10", "3.12"]
    assert pythons(root, "1.1.0") == ["3.10", "3.11", "3.12"]
    assert pythons(root, "5.0") == ["3.10", "3.11", "3.12"]
    assert pythons(root, "1.0.0", "--all") == ["3.10", "3.12"]


@pytest.mark.parametrize(
    "posargs",
    [
        ("--python", "3.11"),
        ("--only", "toy-1.0.0/py3.11"),
        ("--only", "toy-1.0.0/py3.11/kill-mid-tool"),
        ("--add", "toy==1.0.0", "--python", "3.11"),
    ],
    ids=" ".join,
)
def test_a_python_that_is_named_is_asked(root: Path, posargs: tuple[str, ...]) -> None:
    """By an option, or in the id of a cell."""
    assert "3.11" in pythons(root, "1.0.0", *posargs)


def test_a_version_that_is_added_is_asked_on_every_python(root: Path) -> None:
    """Whoever adds it wants to see it."""
    assert pythons(root, "1.0.1", "--add", "toy==1.0.1") == ["3.10", "3.11", "3.12"]
    assert pythons(root, "1.0.0", "--add", "toy==1.0.0") == ["3.10", "3.11", "3.12"]


def test_a_version_that_runs_between_only_is_kept(tmp_path: Path) -> None:
    """Else it would be declared and never asked: 2.0.0 needs 3.11, and 3.14 is not there."""
    text = DECLARED.replace('"3.10", "3.12"]', '"3.10"]').replace('"1.0.0"', '"2.0.0"')
    root = checkout(tmp_path, text)
    assert pythons(root, "2.0.0") == ["3.10", "3.11", "3.12"]


def test_without_the_key_every_version_is_asked_on_every_python(tmp_path: Path) -> None:
    """It is a choice of whoever declares a matrix."""
    root = checkout(tmp_path, DECLARED.replace('older-python = ["3.10", "3.12"]\n', ""))
    assert pythons(root, "1.0.0") == ["3.10", "3.11", "3.12"]


def test_a_python_that_the_matrix_does_not_have_is_a_mistake(tmp_path: Path) -> None:
    """And the key is named."""
    root = checkout(tmp_path, DECLARED.replace('"3.10", "3.12"]', '"3.13"]'))
    with pytest.raises(UsageError, match=r"older-python\[0\].*3\.13.*not among the Pythons"):
        plan_for(root)


def test_pythons_are_read_from_ids_and_sessions() -> None:
    """As they are written there, and nowhere else."""
    assert pythons_of(["toy-1.0.0-py3.11", "toy-1.0/py3.12/kill-mid-tool"]) == {"3.11", "3.12"}
    assert pythons_of(["toy-1.0.0", "toy/py*/x", "happy3.11", "toy-py3.1x"]) == set()
