"""An upgrade table: words, grids, counts, exit codes, and how it is written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from plugpull.matrix.cells import Cell, Resolution
from plugpull.matrix.upgrade_cells import Skipped
from plugpull.matrix.upgrade_report import headline, markdown_lines, reasons, write_upgrade
from plugpull.matrix.upgrade_table import Entry, UpgradeTable

VERSIONS = ("1.0", "1.10", "1.9")


def entry(
    saves: str, goes_on: str, verdict: str = "PASS", outcome: str = "held", point: str = "paused"
) -> Entry:
    """One entry with a reason of its own."""
    return Entry(
        saved_by=saves,
        resumed_by=goes_on,
        cell=f"toy-{goes_on}/py3.13",
        python="3.13",
        variant="sync",
        point=point,
        verdict=verdict,
        outcome=outcome,
        detail=f"saved by {saves}: it is {outcome} | so",
        raw={"verdict": verdict, "evidence": {"effects": {}}},
    )


def cell(version: str) -> Cell:
    """A cell of the toy."""
    return Cell("toy", "toy", version, "3.13", "toy", version, Resolution(()))


def table(*entries: Entry, skipped: tuple[Skipped, ...] = (), strict: bool = False) -> UpgradeTable:
    """A table of these entries."""
    return UpgradeTable(
        framework="toy",
        title="Toy",
        versions=("1.0", "1.9", "1.10"),
        entries=entries,
        skipped=skipped,
        created="2026-11-29T12:00:00Z",
        cells={},
        strict=strict,
    )


def test_the_words_of_the_table() -> None:
    """A refusal is no plain PASS, and a FAIL says how."""
    assert entry("1.0", "1.9").word == "PASS"
    assert entry("1.0", "1.9", "PASS", "refused").word == "refused"
    assert entry("1.0", "1.9", "FAIL", "lost").word == "FAIL lost"
    assert Entry.broken("1.0", cell("1.9"), "no wheel").word == "ERROR"
    assert Entry.not_tried("1.0", cell("1.9"), "sync", "paused", "").word == "not tried"


def test_an_id_says_both_versions() -> None:
    """As other ids do, with who saved as its detail."""
    found = entry("1.0", "1.9").id
    assert found == "toy-1.9/py3.13/resume-after-upgrade/sync/paused/from-1.0"


def test_a_grid_for_each_fault_point() -> None:
    """Rows saved, columns went on, in the order of the versions; what was not asked is empty."""
    found = table(
        entry("1.0", "1.9", "FAIL", "lost"),
        entry("1.10", "1.0"),
        entry("1.0", "1.9", point="killed-before-effect"),
    )
    paused, killed = found.grids
    assert (paused.rows, paused.columns) == (("1.0", "1.10"), ("1.0", "1.9"))
    assert paused.words == {("1.0", "1.9"): "FAIL lost", ("1.10", "1.0"): "PASS"}
    assert killed.words == {("1.0", "1.9"): "PASS"}


def test_equal_grids_are_one() -> None:
    """Whoever reads the page need not compare them."""
    found = table(
        *(entry("1.0", "1.9", point=point) for point in ("paused", "killed-before-effect")),
        entry("1.0", "1.9", "FAIL", "lost", point="killed-after-effect"),
    )
    assert [grid.places for grid in found.grids] == [
        (("paused", "sync"), ("killed-before-effect", "sync")),
        (("killed-after-effect", "sync"),),
    ]
    assert "### paused (sync), killed-before-effect (sync)" in markdown_lines(found)


def test_a_broken_version_is_in_every_grid() -> None:
    """And so is a pair that could not be run."""
    skipped = (Skipped("1.0", "1.10", "no Python"),)
    found = table(
        entry("1.0", "1.0"), Entry.broken("1.0", cell("1.9"), "no wheel"), skipped=skipped
    )
    (grid,) = found.grids
    assert grid.words["1.0", "1.9"] == "ERROR"
    assert grid.words["1.0", "1.10"] == "not run"


def test_recorded_versions_are_ordered_by_their_numbers() -> None:
    """Nobody has resolved them, and 1.10 comes after 1.9 all the same."""
    found = table(*(entry(saves, "2.0") for saves in ("0.10", "0.9", "0.10.1")))
    assert found.grids[0].rows == ("0.9", "0.10", "0.10.1")


def test_counts_leave_a_versions_own_state_out() -> None:
    """That is a check, and no upgrade."""
    found = table(entry("1.0", "1.0"), entry("1.0", "1.9"), entry("1.9", "1.0", "PASS", "refused"))
    assert found.counts == {"PASS": 1, "refused": 1}
    assert "1 PASS, 1 refused, 0 FAIL, 0 ERROR" in headline(found)


def test_exit_codes() -> None:
    """2 for anything that is not known, 1 for a FAIL under --strict, else 0."""
    good, bad = entry("1.0", "1.9"), entry("1.0", "1.9", "FAIL", "lost")
    assert table(good, bad).exit_code == 0
    assert table(good, bad, strict=True).exit_code == 1
    assert table(good, strict=True).exit_code == 0
    assert table(good, entry("1.9", "1.0", "ERROR", "")).exit_code == 2
    assert table(good, skipped=(Skipped("1.0", "1.10", ""),)).exit_code == 2
    assert table().exit_code == 2
    assert table(Entry.not_tried("1.0", cell("1.9"), "sync", "paused", "")).exit_code == 2


def test_equal_reasons_stand_together() -> None:
    """Whoever saved; a plain PASS needs none."""
    found = table(
        entry("1.0", "1.9", "FAIL", "lost"),
        entry("1.10", "1.9", "FAIL", "lost"),
        entry("1.9", "1.0"),
    )
    assert list(reasons(found)) == ["FAIL lost: it is lost | so"]
    assert reasons(found)["FAIL lost: it is lost | so"] == {
        "paused (sync)": ["1.0:1.9", "1.10:1.9"]
    }


def test_sentences_that_differ_in_numbers_stand_together() -> None:
    """The first one is shown; and places with the same pairs are named once."""
    entries = [
        replace(
            entry(saves, "1.0", "PASS", "refused", point),
            detail=f"saved by {saves}: schema {saves} is none of 1.0, 1.1",
        )
        for saves in ("1.9", "1.10")
        for point in ("paused", "killed-before-effect")
    ]
    assert reasons(table(*entries)) == {
        "refused: schema 1.9 is none of 1.0, 1.1 (and the same with other numbers)": {
            "paused (sync), killed-before-effect (sync)": ["1.9:1.0", "1.10:1.0"]
        }
    }


def test_the_markdown(tmp_path: Path) -> None:
    """A grid a fault point, a FAIL in bold, the diagonal in brackets, the reasons below."""
    found = table(entry("1.0", "1.0"), entry("1.0", "1.9", "FAIL", "lost"))
    lines = markdown_lines(found)
    assert "| saved by \\ resumed by | 1.0 | 1.9 |" in lines
    assert "| 1.0 | (PASS) | **FAIL lost** |" in lines
    assert "- FAIL lost: it is lost \\| so" in lines
    assert "  - paused (sync): 1.0:1.9" in lines
    write_upgrade(found, tmp_path)
    assert (tmp_path / "toy.md").read_text().splitlines() == lines


def test_the_json(tmp_path: Path) -> None:
    """Schema 1: each result has its id, who saved, who went on, and the evidence."""
    write_upgrade(table(entry("1.0", "1.9", "FAIL", "lost")), tmp_path)
    data = json.loads((tmp_path / "toy.json").read_text())
    assert data["schema"] == 1
    (result,) = data["results"]
    assert result["id"].endswith("/paused/from-1.0")
    assert (result["saved_by"], result["resumed_by"]) == ("1.0", "1.9")
    assert result["evidence"] == {"effects": {}}
    assert data["exit_code"] == 0
