"""Checkpointing or durable execution, told from made-up records that must come out each way."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from madeup import put_together, raw_result, row
from plugpull.matrix import finished
from plugpull.matrix import kinds as kinds_module
from plugpull.matrix.collect import write_reports
from plugpull.matrix.files import read_object
from plugpull.matrix.kinds import CHECKPOINTING, DURABLE, NOT_MEASURED, Kind, kinds
from plugpull.matrix.records import EXCLUDED

Calls = list[tuple[str, str, bool]]
"""Effect, phase, and whether it was recorded."""


def killed(
    scenario: str, point: str, calls: Calls, *, variant: str = "plain", **more: Any
) -> dict[str, Any]:
    """A killed run as the core writes it: the effects are counted, and the calls are listed."""
    effects: dict[str, int] = {}
    for effect, _, recorded in calls:
        effects[effect] = effects.get(effect, 0) + recorded
    evidence = {
        "unfaulted": {"effects": dict.fromkeys(effects, 1)},
        "effects": effects,
        "resume_returncode": 0,
        "calls": [
            {"effect": effect, "phase": phase, "recorded": recorded}
            for effect, phase, recorded in calls
        ],
    }
    more = dict(more)
    evidence |= more.pop("evidence", {})
    return raw_result(variant, point, scenario=scenario, evidence=evidence, **more)


def swept(*, again: bool = False, **more: Any) -> dict[str, Any]:
    """Killed in the second call, before its effect; the first one is made again or not."""
    calls: Calls = [("charge_card", "start", True), ("finish_order", "start", False)]
    calls += [("charge_card", "resume", True)] * again
    calls += [("finish_order", "resume", True)]
    return killed("kill-sweep", "before-effect", calls, point_detail="2-finish_order", **more)


def batch(*, again: bool = False, **more: Any) -> dict[str, Any]:
    """Killed between two answers of a batch; the answered call is made again or not."""
    calls: Calls = [("charge_card_1", "start", True), ("charge_card_2", "start", False)]
    calls += [("charge_card_1", "resume", True)] * again
    calls += [("charge_card_2", "resume", True), ("finish_order", "resume", True)]
    evidence = {"answered": ["charge_card_1"], **more.pop("evidence", {})}
    return killed("batch-kill", "between-results", calls, evidence=evidence, **more)


def kind_of(*raw: dict[str, Any], **record: Any) -> Kind:
    """What one release is, on one Python."""
    (kind,) = kinds(put_together(row("toy", "1.0", "3.13", *raw, **record)))
    return kind


def test_results_that_are_given_back_are_durable_execution() -> None:
    """Nothing that was finished is called again, in either scenario; the variant is named."""
    kind = kind_of(swept(), batch())
    assert kind.kind == DURABLE
    assert [way.variant for way in kind.of(DURABLE)] == ["plain"]
    assert kind.ways[0].shown_by == "no finished effect was called again, at 2 places"


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (
            (swept(), batch(again=True)),
            "charge_card_1 was done 2 times (batch-kill/between-results)",
        ),
        (
            (swept(again=True), batch()),
            "charge_card was done 2 times (kill-sweep/before-effect/2-finish_order)",
        ),
        # One of the two scenarios is enough to see it.
        ((batch(again=True),), "charge_card_1 was done 2 times (batch-kill/between-results)"),
    ],
)
def test_a_finished_effect_that_is_done_again_is_checkpointing(
    raw: tuple[dict[str, Any], ...], shown: str
) -> None:
    """Wherever it happens; the counts that show it are named."""
    kind = kind_of(*raw)
    assert kind.kind == CHECKPOINTING
    assert kind.ways[0].shown_by == shown


def test_a_key_does_not_make_durable_execution() -> None:
    """It hides the second call's effect, and the step ran again all the same."""
    hidden = {"effects": {"charge_card_1": 1, "charge_card_2": 1, "finish_order": 1}}
    kind = kind_of(swept(), batch(again=True, evidence=hidden))
    assert kind.kind == CHECKPOINTING
    assert kind.ways[0].shown_by == (
        "charge_card_1 was called 2 times, with one key (batch-kill/between-results)"
    )


def test_the_call_under_way_may_be_made_again() -> None:
    """It had no answer: neither kind can know what became of it."""
    calls: Calls = [("charge_card", "start", True), ("charge_card", "resume", True)]
    after = killed("kill-sweep", "after-effect", calls, verdict="FAIL", point_detail="1-charge")
    assert kind_of(swept(), after, batch()).kind == DURABLE


def test_one_way_of_using_it_is_enough() -> None:
    """People can take that one; the others are named beside it."""
    kind = kind_of(
        *(swept(variant=variant) for variant in ("tasks", "nodes")),
        batch(variant="tasks"),
        batch(variant="nodes", again=True),
    )
    assert kind.kind == DURABLE
    assert [way.variant for way in kind.of(DURABLE)] == ["tasks"]
    assert [way.variant for way in kind.of(CHECKPOINTING)] == ["nodes"]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ((swept(),), "plain: it was not asked for batch-kill"),
        ((batch(),), "plain: it was not asked for kill-sweep"),
        ((), "it was asked for neither kill-sweep nor batch-kill"),
        (
            (swept(), batch(evidence={"resume_returncode": 1}, verdict="FAIL", outcome="refused")),
            "plain: batch-kill/between-results: refused",
        ),
        ((swept(), batch(verdict="ERROR")), "plain: batch-kill/between-results: ERROR"),
        (
            (swept(timing_dependent=True), batch()),
            "plain: what is finished when kill-sweep kills it depends on timing",
        ),
    ],
)
def test_what_shows_neither_is_not_measured(raw: tuple[dict[str, Any], ...], reason: str) -> None:
    """Half the scenarios, a run that stopped where it was, a kill that did not land."""
    kind = kind_of(*raw or [raw_result()])
    assert kind.kind == NOT_MEASURED
    assert kind.reason == reason


def test_a_reason_that_is_declared_is_the_reason() -> None:
    """A framework without batches says so in its manifest; one that is off says why."""
    gap = {"scenario": "batch-kill", "reason": "there is no model", "link": "https://x.example"}
    kind = kind_of(swept(), not_supported=(gap,))
    assert (kind.kind, kind.reason) == (
        NOT_MEASURED,
        "batch-kill: there is no model https://x.example",
    )
    off = kind_of(state=EXCLUDED, reason="off by default: it is slow", measured_at="")
    assert (off.kind, off.version, off.reason) == (NOT_MEASURED, "", "off by default: it is slow")


def test_the_newest_version_decides() -> None:
    """Of those that were asked at all; a version for which only the base ran says nothing."""
    found = kinds(
        put_together(
            row("toy", "1.0", "3.13", swept(), batch(again=True)),
            row("toy", "1.10", "3.13", swept(), batch()),
            row("toy", "1.11", "3.13", raw_result()),
        )
    )
    assert [(kind.version, kind.kind) for kind in found] == [("1.10", DURABLE)]


def test_one_python_is_enough_to_see_a_repetition() -> None:
    """All Pythons of the version count."""
    found = kinds(
        put_together(
            row("toy", "1.0", "3.12", swept(), batch(again=True)),
            row("toy", "1.0", "3.13", swept(), batch()),
        )
    )
    assert [kind.kind for kind in found] == [CHECKPOINTING]


def test_the_harness_has_an_agent_and_not_a_framework() -> None:
    """Its marks tell the provider again what it had told before, which is no step."""
    assert not kinds(put_together(row("own", "1.0", "3.13", swept(), facts={"source": "harness"})))


def test_the_json_has_it(tmp_path: Path) -> None:
    """For whoever reads the results with a program."""
    write_reports(put_together(row("toy", "1.0", "3.13", swept(), batch())), tmp_path)
    assert read_object(tmp_path / "matrix.json")["kinds"] == [
        {
            "framework": "toy",
            "version": "1.0",
            "kind": "durable execution",
            "ways": [
                {
                    "variant": "plain",
                    "kind": "durable execution",
                    "shown_by": "no finished effect was called again, at 2 places",
                }
            ],
        }
    ]


@pytest.mark.parametrize(
    ("broken", "old", "new", "test"),
    [
        (
            finished,
            "sorted(self.finished & later)",
            "sorted(self.finished - later)",
            test_results_that_are_given_back_are_durable_execution,
        ),
        # The held call counts as finished.
        (finished, '== "start"][:-1]', '== "start"]', test_the_call_under_way_may_be_made_again),
        # Only effects are looked at, and not calls.
        (
            kinds_module,
            "again = [text for one in seen for text in one.again]",
            'again = [text for one in seen for text in one.again if "one key" not in text]',
            test_a_key_does_not_make_durable_execution,
        ),
        (
            kinds_module,
            "for kind in (DURABLE, CHECKPOINTING)",
            "for kind in (CHECKPOINTING, DURABLE)",
            test_one_way_of_using_it_is_enough,
        ),
        (
            kinds_module,
            "if result.version == version",
            "if result.version",
            test_the_newest_version_decides,
        ),
    ],
)
def test_a_broken_rule_is_noticed(
    broken: ModuleType,
    old: str,
    new: str,
    test: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Mutants of the rule: each turns the test that is about it red."""
    text = Path(str(broken.__file__)).read_text(encoding="utf-8")
    assert text.count(old) == 1
    mutant = ModuleType("mutant")
    monkeypatch.setitem(sys.modules, mutant.__name__, mutant)
    exec(compile(text.replace(old, new), "mutant", "exec"), mutant.__dict__)
    if broken is finished:
        monkeypatch.setattr(kinds_module, "Seen", mutant.Seen)
    else:
        monkeypatch.setattr(f"{__name__}.kinds", mutant.kinds)
    with pytest.raises(AssertionError):
        test()
