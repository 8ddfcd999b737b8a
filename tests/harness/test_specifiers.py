"""Version ranges: the same answers as ``packaging`` gives, which a cell does not have."""

from __future__ import annotations

import itertools

import pytest
from plugpull.specifiers import is_version, matches

VERSIONS = [
    "0",
    "0.0",
    "0.6.11",
    "0.22.0",
    "0.22.2",
    "0.23.0rc1",
    "1",
    "1.0",
    "1.0.0",
    "1.0.1",
    "1.0.dev1",
    "1.0a1",
    "1.0a1.dev2",
    "1.0a2",
    "1.0b1",
    "1.0rc1",
    "1.0.rc.1",
    "1.0-rc-1",
    "1.0c2",
    "1.0pre1",
    "1.0preview3",
    "1.0alpha",
    "1.0BETA2",
    "1.0.post1",
    "1.0.post1.dev3",
    "1.0-1",
    "1.0.rev4",
    "1.0r5",
    "1.0rc1.post2",
    "1.0+cpu",
    "1.0+g12ab-dirty_2",
    "1.0.post1+local",
    "1.0rc1+local",
    "1.1",
    "1.2.11",
    "1.10",
    "1.107.10",
    "2.43.0",
    "2024.10.1",
    "1!0.5",
    "1!1.0",
    "v1.0",
    "1.0.0.0.0",
    "1.0.0.0.1",
]
BOUNDS = ["0.6", "0.22.2", "1", "1.0", "1.0.0", "1.1", "1.2.11", "1.10", "2", "1!0.5"]
# On these as bounds of < and > older releases of packaging have another opinion.
UNUSUAL_BOUNDS = ["1.0.dev1", "1.0a1", "1.0rc1", "1.0.post1", "1.0-1", "1.0.post1.dev3"]


@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
def test_one_comparison_is_understood_as_packaging_understands_it(operator: str) -> None:
    """Over pre-, post-, development and local versions and epochs, in every spelling."""
    specifiers = pytest.importorskip("packaging.specifiers")
    packaging = pytest.importorskip("packaging")
    version = pytest.importorskip("packaging.version").Version
    recent = version(packaging.__version__) >= version("26")
    bounds = BOUNDS + (UNUSUAL_BOUNDS if recent or operator not in {"<", ">"} else [])
    different = [
        f"{candidate} {operator}{bound}"
        for candidate, bound in itertools.product(VERSIONS, bounds)
        if matches(candidate, f"{operator}{bound}")
        != specifiers.SpecifierSet(f"{operator}{bound}").contains(
            version(candidate), prereleases=True
        )
    ]
    assert different == []


@pytest.mark.parametrize(
    ("version", "specifier", "inside"),
    [
        ("0.6.11", ">=0.6.0", True),
        ("0.6.11", " >= 0.6.0 , < 1 ", True),
        ("1.0.0", ">=0.6,<1", False),
        ("0.9", ">=0.6,!=0.9,<1", False),
        ("7", "*", True),
        ("7", " * ", True),
        ("1.10", "<1.9", False),
        ("1.0rc1", "<1.0", False),
        ("1.0+cpu", "==1.0", True),
    ],
)
def test_ranges_as_manifests_have_them(version: str, specifier: str, inside: bool) -> None:
    """All comparisons have to hold; spaces do no harm; without ``packaging`` too."""
    assert matches(version, specifier) is inside


@pytest.mark.parametrize(
    "specifier", ["", "1.0", "=1.0", "==", "==1.*", "~=1.0", ">=1.0,", ">=1.0;<2", ">=x", "==1+cpu"]
)
def test_what_is_not_understood_is_refused(specifier: str) -> None:
    """Also behind a comparison that already decides."""
    for text in (specifier, f"<0.1,{specifier}"):
        with pytest.raises(ValueError, match="not a version"):
            matches("1.0", text)


@pytest.mark.parametrize("text", ["", "x", "1.0.x", "1..0", "unknown", "1.0 1", "\u0661.0"])
def test_what_is_no_version_is_refused(text: str) -> None:
    """Whatever a broken distribution calls its version."""
    assert not is_version(text)
    with pytest.raises(ValueError, match="not a version"):
        matches(text, "*")


def test_every_version_is_a_version() -> None:
    """And so it is said."""
    assert all(is_version(text) for text in VERSIONS)
