"""The pages about what broke and is not documented: ``docs/findings/FRAMEWORK-*.md``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from plugpull.matrix.markdown import prose

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Finding", "find_findings", "finding_link"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One page.

    Attributes:
        file: Its name.
        title: What it says broke.
    """

    file: str
    title: str


def find_findings(folder: Path, frameworks: Iterable[str]) -> dict[str, list[Finding]]:
    """The pages of each framework, in the order of their names.

    Args:
        folder: Where the pages are.
        frameworks: Every framework there is: ``pydantic-ai-dbos-x.md`` is not about
            ``pydantic-ai`` where there is a framework ``pydantic-ai-dbos``.
    """
    names = sorted(frameworks, key=len, reverse=True)
    found: dict[str, list[Finding]] = {name: [] for name in names}
    for page in sorted(folder.glob("*.md")):
        about = next((name for name in names if page.name.startswith(f"{name}-")), None)
        if about is not None:
            found[about].append(Finding(page.name, _title(page)))
    return found


def finding_link(finding: Finding) -> str:
    """A link from a page in ``docs``."""
    return f"[{prose(finding.title)}](findings/{finding.file})"


def _title(page: Path) -> str:
    """The heading, without the framework's name, which stands above the link anyway."""
    lines = page.read_text(encoding="utf-8").splitlines()
    heading = next((line[2:] for line in lines if line.startswith("# ")), page.stem)
    _, colon, title = heading.partition(": ")
    title = title if colon else heading
    return f"{title[:1].upper()}{title[1:]}"
