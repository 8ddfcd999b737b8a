"""docs/scenarios.md speaks of every scenario and every fault point that there is."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from plugpull.scenarios import SCENARIOS
from plugpull.verdicts import Outcome

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")


def section(name: str) -> str:
    """What the page says about one scenario."""
    found = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return found.group(1) if found else ""


def test_the_page_has_every_scenario_and_no_other() -> None:
    """In its table and as a section."""
    assert set(re.findall(r"^## (\S+)$", PAGE, re.MULTILINE)) == set(SCENARIOS)
    assert set(re.findall(r"^\| \[(\S+)\]", PAGE, re.MULTILINE)) == set(SCENARIOS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_scenario_has_a_timeline(name: str) -> None:
    """A picture, and more than that."""
    text = section(name)
    assert "```text" in text
    assert len(text.splitlines()) > 6


#: Shown as a pattern and not one by one.
IN_A_PATTERN = {"kill-sweep", "changed-world", "resume-after-upgrade"}


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name not in IN_A_PATTERN])
def test_each_fault_point_is_named(name: str) -> None:
    """A word in a table's column is a word on this page."""
    missing = [point for point in SCENARIOS[name].fault_points if point not in section(name)]
    # What two scenarios have in common is explained once.
    shared = [point for point in missing if point in section("kill-mid-tool")]
    assert sorted(missing) == sorted(shared)


def test_what_a_target_is_asked_is_written_down_for_each_scenario() -> None:
    """Each stands in the last table of the contract."""
    page = (ROOT / "docs" / "what-a-target-is-asked.md").read_text(encoding="utf-8")
    table = page.partition("## Per scenario")[2]
    assert [name for name in SCENARIOS if name not in table] == []


def test_every_variable_that_a_scenario_sets_is_in_the_contract() -> None:
    """Found in the source of the scenarios."""
    page = (ROOT / "docs" / "what-a-target-is-asked.md").read_text(encoding="utf-8")
    source = ROOT / "harness" / "src" / "plugpull"
    modules = [*source.glob("scenarios/*.py"), source / "faults.py", source / "trial.py"]
    named = {
        name
        for module in modules
        for name in re.findall(r'"(PLUGPULL_[A-Z_]+)"', module.read_text(encoding="utf-8"))
    }
    assert named <= set(re.findall(r"PLUGPULL_[A-Z_]+", page))


def test_every_word_of_the_table_is_explained() -> None:
    """Where the results page says that it is, and before anything about other reports."""
    page = (ROOT / "docs" / "findings-explained.md").read_text(encoding="utf-8")
    table = page.partition("## In the table\n")[2].partition("\n## ")[0]
    words = [word for name, word in vars(Outcome).items() if name.isupper()]
    assert [word for word in words if word not in table] == []
    about = (ROOT / "harness/src/plugpull/matrix/framework_part.py").read_text(encoding="utf-8")
    assert "(findings-explained.md#in-the-table)" in about
