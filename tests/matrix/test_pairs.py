"""Which pairs a text asks for."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from plugpull.errors import UsageError
from plugpull.matrix.entries import parse_entry
from plugpull.matrix.pairs import choose_pairs, named_versions, split_pair

VERSIONS = ("1.0", "1.1", "2.0")


def understood(text: str) -> bool:
    """Whether a text is an entry."""
    try:
        parse_entry(text)
    except ValueError:
        return False
    return True


def meaning(name: str) -> Sequence[str]:
    """``latest`` is 2.0, ``two`` are two."""
    return {"latest": ["2.0"], "two": ["1.0", "1.1"]}.get(name, [name] if name in VERSIONS else [])


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        (
            "all",
            [
                ("1.0", "1.1"),
                ("1.0", "2.0"),
                ("1.1", "1.0"),
                ("1.1", "2.0"),
                ("2.0", "1.0"),
                ("2.0", "1.1"),
            ],
        ),
        ("neighbours", [("1.0", "1.1"), ("1.1", "1.0"), ("1.1", "2.0"), ("2.0", "1.1")]),
        ("1.0:2.0", [("1.0", "2.0")]),
        ("latest:1.0", [("2.0", "1.0")]),
        ("two:latest", [("1.0", "2.0"), ("1.1", "2.0")]),
    ],
)
def test_what_a_text_asks_for(text: str, pairs: list[tuple[str, str]]) -> None:
    """Upgrades and downgrades; a name may lead to several versions."""
    assert choose_pairs([text], VERSIONS, meaning) == pairs


def test_a_pair_is_there_once() -> None:
    """However often it is asked for."""
    assert choose_pairs(["1.0:1.1", "1.0:1.1"], VERSIONS, meaning) == [("1.0", "1.1")]


def test_an_address_has_colons_of_its_own() -> None:
    """The colon that counts stands between two versions."""
    address = "git+https://example.org/a/b@main"
    assert split_pair(f"1.0:{address}", understood) == ("1.0", address)
    assert split_pair(f"{address}:1.0", understood) == (address, "1.0")


def test_the_versions_that_pairs_name() -> None:
    """``all`` and ``neighbours`` name none."""
    assert named_versions(["1.0:1.1", "all", "1.1:latest"], understood) == ["1.0", "1.1", "latest"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1.0", "these are no two versions"),
        ("1.0:", "these are no two versions"),
        ("1.0:one point one", "these are no two versions"),
        ("1.0:1.0", "that is one version"),
        ("3.0:1.0", "these are no two versions"),
    ],
)
def test_a_text_that_is_no_pair(text: str, says: str) -> None:
    """One sentence names it."""
    with pytest.raises(UsageError, match=says):
        choose_pairs([text], VERSIONS, meaning)


def test_one_version_makes_no_pair() -> None:
    """And the sentence says what there is."""
    with pytest.raises(UsageError, match="no two versions") as caught:
        choose_pairs(["all"], ("1.0",), meaning)
    assert "1.0" in caught.value.why
