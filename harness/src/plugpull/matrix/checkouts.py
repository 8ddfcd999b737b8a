"""What lies where in a checkout: its packages, and how a package comes to its version."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

__all__ = ["CHECKOUT", "Member", "members", "missing_package", "needs_history", "packages"]

#: Build backends' helpers that ask git for the version: tags decide, so they must be there.
_ASKS_GIT = re.compile(
    r"setuptools[-_]scm|hatch[-_]vcs|versioningit|dynamic[-_]versioning|dunamai|versioneer"
    r"|flit[-_]scm|setuptools[-_]git|pbr|source\s*=\s*\"scm\""
)
#: ``with = ["langgraph-checkpoint @ checkout:libs/checkpoint"]``: from the checkout under test.
CHECKOUT = "checkout:"
#: How deep packages are looked for, and how many are named.
_DEEP = 4
_NAMED = 8


@dataclass(frozen=True, slots=True)
class Member:
    """Another package of the checkout under test.

    Attributes:
        name: The distribution, perhaps with extras, as it was written.
        folder: Its folder below the top.
    """

    name: str
    folder: str


def members(requirements: Iterable[str]) -> tuple[list[str], list[Member]]:
    """Requirements on an index, and packages of the checkout under test, told apart."""
    plain: list[str] = []
    found: list[Member] = []
    for text in requirements:
        name, _, place = (part.strip() for part in text.partition("@"))
        if place.startswith(CHECKOUT):
            found.append(Member(name, place.removeprefix(CHECKOUT).strip("/")))
        else:
            plain.append(text)
    return plain, found


def needs_history(read: Callable[[str], str], folder: str) -> bool:
    """Whether a package's build asks git for its version.

    Args:
        read: Gives a file's text, ``""`` if there is no such file.
        folder: The package's folder below the top.
    """
    names = ("pyproject.toml", "setup.py", "setup.cfg")
    places = [folder, ""] if folder else [""]
    texts = (read(f"{place}/{name}" if place else name) for place in places for name in names)
    return any(_ASKS_GIT.search(text) for text in texts)


def packages(top: Path) -> dict[str, str]:
    """The packages of a checkout: each one's name, and its folder below the top."""
    found: dict[str, str] = {}
    for path in sorted(top.rglob("pyproject.toml"), key=lambda path: len(path.parts)):
        folder = path.parent.relative_to(top)
        if len(folder.parts) > _DEEP:
            continue
        try:
            data = tomllib.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        project, tool = data.get("project"), data.get("tool")
        poetry = tool.get("poetry") if isinstance(tool, dict) else None
        for table in (project, poetry):
            name = table.get("name") if isinstance(table, dict) else None
            if isinstance(name, str):
                found.setdefault(canonicalize_name(name), folder.as_posix())
    return found


def missing_package(distribution: str, top: Path) -> str:
    """What to do next where a package was not found in the place that was named."""
    found = packages(top)
    folder = found.get(canonicalize_name(distribution))
    if folder is not None and folder != ".":
        return f"{distribution} is in its folder {folder}: #subdirectory={folder}"
    if not found:
        return f"name a repository that has {distribution}"
    names = ", ".join(list(found)[:_NAMED])
    return f"its packages: {names}{' and more' if len(found) > _NAMED else ''}"
