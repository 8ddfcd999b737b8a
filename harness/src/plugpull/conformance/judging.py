"""What the outside world ended up with, counted as a provider with idempotency keys counts.

One name with one key is one effect, however often it is called; a call without a key is always
one more. That is the rule of :mod:`plugpull.provider`, for effects that stay inside the process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from plugpull.conformance.effects import Effect

__all__ = ["Tally", "judge_tally", "tally"]


@dataclass(frozen=True, slots=True)
class Tally:
    """The effects of one run.

    Attributes:
        keys: The keys each name was called with.
        keyless: How often each name was called without one.
    """

    keys: dict[str, set[str]]
    keyless: Counter[str]

    @property
    def names(self) -> list[str]:
        """Every name, in the order in which they came."""
        return list(self.keys)

    def count(self, name: str) -> int:
        """How many distinct effects there are of a name."""
        return len(self.keys.get(name, ())) + self.keyless[name]


def tally(effects: Sequence[Effect]) -> Tally:
    """Count effects."""
    keys: dict[str, set[str]] = {}
    keyless: Counter[str] = Counter()
    for effect in effects:
        known = keys.setdefault(effect.kind, set())
        if effect.key is None:
            keyless[effect.kind] += 1
        else:
            known.add(effect.key)
    return Tally(keys, keyless)


def judge_tally(wanted: Tally, again: Tally, found: Tally) -> Iterator[tuple[str, str]]:
    """Compare a crashed and resumed run with two that had no crash.

    Where the two used the same keys, each key has to come back. Where they did not, keys are made
    anew for each run, and only how many there are can be compared.

    Yields:
        A finding's kind and detail.
    """
    for name in wanted.names:
        if wanted.keys[name] == again.keys.get(name):
            yield from _judge_keys(name, wanted, found)
        else:
            yield from _judge_count(name, "", wanted.count(name), found.count(name))
    for name in found.names:
        if name not in wanted.keys:
            yield (
                "effect_unexpected",
                f"the provider saw {name}, which the run without a crash never used",
            )


def _judge_keys(name: str, wanted: Tally, found: Tally) -> Iterator[tuple[str, str]]:
    had = found.keys.get(name, set())
    for key in sorted(wanted.keys[name] - had, key=repr):
        yield "effect_lost", f"the provider never saw {name} with key {key!r}"
    for key in sorted(had - wanted.keys[name], key=repr):
        extra = f"the provider saw one more {name}, with key {key!r}"
        yield "effect_duplicated", f"{extra}, which the run without a crash never used"
    yield from _judge_count(name, " without a key", wanted.keyless[name], found.keyless[name])


def _judge_count(name: str, kind: str, wanted: int, found: int) -> Iterator[tuple[str, str]]:
    if found != wanted:
        noun = "effect" if found == 1 else "effects"
        yield (
            "effect_duplicated" if found > wanted else "effect_lost",
            f"the provider saw {found} {name} {noun}{kind} after resume (expected {wanted})",
        )
