"""``strict=True``: each hole of the drop-in's rules is closed, shown by a planted defect."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from plugpull import Context, conform
from plugpull.conformance.planted import INPUTS, PLANTED, Planted
from plugpull.conformance.report import UNJUDGED
from small import careful, kinds, small_subject


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.about.replace(" ", "-"))
def test_a_planted_defect_is_found_and_nothing_else(planted: Planted) -> None:
    """Every kind has a subject that earns it, and the good ones earn none."""
    report = conform(
        planted.factory(), INPUTS, strict=planted.strict, uncatchable=planted.uncatchable
    )
    assert {one.kind for one in report.findings} == planted.kinds
    assert report.passed == (not planted.kinds)
    assert report.verdict == (
        "PASS" if report.passed else "ERROR" if planted.kinds & UNJUDGED else "FAIL"
    )


def test_every_kind_is_planted_and_explained() -> None:
    """No finding can appear that has no test and no paragraph in the docs."""
    planted_kinds = {kind for planted in PLANTED for kind in planted.kinds}
    # It takes the code's old context, which the drop-in test covers.
    assert planted_kinds >= UNJUDGED
    explained = Path(__file__).parents[2] / "docs" / "findings-explained.md"
    text = explained.read_text(encoding="utf-8")
    assert [kind for kind in sorted(planted_kinds) if f"### {kind}\n" not in text] == []


def test_it_crashes_before_and_after_each_effect() -> None:
    """C21: what was recorded at the crash is one less before the effect than after it."""
    seen: list[tuple[str, int]] = []
    run = small_subject(careful)

    def factory(ctx: Context) -> Any:
        seen.append((ctx.run_id, len(ctx.effects.effects)))
        return run(ctx)

    report = conform(factory, "ab", strict=True)
    assert report.passed, str(report)
    assert report.crash_points == 4
    assert seen == [
        *(("run", 0), ("run-again", 0)),
        *(("run-1-before", 0), ("run-1-before", 0), ("run-1", 0), ("run-1", 1)),
        *(("run-2-before", 0), ("run-2-before", 1), ("run-2", 0), ("run-2", 2)),
    ]


def test_a_finding_says_on_which_side_of_the_effect_the_crash_was() -> None:
    """The two crash points of one effect read differently."""

    def notes_first(self: Any, item: str) -> None:
        if item not in self.done:
            self.done.append(item)
            self.ctx.effect("charge", key=item)

    report = conform(small_subject(notes_first), "a", strict=True)
    assert str(report) == (
        "conformance: 2 crash point(s) tested, 1 finding(s)\n"
        "  [effect_lost] crash before effect #1: the provider never saw charge with key 'a'"
    )
    assert report.to_json() == {
        "verdict": "FAIL",
        "crash_points": 2,
        "findings": [
            {
                "kind": "effect_lost",
                "crash_after": 1,
                "detail": "the provider never saw charge with key 'a'",
                "when": "before",
                "verdict": "FAIL",
            }
        ],
    }


def test_the_agent_of_crashresumes_readme_passes() -> None:
    """C21: a stable key that is sent again is one effect, and so no finding."""
    assert not conform(small_subject(careful), "abc").passed
    assert conform(small_subject(careful), "abc", strict=True).passed


def test_one_key_under_two_names_is_two_effects() -> None:
    """X3: charging and mailing under one order's key is right; losing the mail is not."""

    def both(self: Any, item: str) -> None:
        if item not in self.done:
            self.ctx.effect("charge", key=item)
            self.ctx.effect("mail", key=item)
            self.done.append(item)

    def forgets_the_mail(self: Any, item: str) -> None:
        if item not in self.done:
            self.ctx.effect("charge", key=item)
            self.done.append(item)
            self.ctx.effect("mail", key=item)

    assert kinds(small_subject(both)) == set()
    assert kinds(small_subject(forgets_the_mail)) == {"effect_lost"}


def test_keys_made_anew_and_kept_are_counted_not_compared() -> None:
    """A key that is random, but noted before it is used, is as good as a fixed one."""
    numbers = iter(range(1000))
    kept: dict[tuple[str, str], str] = {}

    def keeps_its_key(self: Any, item: str) -> None:
        if item not in self.done:
            key = kept.setdefault((self.ctx.run_id, item), f"key-{next(numbers)}")
            self.ctx.effect("charge", key=key)
            self.done.append(item)

    assert kinds(small_subject(keeps_its_key)) == set()


def test_an_empty_key_is_a_key() -> None:
    """As the provider has it: two calls with the key "" are one effect."""

    def empty(self: Any, item: str) -> None:
        if item not in self.done:
            self.ctx.effect("charge", key="")
            self.done.append(item)

    assert kinds(small_subject(empty), "a") == set()


@pytest.mark.parametrize("bad", [("", "k"), (7, "k"), ("charge", [1])])
def test_an_effect_that_no_provider_takes_is_an_error(bad: tuple[Any, Any]) -> None:
    """A name that is no text, or a key that cannot be compared, is said to be one."""
    kind, key = bad
    report = conform(
        small_subject(lambda self, _: self.ctx.effect(kind, key=key)), "a", strict=True
    )
    assert [one.kind for one in report.findings] == ["baseline_crashed"]
