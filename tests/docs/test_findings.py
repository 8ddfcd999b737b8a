"""docs/findings: each page has a script of its own, and the list has each page."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

FINDINGS = Path(__file__).parents[2] / "docs" / "findings"
PAGES = sorted(page.stem for page in FINDINGS.glob("*.md") if page.stem != "README")
SCRIPTS = sorted(script.stem for script in FINDINGS.glob("*.py"))


def test_each_page_has_a_script_and_each_script_a_page() -> None:
    """A finding that cannot be shown without plugpull is none."""
    assert PAGES == SCRIPTS


def test_the_list_has_each_page() -> None:
    """And its script."""
    listed = re.findall(
        r"\]\(([\w.-]+)\.md\)", (FINDINGS / "README.md").read_text(encoding="utf-8")
    )
    assert sorted(set(listed)) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_since_when_and_how(name: str) -> None:
    """What happens, in which versions, by which script, and by which command."""
    page = (FINDINGS / f"{name}.md").read_text(encoding="utf-8")
    assert "**What happens.**" in page
    assert re.search(r"\*\*Since and until\.?\*\*", page)
    assert f"docs/findings/{name}.py" in page
    assert "plugpull --target" in page or "nox -s " in page


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_needs_no_plugpull(name: str) -> None:
    """The framework's maintainers run it as it is."""
    tree = ast.parse((FINDINGS / f"{name}.py").read_text(encoding="utf-8"))
    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    } | {
        (node.module or "").partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert "plugpull" not in imported
