"""From an id to a cell: as it was measured, and what is near where there is none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from planned import checkout
from plugpull.errors import PlugpullError, UsageError
from plugpull.matrix.cells import Resolution
from plugpull.matrix.lookup import look_up, near

MATRIX = """
[matrix]
python = ["3.12", "3.13"]

[framework.toy]
versions = ["1.0", "latest"]
"""
FACTS = {
    "framework": "toy",
    "distribution": "toy-slim",
    "target": "toy",
    "version": "1.0",
    "version_asked": "1.0, latest",
    "python_asked": "3.13",
    "source": "index",
    "as_of": "2026-03-01T00:00:00Z",
    "as_of_asked": "release",
    "requirements": ["toy-slim==1.0", "toy-store"],
    "constraints": ["other<2"],
    "stage": "done",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with one measured cell."""
    checkout(tmp_path, MATRIX)
    cells = tmp_path / "results" / "cells"
    cells.mkdir(parents=True)
    file = {"schema": 1, "results": [], "cell": FACTS, "not_supported": []}
    (cells / "toy-1.0-py3.13.json").write_text(json.dumps(file))
    return tmp_path


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("toy-1.0/py3.13", ()),
        ("toy-1.0-py3.13", ()),
        (" toy-1.0/py3.13/ ", ()),
        (
            "toy-1.0/py3.13/kill-mid-tool/sync/after-effect",
            ("kill-mid-tool", "sync", "after-effect"),
        ),
    ],
)
def test_a_cell_as_it_was_measured(root: Path, text: str, rest: tuple[str, ...]) -> None:
    """The resolver is asked what it was asked then; the index and the declaration are not."""
    found = look_up(text, root=root)
    assert (found.cell.id, found.rest) == ("toy-1.0/py3.13", rest)
    assert found.cell.resolution == Resolution(
        requirements=("toy-slim==1.0", "toy-store"),
        constraints=("other<2",),
        as_of="2026-03-01T00:00:00Z",
        as_of_asked="release",
    )
    assert found.measured is not None
    assert found.plan.cells == (found.cell,)


def test_a_cell_that_says_nothing_of_how_it_was_measured(root: Path) -> None:
    """It cannot be had again, and the sentence says what to do."""
    path = root / "results" / "cells" / "toy-1.0-py3.13.json"
    data = json.loads(path.read_text())
    del data["cell"]["constraints"]
    path.write_text(json.dumps(data))
    with pytest.raises(PlugpullError, match="do not say how they were measured"):
        look_up("toy-1.0/py3.13", root=root)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("toy", "is no id of a result or a cell"),
        ("toy-1.0", "is no id of a result or a cell"),
        ("tooy-1.0/py3.13", "did you mean toy-1.0/py3.13"),
        ("toy-1.0/py3.9", "there is no Python 3.9"),
        ("elsewhere-1.0/py3.13", "there is no framework of that name"),
        ("control-1.0/py3.13", "there is no framework of that name"),
    ],
)
def test_a_text_that_leads_nowhere(root: Path, text: str, says: str) -> None:
    """Known without asking anybody."""
    with pytest.raises(UsageError) as caught:
        look_up(text, root=root)
    assert says in str(caught.value)


def test_what_is_near() -> None:
    """Three at most; for the front of an id where the whole is like nothing."""
    known = ["toy-1.0/py3.13", "toy-1.0/py3.12", "other-5.0/py3.13"]
    assert near("toy-1.0/py3.14", known).startswith("did you mean toy-1.0/py3.1")
    assert "toy-1.0/py3.13" in near(
        "toy-1.1/py3.13/kill-mid-tool/sync+no-key/before-effect/and-more", known
    )
    assert not near("something else", known)
