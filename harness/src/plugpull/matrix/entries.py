"""What a declaration or a command line may say where a version is meant: one grammar for all.

An entry is *exact* (``"1.2.11"``), *open*, or a reference to something that is no release (see
``references``). Open entries are a specifier or ``"latest"`` (the newest release that fits),
``"latest-minors:5"`` and ``"majors"`` (the newest release of each of the newest five minors, of
each major) and ``"lowest"`` (the oldest release that the target can be asked about); ``lowest`` and
``majors`` may be narrowed: ``"lowest:>=1.0"``. They pass over yanked releases, and over
pre-releases unless a specifier names one or the entry begins with ``pre:``, as in ``"pre:latest"``.
``"harness"`` is the version that every cell gets anyway: that of this checkout, for a target which
comes with it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion, Version

from plugpull._version import __version__
from plugpull.matrix.references import Reference, parse_reference

__all__ = ["Entry", "is_as_of", "parse_entry"]

_MINORS = re.compile(r"latest-minors:([0-9]+)")
_NARROWED = re.compile(r"(majors|lowest)(?::(.+))?")
_PRE = "pre:"
#: ``==1.2.11`` means one release, as surely as ``1.2.11`` does.
_PINNED = re.compile(r"\s*===?\s*([^*,\s]+)\s*")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a list of versions.

    Attributes:
        text: As it stands in the declaration.
        exact: The version, for an exact entry. ``None`` for an open one.
        specifier: What an open entry's release must match. ``""`` matches everything.
        minors: How many minors an open entry takes. ``None`` takes one release.
        majors: The entry takes one release of each major.
        lowest: The entry takes the oldest release, where others take the newest.
        pre: Pre-releases are releases like any other.
        harness: The version is the harness's own; no index is asked for it, and nothing installed.
        reference: Where a version is that is no release.
    """

    text: str
    exact: str | None = None
    specifier: str = ""
    minors: int | None = None
    majors: bool = False
    lowest: bool = False
    pre: bool = False
    harness: bool = False
    reference: Reference | None = None

    @property
    def meaning(self) -> tuple[object, ...]:
        """Equal for two entries that mean the same: ``"1.0"`` and ``"1.0.0"`` do."""
        if self.reference is not None:
            return (self.reference,)
        if self.exact is not None:
            return (Version(self.exact),)
        return (SpecifierSet(self.specifier), self.minors, self.majors, self.lowest, self.pre)

    @property
    def label(self) -> str:
        """The text in one word, as it stands in lists that are joined by commas."""
        return re.sub(r"\s*,\s*", ",", self.text.strip())


def parse_entry(text: str, base: Path | None = None) -> Entry:
    """Read one entry.

    Args:
        text: As it was written.
        base: The folder in which relative paths start. The current one if not given.

    Raises:
        ValueError: It is neither a version nor anything else that an entry may be.
    """
    stripped = text.strip()
    if stripped == "harness":
        return Entry(text, exact=__version__, harness=True)
    reference = parse_reference(stripped, base or Path.cwd())
    if reference is not None:
        return Entry(text, reference=reference)
    if stripped.startswith(_PRE):
        inner = parse_entry(stripped.removeprefix(_PRE))
        if inner.exact is not None or inner.reference is not None or inner.harness or inner.pre:
            raise ValueError(f'"{stripped}": only an open entry can be asked for pre-releases')
        return replace(inner, text=text, pre=True)
    return _open_entry(text, stripped) or _exact_or_specifier(text, stripped)


def _open_entry(text: str, stripped: str) -> Entry | None:
    if stripped == "latest":
        return Entry(text)
    minors = _MINORS.fullmatch(stripped)
    if minors is not None:
        if int(minors[1]) < 1:
            raise ValueError("latest-minors counts from 1")
        return Entry(text, minors=int(minors[1]))
    narrowed = _NARROWED.fullmatch(stripped)
    if narrowed is None:
        return None
    specifier = _exact_or_specifier(text, narrowed[2]).specifier if narrowed[2] else ""
    if narrowed[2] and not specifier:
        raise ValueError(f'"{stripped}": behind the colon stands a range, for example >=1.0')
    lowest = narrowed[1] == "lowest"
    return Entry(text, specifier=specifier, lowest=lowest, majors=not lowest)


def _exact_or_specifier(text: str, stripped: str) -> Entry:
    pinned = _PINNED.fullmatch(stripped)
    try:
        version = Version(pinned[1] if pinned else stripped)
    except InvalidVersion:
        pass
    else:
        return Entry(text, exact=str(version))
    try:
        specifier = SpecifierSet(stripped)
    except InvalidSpecifier:
        specifier = SpecifierSet()
    if not str(specifier):
        raise ValueError(
            f"{text!r} is neither a version nor a specifier (PEP 440), "
            'nor "latest", "latest-minors:N", "majors" or "lowest", '
            "nor git+URL@REF, a path that begins with ./ or /, a wheel or an sdist"
        )
    return Entry(text, specifier=str(specifier))


def is_as_of(text: str) -> bool:
    """Whether a text says as of when packages are seen: ``release``, ``today`` or a date."""
    if text in {"release", "today"}:
        return True
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is not None  # 3.11 reads more forms
