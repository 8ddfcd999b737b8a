"""One cell of the matrix: a framework, a version of it, a Python."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = ["Cell", "Origin", "Resolution", "Wheel"]


@dataclass(frozen=True, slots=True)
class Wheel:
    """A package of a version under test that is no release, built.

    Attributes:
        name: The distribution, normalised (PEP 503).
        version: What its metadata says.
        path: The file, absolute.
        sha256: The file's hash.
    """

    name: str
    version: str
    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Resolution:
    """What is asked of the resolver for one cell.

    Attributes:
        requirements: The pin and its companions, as PEP 508 strings.
        constraints: Versions to stay within, without asking for the package.
        as_of: Only files uploaded before this moment are seen (RFC 3339, UTC). ``None`` sees all.
        as_of_asked: What the declaration said: ``"release"``, ``"today"`` or a date.
        wheels: Packages that come from these files, whatever an index has.
        npm: Packages from npm beside them, each with its version.
    """

    requirements: tuple[str, ...]
    constraints: tuple[str, ...] = ()
    as_of: str | None = None
    as_of_asked: str = "release"
    wheels: tuple[Wheel, ...] = ()
    npm: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a version comes from that is no release.

    Attributes:
        kind: ``git``, ``path``, ``wheel`` or ``sdist``.
        where: The repository's address without a password, or the path.
        identity: The commit, or a hash over the tree or the file.
        ref: What git was asked for.
        subdirectory: The package's folder within the checkout.
        version: What the built package says its version is.
        head: For a path in a repository: its last commit.
        changed: For a path in a repository: files that differ from that commit.
        committed: When the commit was made (RFC 3339, UTC). ``""`` if it is none.
    """

    kind: str
    where: str
    identity: str
    ref: str = ""
    subdirectory: str = ""
    version: str = ""
    head: str = ""
    changed: tuple[str, ...] = ()
    committed: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One framework, in one version, under one Python.

    Attributes:
        framework: The name its users know it by, for example ``pydantic-ai``.
        distribution: What is installed, for example ``pydantic-ai-slim``.
        version: The exact version under test.
        python: ``major.minor``.
        target: Name of the folder under ``targets/``.
        asked: The declaration's entry (or several, joined by a comma) that led here.
        source: Where the version comes from: ``index`` for a release, ``harness`` for what comes
            with the harness, else the kind of its origin.
        resolution: What the resolver is asked.
        repeat: How often a timing-dependent variant runs.
        yanked: The reason a yanked release carries, ``""`` when there is none given, ``None``
            when the release is not yanked.
        notes: Remarks for people, for example which open entry joined this cell.
        excluded: Why the cell is not run. ``None`` for a scheduled cell.
        default: Whether every scenario runs here without being asked, and not only the base ones.
        impossible: Why the cell cannot even be tried (no such release). Such a cell is an ERROR.
        origin: For a version that is no release: where it comes from.
    """

    framework: str
    distribution: str
    version: str
    python: str
    target: str
    asked: str
    resolution: Resolution
    source: str = "index"
    repeat: int = 5
    yanked: str | None = None
    notes: tuple[str, ...] = ()
    excluded: str | None = None
    impossible: str | None = None
    default: bool = field(default=True)
    origin: Origin | None = None

    @property
    def id(self) -> str:
        """``langgraph-1.2.11/py3.13``: the part of a result's id that names the cell."""
        return f"{self.framework}-{self.version}/py{self.python}"

    @property
    def session(self) -> str:
        """``langgraph-1.2.11-py3.13``: the cell's nox session, and the stem of its result file."""
        return f"{self.framework}-{self.version}-py{self.python}"

    @property
    def folder(self) -> str:
        """The environment's folder name: a hash of the id, so that no two cells share one."""
        return hashlib.sha256(self.id.encode()).hexdigest()[:16]

    @property
    def runs(self) -> bool:
        """Whether the cell is meant to run at all."""
        return self.excluded is None and self.impossible is None

    def to_json(self) -> dict[str, Any]:
        """A JSON object that :meth:`from_json` takes back."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Cell:
        """The cell that :meth:`to_json` wrote."""
        resolution = Resolution(
            requirements=tuple(data["resolution"]["requirements"]),
            constraints=tuple(data["resolution"]["constraints"]),
            as_of=data["resolution"]["as_of"],
            as_of_asked=data["resolution"]["as_of_asked"],
            wheels=tuple(Wheel(**wheel) for wheel in data["resolution"]["wheels"]),
            npm=tuple(data["resolution"].get("npm", ())),
        )
        origin = data["origin"]
        if origin is not None:
            origin = Origin(**{**origin, "changed": tuple(origin["changed"])})
        fields = {**data, "resolution": resolution, "notes": tuple(data["notes"]), "origin": origin}
        return cls(**fields)
