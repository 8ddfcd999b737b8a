"""``expectations.toml``: which FAILs are known, why, and where that is written down.

An entry names places of the matrix by framework, range of versions, scenario, variant and fault
point. A mistake in it is one clear error that names the file, the entry and the key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from plugpull.errors import UsageError
from plugpull.matrix.ranges import common_version
from plugpull.matrix.tables import Table, read_toml, suggestion
from plugpull.verdicts import Outcome

if TYPE_CHECKING:
    from pathlib import Path

    from plugpull.matrix.results import Result

__all__ = [
    "EXPECTED_FAILURE",
    "TIMING_DEPENDENT",
    "Expectation",
    "Expectations",
    "read_expectations",
]

#: It fails until somebody mends it. When it passes, the entry is stale.
EXPECTED_FAILURE = "expected failure"
#: It fails at one time and passes at another, and says nothing either way.
TIMING_DEPENDENT = "timing-dependent"

_KINDS = (EXPECTED_FAILURE, TIMING_DEPENDENT)
#: Words for how an expectation broke. What held, or was surfaced, is no FAIL.
_OUTCOMES = tuple(
    word
    for name, word in vars(Outcome).items()
    if name.isupper() and word not in {Outcome.HELD, Outcome.SURFACED}
)


@dataclass(frozen=True, slots=True)
class Expectation:
    """One entry.

    Attributes:
        place: Where it stands, for texts.
        framework: The name its users know it by.
        versions: A specifier; ``""`` means every version.
        scenarios, variants: Their names.
        points: Names of fault points. One with a detail (``POINT/DETAIL``) means that one alone.
        pythons: ``major.minor``; empty means every Python.
        kind: :data:`EXPECTED_FAILURE` or :data:`TIMING_DEPENDENT`.
        outcome: What kind of FAIL it is, for example ``duplicated``; ``""`` for any.
        reason: For the table.
        link: Where more is written about it.
    """

    place: str
    framework: str
    versions: str
    scenarios: tuple[str, ...]
    variants: tuple[str, ...]
    points: tuple[str, ...]
    pythons: tuple[str, ...]
    kind: str
    outcome: str
    reason: str
    link: str

    @property
    def text(self) -> str:
        """The reason and where more is written."""
        return f"{self.reason} {self.link}"

    def is_about(self, framework: str, version: str, python: str) -> bool:
        """Whether it is about a cell. What is no release is in the range of all versions only."""
        return (
            framework == self.framework
            and (not self.pythons or python in self.pythons)
            and (not self.versions or _within(version, self.versions))
        )

    def points_of(self, result: Result) -> list[str]:
        """Its fault points that name a result of a cell that it is about; none if none does."""
        if result.scenario not in self.scenarios or result.variant not in self.variants:
            return []
        return [point for point in self.points if point in {result.kill_point, result.point}]


@dataclass(frozen=True, slots=True)
class Expectations:
    """A whole file, checked as far as it can be without a plan.

    Attributes:
        path: The file.
        entries: In its order. No two of them can name the same result.
    """

    path: Path
    entries: tuple[Expectation, ...]


def read_expectations(path: Path) -> Expectations:
    """Read and check the entries.

    Raises:
        UsageError: The file has a mistake, or two entries could speak of the same result.
    """
    document = read_toml(path, option="--expectations")
    entries = [_entry(table) for table in document.tables("expect")]
    document.finish()
    for at, entry in enumerate(entries):
        for earlier in entries[:at]:
            _refuse_overlap(entry, earlier)
    return Expectations(path, tuple(entries))


def _entry(table: Table) -> Expectation:
    framework = _needed(table, "framework", 'for example framework = "langgraph"')
    versions = _specifier(table)
    kind = _needed(table, "kind", f"one of: {', '.join(_KINDS)}")
    if kind not in _KINDS:
        table.fail("kind", f'"{kind}" is unknown', suggestion(kind, _KINDS) or "; ".join(_KINDS))
    verdict = _needed(table, "verdict", 'write verdict = "FAIL"')
    if verdict == "ERROR":
        table.fail("verdict", "an ERROR says nothing about the framework and is never expected")
    if verdict != "FAIL":
        table.fail("verdict", f'"{verdict}" is not "FAIL": what passes needs no entry')
    entry = Expectation(
        place=f"{table.path}: {table.name}",
        framework=framework,
        versions=versions,
        scenarios=_names(table, "scenario"),
        variants=_names(table, "variant"),
        points=_names(table, "fault-point"),
        pythons=_pythons(table),
        kind=kind,
        outcome=_outcome(table),
        reason=_needed(table, "reason", "whoever reads the table wants to know why"),
        link=_link(table),
    )
    table.finish()
    return entry


def _needed(table: Table, key: str, then: str) -> str:
    text = table.text(key)
    if text is None:
        table.fail(key, "is missing", then)
    return text.strip()


def _names(table: Table, key: str) -> tuple[str, ...]:
    names = table.one_or_more(key)
    if not names:
        table.fail(key, "is missing or empty", f'{key} = "NAME", or a list of names')
    for at, name in enumerate(names):
        if any(character in name for character in "*?["):
            table.fail(key, f'"{name}" is a pattern', "write out the names: an entry is a promise")
        if name in names[:at]:
            table.fail(key, f'"{name}" is there twice')
    return names


def _pythons(table: Table) -> tuple[str, ...]:
    pythons = table.one_or_more("python") or ()
    for text in pythons:
        major, _, minor = text.partition(".")
        if not (major.isdigit() and minor.isdigit()):
            table.fail("python", f'"{text}" is no Python', 'write major.minor, for example "3.13"')
    return pythons


def _outcome(table: Table) -> str:
    outcome = table.text("outcome") or ""
    if outcome and outcome not in _OUTCOMES:
        then = suggestion(outcome, _OUTCOMES) or "; ".join(_OUTCOMES)
        table.fail("outcome", f'"{outcome}" is no kind of FAIL', then)
    return outcome


def _specifier(table: Table) -> str:
    text = _needed(table, "versions", 'for example versions = ">=1.0", or "*" for every version')
    if text == "*":
        return ""
    try:
        return str(SpecifierSet(text))
    except InvalidSpecifier:
        then = 'for example ">=1.0,<2" or "==1.2.3", or "*" for every version'
        table.fail("versions", f'"{text}" is no specifier (PEP 440)', then)


def _link(table: Table) -> str:
    link = _needed(table, "link", "name the page or the report where this is written down")
    if not link.startswith(("https://", "http://")) or any(c.isspace() for c in link):
        table.fail("link", f'"{link}" is no link', "it begins with https://")
    return link


def _refuse_overlap(entry: Expectation, earlier: Expectation) -> None:
    if entry.framework != earlier.framework or (
        entry.pythons and earlier.pythons and set(entry.pythons).isdisjoint(earlier.pythons)
    ):
        return
    scenario = _shared(entry.scenarios, earlier.scenarios)
    variant = _shared(entry.variants, earlier.variants)
    point = next(
        (
            max(one, other, key=len)
            for one in entry.points
            for other in earlier.points
            if one == other or one.startswith(f"{other}/") or other.startswith(f"{one}/")
        ),
        None,
    )
    if scenario is None or variant is None or point is None:
        return
    version = common_version(entry.versions, earlier.versions)
    if version is not None:
        raise UsageError(
            f"{entry.place} overlaps number {earlier.place.rpartition(' ')[2]}: both speak of "
            f"{entry.framework} {version}, {scenario}/{variant}/{point}",
            then="make their versions, names or Pythons exclude each other",
        )


def _shared(one: tuple[str, ...], other: tuple[str, ...]) -> str | None:
    return next((name for name in one if name in other), None)


def _within(version: str, specifier: str) -> bool:
    try:
        return SpecifierSet(specifier).contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False
