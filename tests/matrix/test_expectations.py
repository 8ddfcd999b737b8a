"""Reading expectations.toml: what it may say, and the one clear error for everything else."""

from __future__ import annotations

from pathlib import Path

import pytest
from planned import checkout, plan_for
from plugpull.errors import UsageError
from plugpull.matrix.expectations import read_expectations
from plugpull.matrix.ranges import common_version
from plugpull.matrix.versions import matches

MATRIX = """
[matrix]
python = ["3.12", "3.13"]

[framework.toy]
versions = ["1.0.0", "1.1.0", "2.0.0"]

[framework.other]
versions = ["5.0"]
"""
ENTRY = {
    "framework": '"toy"',
    "versions": '">=1.0"',
    "scenario": '"kill-mid-tool"',
    "variant": '"sync+no-key"',
    "fault-point": '"after-effect"',
    "kind": '"expected failure"',
    "verdict": '"FAIL"',
    "reason": '"documented"',
    "link": '"https://example.org/why"',
}


def entry(**changes: str | None) -> str:
    """An entry in TOML, with some keys changed (or, for ``None``, left out)."""
    keys = {**ENTRY, **{key.replace("_", "-"): value for key, value in changes.items()}}
    lines = [f"{key} = {value}" for key, value in keys.items() if value is not None]
    return "\n".join(["[[expect]]", *lines, ""])


def refused(tmp_path: Path, *entries: str) -> str:
    """The error that reading these entries ends with."""
    path = tmp_path / "expectations.toml"
    path.write_text("\n".join(entries), encoding="utf-8")
    with pytest.raises(UsageError) as caught:
        read_expectations(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def planned(tmp_path: Path, *entries: str, posargs: tuple[str, ...] = ()) -> None:
    """Plan a checkout that has these entries beside its declaration."""
    root = checkout(tmp_path, MATRIX)
    (root / "expectations.toml").write_text("\n".join(entries), encoding="utf-8")
    plan_for(root, *posargs)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reason": None}, "[[expect]] number 1 reason: is missing"),
        ({"link": None}, "link: is missing"),
        ({"link": '"see the docs"'}, "is no link"),
        ({"framework": None}, "framework: is missing"),
        ({"versions": None}, "versions: is missing"),
        ({"versions": '"1.0"'}, '"1.0" is no specifier'),
        ({"versions": "1.0"}, "must be a string, not the number 1.0"),
        ({"scenario": "[]"}, "scenario: is missing or empty"),
        ({"variant": '"sync*"'}, "is a pattern"),
        ({"variant": '["a", "a"]'}, '"a" is there twice'),
        ({"fault_point": "3"}, "must be a string"),
        ({"kind": '"expected-failure"'}, 'did you mean "expected failure"?'),
        ({"verdict": '"ERROR"'}, "never expected"),
        ({"verdict": '"PASS"'}, "what passes needs no entry"),
        ({"python": '["3"]'}, '"3" is no Python'),
        ({"outcome": '"duplicate"'}, 'did you mean "duplicated"?'),
        ({"outcome": '"held"'}, "is no kind of FAIL"),
        ({"pyhton": '"3.13"'}, 'did you mean "python"?'),
    ],
)
def test_a_mistake_is_named_with_its_place(
    tmp_path: Path, changes: dict[str, str | None], words: str
) -> None:
    """A missing key, an unknown one, and a value that cannot be meant: file, entry, key."""
    assert words in refused(tmp_path, entry(**changes))


@pytest.mark.parametrize("text", ["[[expect]", "[expect]\nreason = 'a'", "[[expected]]\na = 'b'"])
def test_what_is_no_file_of_entries_is_refused(tmp_path: Path, text: str) -> None:
    """Neither broken TOML nor a misspelt table passes for an empty file."""
    refused(tmp_path, text)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ({}, {}, "toy 1.0, kill-mid-tool/sync+no-key/after-effect"),
        ({"versions": '"<1.2"'}, {"versions": '">=1.1,<2"'}, "toy 1.1,"),
        ({"versions": '"*"'}, {"versions": '"==3.*"'}, "toy 3,"),
        ({"variant": '["a", "b"]'}, {"variant": '["b", "c"]'}, "/b/"),
        ({"fault_point": '"cut"'}, {"fault_point": '"cut/first"'}, "/cut/first"),
        ({"python": '"3.13"'}, {}, "toy 1.0,"),
        ({"kind": '"timing-dependent"'}, {"outcome": '"lost"'}, "toy 1.0,"),
    ],
)
def test_two_entries_about_one_result_are_refused(
    tmp_path: Path, one: dict[str, str | None], other: dict[str, str | None], shared: str
) -> None:
    """The error names both entries and a place that both speak of."""
    error = refused(tmp_path, entry(**one), entry(**other))
    assert "number 2 overlaps number 1" in error
    assert shared in error


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"versions": '"<1.2"'}, {"versions": '">=1.2"'}),
        ({"versions": '">1.0,<1.2,!=1.1"'}, {"versions": '"==1.1"'}),
        ({"versions": '"~=1.4"'}, {"versions": '">=2"'}),
        ({"python": '"3.13"'}, {"python": '["3.12", "3.11"]'}),
        ({"framework": '"other"'}, {}),
        ({"fault_point": '"cut/first"'}, {"fault_point": '["cut/second", "cut-off"]'}),
        ({"scenario": '"kill-mid-tool"'}, {"scenario": '"kill-sweep"'}),
    ],
)
def test_entries_that_exclude_each_other_may_stand_together(
    tmp_path: Path, one: dict[str, str | None], other: dict[str, str | None]
) -> None:
    """By framework, version, Python, scenario, fault point or its detail."""
    path = tmp_path / "expectations.toml"
    path.write_text(entry(**one) + entry(**other), encoding="utf-8")
    assert len(read_expectations(path).entries) == 2


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("", "", True),
        (">1.0", "<1.0.1", True),
        (">=2", "<=2", True),
        ("==1.2.*", "!=1.2.0,<1.3", True),
        ("<3", ">=2.9999", True),
        (">1.0,<2.0", ">=2.0", False),
        ("<1", ">1", False),
        ("==1.2.*", "==1.20.*", False),
    ],
)
def test_what_two_ranges_share(one: str, other: str, meet: bool) -> None:
    """A version in both, if there can be one at all; no index is asked."""
    found = common_version(one, other)
    assert (found is not None) == meet
    assert found is None or (matches(found, one) and matches(found, other))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"framework": '"toi"'}, 'there is no framework toi\n  next: did you mean "toy"?'),
        ({"scenario": '"kill-mid-tol"'}, 'did you mean "kill-mid-tool"?'),
        ({"variant": '"sync+nokey"'}, 'did you mean "sync+no-key"?'),
        ({"fault_point": '"afer-effect"'}, 'did you mean "after-effect"?'),
        ({"fault_point": '"ack-lost/first"'}, "toy has no fault point ack-lost"),
        ({"variant": '"default"'}, "no variant of its scenarios default"),
        ({"versions": '"<1.0"'}, "matches no version that could run"),
        ({"versions": '">=2.0"', "python": '"3.10"'}, "no cell on Python 3.10"),
    ],
)
def test_an_entry_that_can_match_nothing_ends_the_run_before_it_starts(
    tmp_path: Path, changes: dict[str, str | None], words: str
) -> None:
    """What is declared is known before anything is installed."""
    with pytest.raises(UsageError) as caught:
        planned(tmp_path, entry(**changes))
    assert "[[expect]] number 1 matches nothing" in str(caught.value)
    assert words in str(caught.value)


def test_an_entry_about_cells_that_never_run_matches_nothing(tmp_path: Path) -> None:
    """A release that does not support the Python is excluded there, whatever is selected."""
    root = checkout(tmp_path, MATRIX.replace('"3.12"', '"3.10"'))
    known = root / "expectations.toml"
    known.write_text(entry(versions='">=2"', python='"3.10"'), encoding="utf-8")
    with pytest.raises(UsageError, match="matches no version that could run"):
        plan_for(root)
    known.write_text(entry(versions='">=2"', python='["3.10", "3.13"]'), encoding="utf-8")
    plan_for(root)


@pytest.mark.parametrize(
    "posargs",
    [
        ("--only", "other"),
        ("--only", "toy-1.1.0/py3.13"),
        ("--python", "3.12"),
        ("--only", "toy-1.0.0/py3.12/lost-session-write"),
    ],
)
def test_a_narrow_run_is_no_reason_to_complain(tmp_path: Path, posargs: tuple[str, ...]) -> None:
    """What was left out this time may well match the next time."""
    planned(tmp_path, entry(versions='">=2"', python='"3.13"'), posargs=posargs)


def test_a_misspelt_name_is_found_in_a_narrow_run_too(tmp_path: Path) -> None:
    """Names are checked for every framework, also for those that this run leaves out."""
    with pytest.raises(UsageError, match="no scenario kill-tool"):
        planned(tmp_path, entry(scenario='"kill-tool"'), posargs=("--only", "other"))


def test_the_file_is_found_beside_the_declaration_or_named(tmp_path: Path) -> None:
    """``--expectations`` names another; one that is named has to be there."""
    root = checkout(tmp_path, MATRIX)
    assert plan_for(root).options.expectations is None
    (root / "expectations.toml").write_text(entry(), encoding="utf-8")
    assert plan_for(root).options.expectations == str(root / "expectations.toml")
    (root / "known.toml").write_text("", encoding="utf-8")
    named = plan_for(root, "--expectations", "known.toml").options
    assert named.expectations == str(root / "known.toml")
    with pytest.raises(UsageError, match="--expectations"):
        plan_for(root, "--expectations", "nowhere.toml")
