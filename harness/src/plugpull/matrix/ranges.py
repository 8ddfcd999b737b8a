"""Whether two ranges of versions have anything in common, told from what is written in them."""

from __future__ import annotations

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

__all__ = ["common_version"]


def common_version(one: str, other: str) -> str | None:
    """A version that is in both ranges; ``None`` if there is none.

    Two ranges meet, if at all, at one of their own ends or just beside it, so those are tried. No
    index is asked: ranges that would meet in a release still to come meet today.

    Args:
        one: A specifier (PEP 440). ``""`` holds every version.
        other: Likewise.
    """
    ranges = SpecifierSet(one), SpecifierSet(other)
    written = [part.version.removesuffix(".*") for part in (*ranges[0], *ranges[1])]
    tried = [*written, *(near for version in written for near in _beside(version)), "0", "1!0"]
    fitting = [version for version in tried if _in_both(version, ranges)]
    # A release says more to people than a point just before one.
    nice = [version for version in fitting if "dev" not in version]
    return next(iter([*nice, *fitting]), None)


def _in_both(text: str, ranges: tuple[SpecifierSet, SpecifierSet]) -> bool:
    try:
        return all(each.contains(Version(text), prereleases=True) for each in ranges)
    except InvalidVersion:  # ===anything
        return False


def _beside(text: str) -> list[str]:
    """A version, and others a little lower and a little higher."""
    try:
        version = Version(text)
    except InvalidVersion:
        return []
    release = [*version.release]
    epoch = f"{version.epoch}!" if version.epoch else ""
    base = epoch + ".".join(map(str, release))
    found = [base]
    found += [
        epoch + ".".join(map(str, _next(release, at))) for at in reversed(range(len(release)))
    ]
    found += [f"{base}.0.0.1", f"{base}.post1", f"{base}.dev0"]
    found += [
        epoch + ".".join(map(str, [*release[:at], release[at] - 1, 10**6]))
        for at in range(len(release))
        if release[at] > 0
    ]
    return found


def _next(release: list[int], at: int) -> list[int]:
    return [*release[:at], release[at] + 1]
