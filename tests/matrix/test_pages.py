"""The pages that are made from a run."""

from __future__ import annotations

from pathlib import Path

import pytest
from madeup import put_together, raw_result, row
from plugpull.errors import PlugpullError
from plugpull.matrix.options import MatrixOptions
from plugpull.matrix.pages import BEGIN, END, page_of, results_page, with_table
from plugpull.matrix.records import Collected


@pytest.fixture
def collected() -> Collected:
    """One cell with a base scenario and another one."""
    raw = [raw_result(), raw_result(scenario="kill-sweep", point_detail="1-charge")]
    return put_together(row("toy", "1.0", "3.13", *raw))


def test_the_table_stands_between_the_marks(collected: Collected) -> None:
    """What was there is replaced, what is around it stays; doing it twice changes nothing."""
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"
    once = with_table(page, collected)
    assert once.startswith(f"before\n{BEGIN}\n```text\nplugpull  1 of 1 cells ran")
    assert once.endswith(f"{END}\nafter\n")
    assert "old" not in once
    assert with_table(once, collected) == once


def test_the_readme_shows_the_base_scenarios_and_names_the_others(collected: Collected) -> None:
    """A page for newcomers is no place for every column."""
    table = with_table(f"{BEGIN}{END}", collected)
    assert "\nkill-mid-tool\n" in table
    assert "\nkill-sweep\n" not in table
    assert "And so on for kill-sweep: [docs/results.md](docs/results.md)." in table


def test_a_page_without_marks_is_left_alone(collected: Collected) -> None:
    """Nobody knows where the table would belong."""
    with pytest.raises(PlugpullError, match="no place for the table"):
        with_table("nothing here", collected)


def test_the_results_page_says_what_ran(collected: Collected) -> None:
    """Every scenario, and under it one line for each cell with what was imported and run."""
    page = results_page(collected)
    assert page.startswith("# Results\n")
    assert "## kill-mid-tool" in page
    assert "## kill-sweep" in page
    assert "\n| toy 1.0 | " in page


def test_each_page_comes_from_its_own_run() -> None:
    """The README shows its first command's table; the results page has everything declared."""
    assert page_of(MatrixOptions(), Path("here")) == Path("here/README.md")
    assert page_of(MatrixOptions(all=True), Path("here")) == Path("here/docs/results.md")


@pytest.mark.parametrize(
    "options",
    [
        MatrixOptions(only=("toy",)),
        MatrixOptions(python=("3.13",), all=True),
        MatrixOptions(add=(("toy", "1.0"),)),
    ],
)
def test_a_part_of_the_matrix_makes_no_page(options: MatrixOptions) -> None:
    """A page that says "the whole" would be wrong, and the old one gone."""
    with pytest.raises(PlugpullError, match="a part of the matrix"):
        page_of(options, Path("here"))
