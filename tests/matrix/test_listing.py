from __future__ import annotations

import io
from pathlib import Path

from planned import checkout, plan_for
from plugpull.matrix.listing import Row, list_cells, rows
from rich.console import Console

MATRIX = """
[matrix]
python = ["3.10", "3.14"]

[framework.toy]
versions = ["1.1.1", "2.0.0", "9.9", ">=7", "<2"]

[[exclude]]
framework = "toy"
versions = "==1.1.1"
python = "3.14"
reason = "it burns"
"""
NO_RELEASE = "toy-slim has no release 9.9; the newest is 2.1.0rc1"
NOTHING_FITS = "no release of toy-slim fits '>=7'; the newest is 2.1.0rc1"


def test_every_cell_is_listed_with_its_state_and_why(tmp_path: Path) -> None:
    """Scheduled, excluded by rule, unsupported, impossible and without a Python: all are there."""
    plan = plan_for(checkout(tmp_path, MATRIX))
    release = "2026-02-12 (release)"
    passed = "1.1.1 is yanked (lost the data) and was passed over by <2"
    assert rows(plan) == [
        Row("toy-1.1.1-py3.10", "scheduled", "3.10.3", release, "yanked: lost the data"),
        Row("toy-1.1.1-py3.14", "excluded", "", release, "it burns; yanked: lost the data"),
        Row("toy-2.0.0-py3.10", "excluded", "3.10.3", "2026-03-03 (release)", "needs >= 3.11"),
        Row("toy-2.0.0-py3.14", "not run", "", "2026-03-03 (release)", "python3.14 not found"),
        Row("toy-9.9-py3.10", "scheduled", "3.10.3", "", NO_RELEASE),
        Row("toy-9.9-py3.14", "not run", "", "", f"python3.14 not found; {NO_RELEASE}"),
        Row("toy->=7-py3.10", "ERROR", "3.10.3", "2026-11-30 (today)", NOTHING_FITS),
        Row("toy->=7-py3.14", "ERROR", "", "2026-11-30 (today)", NOTHING_FITS),
        Row(
            "toy-1.1.0-py3.10",
            "scheduled",
            "3.10.3",
            "2026-11-30 (today)",
            f"declared as <2; {passed}",
        ),
        Row(
            "toy-1.1.0-py3.14",
            "not run",
            "",
            "2026-11-30 (today)",
            f"python3.14 not found; declared as <2; {passed}",
        ),
    ]


def test_a_line_is_never_cut(tmp_path: Path) -> None:
    """In a pipe each cell has one line with everything in it, whatever the width."""
    plan = plan_for(checkout(tmp_path, MATRIX))
    out = io.StringIO()
    list_cells(plan, Console(file=out, width=20))
    lines = out.getvalue().splitlines()
    assert len(lines) == len(plan.cells) + 2
    assert lines[0].split() == ["cell", "state", "Python", "as", "of", "remarks"]
    assert lines[4].endswith("python3.14 not found")
    assert lines[-1] == "10 cells: 3 scheduled, 2 excluded, 2 ERROR, 3 not run"


def test_a_selection_within_a_cell_is_shown(tmp_path: Path) -> None:
    """A deep --only says what of the cell would run."""
    root = checkout(tmp_path, MATRIX)
    plan = plan_for(root, "--only", "toy-1.1.1/py3.10/kill-mid-tool/sync+no-key")
    assert [row.remarks for row in rows(plan)] == [
        "yanked: lost the data; only kill-mid-tool sync+no-key"
    ]
