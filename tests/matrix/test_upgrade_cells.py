"""Which versions, pairs and Pythons an upgrade table is made from."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from planned import MemoryIndex, checkout, found, release
from plugpull.errors import UsageError
from plugpull.matrix.upgrade_cells import UpgradePlan, plan_upgrade
from plugpull.matrix.upgrade_options import parse_upgrade_options

MATRIX = """
[matrix]
python = ["3.10", "3.12", "3.13", "3.14"]

[framework.toy]
versions = ["1.0", "1.1", "latest"]

[framework.other]
versions = ["5.0"]
"""
RELEASES = (
    release("1.0", "2026-01-01"),
    release("1.1", "2026-02-01", python=">=3.9,<3.13"),
    release("1.2", "2026-03-01", python=">=3.13"),
    release("2.0", "2026-04-01"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout whose toy can be asked about upgrades, and whose other framework cannot."""
    checkout(tmp_path, MATRIX)
    manifest = tmp_path / "targets" / "toy" / "target.json"
    data = json.loads(manifest.read_text())
    data["scenarios"]["resume-after-upgrade"] = {}
    manifest.write_text(json.dumps(data))
    return tmp_path


def plan(root: Path, *posargs: str) -> UpgradePlan:
    """The plan of ``nox -s upgrade -- POSARGS``."""
    options = parse_upgrade_options("upgrade", posargs, root=root, cwd=root)
    index = MemoryIndex(toy_slim=RELEASES, other_slim=(release("5.0"),))
    return plan_upgrade(options, root=root, index=index, find=found)


def pairs(found: UpgradePlan) -> list[str]:
    """Each pair with its Python."""
    return [f"{one.version}:{other.version} {one.python}" for one, other in found.pairs]


def test_all_pairs_of_the_declared_versions(root: Path) -> None:
    """Each under the newest Python that both support; one that is not there is passed over."""
    assert pairs(plan(root, "toy")) == [
        "1.0:1.1 3.12",
        "1.0:2.0 3.13",
        "1.1:1.0 3.12",
        "1.1:2.0 3.12",
        "2.0:1.0 3.13",
        "2.0:1.1 3.12",
    ]


def test_the_pairs_of_the_declaration(root: Path) -> None:
    """They are taken if nobody asks for others."""
    text = MATRIX.replace('"latest"]\n\n', '"latest"]\npairs = ["1.0:latest"]\n\n', 1)
    (root / "matrix.toml").write_text(text)
    assert pairs(plan(root, "toy")) == ["1.0:2.0 3.13"]
    assert pairs(plan(root, "toy", "--pairs", "latest:1.0")) == ["2.0:1.0 3.13"]


def test_pairs_name_their_versions(root: Path) -> None:
    """Declared or not; with commas or with spaces."""
    assert pairs(plan(root, "toy", "--pairs", "1.0:2.0,2.0:1.0")) == [
        "1.0:2.0 3.13",
        "2.0:1.0 3.13",
    ]
    assert pairs(plan(root, "toy", "--pairs", "1.2:2.0")) == ["1.2:2.0 3.13"]


def test_versions_instead_of_the_declared_ones(root: Path) -> None:
    """Any entry of the grammar will do, and the order is that of the versions."""
    asked = plan(root, "toy", "--versions", "latest", ">=1.0,<1.1", "--pairs", "all")
    assert asked.versions == ("1.0", "2.0")
    assert pairs(asked) == ["1.0:2.0 3.13", "2.0:1.0 3.13"]


def test_a_pair_without_a_python(root: Path) -> None:
    """It is not run, and says why."""
    asked = plan(root, "toy", "--pairs", "1.1:1.2")
    assert not asked.pairs
    (skipped,) = asked.skipped
    assert (skipped.saves, skipped.goes_on) == ("1.1", "1.2")
    assert "needs" in skipped.reason


def test_one_python(root: Path) -> None:
    """It is taken, and what it does not support is not run."""
    asked = plan(root, "toy", "--python", "3.12", "--versions", "1.0", "1.1", "1.2")
    assert pairs(asked) == ["1.0:1.1 3.12", "1.1:1.0 3.12"]
    assert len(asked.skipped) == 4


def test_each_version_alone(root: Path) -> None:
    """For what needs no pair: the newest Python it supports."""
    asked = plan(root, "toy", "--versions", "1.0", "1.1", "1.2")
    assert [f"{one.version} {one.python}" for one in asked.alone] == [
        "1.0 3.13",
        "1.1 3.12",
        "1.2 3.13",
    ]


@pytest.mark.parametrize(
    ("posargs", "says"),
    [
        (["tay"], 'there is no framework tay\n  next: did you mean "toy"'),
        (["control"], "there is no framework control"),
        (["other"], "other cannot be asked what becomes of saved runs"),
        (["toy", "--pairs", "1.0"], "--pairs 1.0: these are no two versions"),
        (["toy", "--pairs", "1.0:1.0"], "that is one version"),
        (["toy", "--versions", "1.0"], "--pairs all: no two versions"),
        (["toy", "--versions", "one"], "'one' is neither a version nor a specifier"),
        (["toy", "--python", "3.9"], "--python 3.9: toy is not declared for it"),
        (["toy", "--nonsense"], "options after --: unrecognized arguments: --nonsense"),
        ([], "options after --: the following arguments are required: FRAMEWORK"),
    ],
)
def test_what_cannot_be_meant(root: Path, posargs: list[str], says: str) -> None:
    """One clear error, and nothing runs."""
    with pytest.raises(UsageError) as caught:
        plan(root, *posargs)
    assert says in str(caught.value)


def test_a_release_that_does_not_exist(root: Path) -> None:
    """Its cell says so when it is made; uv's own words belong in the table."""
    asked = plan(root, "toy", "--pairs", "1.0:9.9")
    (pair,) = asked.pairs
    assert any("no release 9.9" in note for note in pair[1].notes)
