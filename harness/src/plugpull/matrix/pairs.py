"""Which version goes on with what which version has saved: ``all``, ``neighbours`` or ``A:B``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations

from plugpull.errors import UsageError

__all__ = ["ALL", "NEIGHBOURS", "Pair", "choose_pairs", "named_versions", "split_pair"]

ALL, NEIGHBOURS = "all", "neighbours"

Pair = tuple[str, str]
"""The version that saves, and the one that goes on."""


def split_pair(text: str, understood: Callable[[str], bool]) -> Pair:
    """The two versions of ``A:B``.

    A version may be an address with colons of its own, so every colon is tried.

    Args:
        text: What somebody wrote.
        understood: Whether a text names a version.

    Raises:
        UsageError: No colon stands between two versions, or they are one and the same.
    """
    halves = [
        (text[:at].strip(), text[at + 1 :].strip())
        for at, sign in enumerate(text)
        if sign == ":" and not text.startswith("//", at + 1)
    ]
    for saves, goes_on in halves:
        if understood(saves) and understood(goes_on):
            if saves == goes_on:
                raise UsageError(
                    f"--pairs {text}: that is one version",
                    why="every version goes on with its own state anyway, as a check",
                    then="name two: --pairs A:B",
                )
            return saves, goes_on
    raise UsageError(
        f"--pairs {text}: these are no two versions",
        then="write SAVED:RESUMED, for example 1.0.10:1.2.11; or all, or neighbours",
    )


def named_versions(texts: Sequence[str], understood: Callable[[str], bool]) -> list[str]:
    """The versions that pairs name, each once; none for ``all`` and ``neighbours``.

    Raises:
        UsageError: A text is no pair.
    """
    names: dict[str, None] = {}
    for text in texts:
        if text not in {ALL, NEIGHBOURS}:
            names.update(dict.fromkeys(split_pair(text, understood)))
    return list(names)


def choose_pairs(
    texts: Sequence[str], ordered: Sequence[str], meaning: Callable[[str], Sequence[str]]
) -> list[Pair]:
    """The pairs that some texts ask for, each once.

    Args:
        texts: ``all``, ``neighbours`` (both directions) or ``A:B``.
        ordered: The versions there are, the oldest first.
        meaning: The versions a name leads to.

    Raises:
        UsageError: A text is no pair, or leads to no two versions.
    """
    chosen: dict[Pair, None] = {}
    for text in texts:
        found = list(_pairs(text, ordered, meaning))
        if not found:
            raise UsageError(
                f"--pairs {text}: no two versions",
                why=f"there is {', '.join(ordered) or 'none'}",
                then="name more with --versions",
            )
        chosen.update(dict.fromkeys(found))
    return list(chosen)


def _pairs(
    text: str, ordered: Sequence[str], meaning: Callable[[str], Sequence[str]]
) -> Iterator[Pair]:
    if text == ALL:
        yield from permutations(ordered, 2)
    elif text == NEIGHBOURS:
        for older, newer in pairwise(ordered):
            yield older, newer
            yield newer, older
    else:
        saves, goes_on = split_pair(text, lambda name: bool(meaning(name)))
        for one in meaning(saves):
            for other in meaning(goes_on):
                if one != other:
                    yield one, other
