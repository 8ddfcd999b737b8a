"""The findings about going back to an older release: their scripts, each under two releases."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from frameworks import CHECKOUT, Environments

#: The verdicts are the same on every Python, and the matrix itself asks them all.
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 13), reason="runs on Python 3.13")

PAGES = sorted((CHECKOUT / "docs" / "findings").glob("*-older-release.md"))
#: Installed under another name than the framework's.
NAMES = {"strands-agents": "strands"}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem.removesuffix("-older-release"))
def test_a_script_prints_what_the_page_says(
    environments: Environments, page: Path, tmp_path: Path
) -> None:
    """One command after the other: what the first release has saved, the others go on with."""
    steps = re.findall(
        r"\$ python \S+ (\S+) +# (\S+) ([\d.]+)\n(.*?)(?=```|\$ python)",
        page.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert len({version for _, _, version, _ in steps}) == 2
    for word, distribution, version, printed in steps:
        release = environments[f"{NAMES.get(distribution, distribution)}-{version}"]
        said = release.script(page.with_suffix(".py"), word, TMPDIR=str(tmp_path))
        assert said.splitlines() == printed.splitlines()
