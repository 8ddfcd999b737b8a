"""What a ``matrix.toml`` says, once it has been read and checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from plugpull.matrix.entries import Entry
    from plugpull.matrix.leftout import LeftOut
    from plugpull.matrix.manifests import TargetFacts
    from plugpull.matrix.references import Reference

__all__ = ["Declaration", "Exclude", "Framework", "Rule"]


@dataclass(frozen=True, slots=True)
class Rule:
    """Adjustments for a range of versions: what is given adds to, or replaces, the framework's.

    Attributes:
        versions: The range, as a specifier. ``""`` is the framework's own rule, for all.
        requirements: Installed beside the framework. ``NAME @ checkout:FOLDER`` is another package
            of the checkout under test, and says nothing about releases.
        constraints: Versions to stay within.
        as_of: ``"release"``, ``"today"`` or a date; ``None`` leaves it.
        repeat: Runs of a timing-dependent variant; ``None`` leaves it.
        npm: Packages from npm, each with its version.
    """

    versions: str
    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    as_of: str | None = None
    repeat: int | None = None
    npm: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Framework:
    """One framework of the matrix.

    Attributes:
        name: The name its users know it by.
        target: What its target's manifest says.
        entries: The versions, as declared.
        pythons: The Pythons it is tried under.
        rules: Its own adjustments, then those for ranges of versions.
        default: The entries whose cells run every scenario without being asked; empty for all.
        pairs: Which version goes on with what which version has saved, where nobody says so.
        repository: Where its source is, for whoever names a ref only.
        off: Why it runs only when it is asked for; empty for one that always runs.
    """

    name: str
    target: TargetFacts
    entries: tuple[Entry, ...]
    pythons: tuple[str, ...]
    rules: tuple[Rule, ...]
    default: tuple[str, ...] = ()
    pairs: tuple[str, ...] = ()
    repository: Reference | None = None
    off: str = ""


@dataclass(frozen=True, slots=True)
class Exclude:
    """Cells that are not run, and why.

    Attributes:
        place: Where it stands, for texts.
        framework: Whose cells.
        versions: A specifier; ``""`` means every version.
        python: ``major.minor``; ``None`` means every Python.
        reason: For the table.
    """

    place: str
    framework: str
    versions: str
    python: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class Declaration:
    """A whole ``matrix.toml``, checked.

    Attributes:
        path: The file.
        pythons: The Pythons of the matrix, as ordered there.
        frameworks: In the order of the file.
        excludes: Cells that are not run.
        rule: The adjustments for everything.
        left_out: Frameworks that are not declared, and why.
        older: The Pythons of versions that a framework's ``default`` does not name.
    """

    path: Path
    pythons: tuple[str, ...]
    frameworks: tuple[Framework, ...]
    excludes: tuple[Exclude, ...]
    rule: Rule
    left_out: tuple[LeftOut, ...] = ()
    older: tuple[str, ...] = ()
