"""The strict rules: a pass means that the subject was really crashed, everywhere, and held.

Two runs without a crash come first. They have to be alike, or nothing that differs later can be
blamed on a crash: the second one shows what leaks from run to run, and what is never the same
twice. Then each effect is a crash point twice, before and after the provider took it.
"""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from plugpull.conformance.effects import EffectLog, InjectedCrash, InjectedKill
from plugpull.conformance.judging import Tally, judge_tally, tally
from plugpull.conformance.life import Factory
from plugpull.conformance.mortal import MortalContext
from plugpull.conformance.picture import holds_nothing
from plugpull.conformance.report import AFTER, BEFORE, ConformanceReport, Finding
from plugpull.conformance.watching import Seen, differ, watch

__all__ = ["check_strictly"]

_ISOLATE = "give every run a store of its own, chosen by ctx.run_id"
_SWALLOWED = {
    InjectedCrash: "a process that is killed cannot: let InjectedCrash through, or pass "
    "uncatchable=True if a framework catches it",
    InjectedKill: "a process that is killed cannot: do not catch BaseException",
}

_Findings = Iterator[tuple[str, str]]


def check_strictly(
    factory: Factory, items: Sequence[Any], run_id: str, *, uncatchable: bool
) -> ConformanceReport:
    """Check a subject by the strict rules; the arguments are those of ``conform``."""
    try:
        return _check(factory, items, run_id, InjectedKill if uncatchable else InjectedCrash)
    finally:
        _bury()


def _check(
    factory: Factory, items: Sequence[Any], run_id: str, crash: type[InjectedCrash | InjectedKill]
) -> ConformanceReport:
    report = ConformanceReport()
    baseline = _Unfaulted.of(factory, items, run_id)
    report.findings.extend(Finding(kind, 0, detail) for kind, detail in _usable(baseline, items))
    if baseline.seen.problem or not baseline.calls:
        return report
    again = _Unfaulted.of(factory, items, f"{run_id}-again")
    unlike = [Finding(kind, 0, detail) for kind, detail in _unlike(baseline, again)]
    report.findings.extend(unlike)
    if unlike:
        return report
    for number in range(1, baseline.calls + 1):
        for when in (BEFORE, AFTER):
            own_id = f"{run_id}-{number}" if when == AFTER else f"{run_id}-{number}-before"
            log = EffectLog()
            dying = MortalContext(own_id, log, number, when=when, crash=crash)
            report.crash_points += 1
            report.findings.extend(
                Finding(kind, number, detail, when)
                for kind, detail in _crash(factory, items, dying, baseline, again)
            )
    return report


@dataclass(frozen=True, slots=True)
class _Unfaulted:
    """A run without a crash.

    Attributes:
        seen: The subject's life.
        calls: How many effects it asked for.
        effects: Its effects, counted.
    """

    seen: Seen
    calls: int
    effects: Tally

    @classmethod
    def of(cls, factory: Factory, items: Sequence[Any], run_id: str) -> _Unfaulted:
        context = MortalContext(run_id, EffectLog())
        seen = watch(factory, items, context)
        return cls(seen, context.calls, tally(context.effects.effects))


def _usable(baseline: _Unfaulted, items: Sequence[Any]) -> _Findings:
    """Whether there is anything to crash and to compare with."""
    if baseline.seen.problem:
        yield "baseline_crashed", f"the run without a crash failed: {baseline.seen.problem}"
    elif not baseline.calls:
        met = "if it met what an earlier check had left, empty the store or pass another run_id"
        cause = f"report them by ctx.effect; {met}" if items else "it was given no inputs"
        yield "no_effects", f"the subject has no effect to be crashed at: {cause}"
    elif baseline.seen.blurred:
        yield "state_not_comparable", baseline.seen.blurred


def _unlike(baseline: _Unfaulted, again: _Unfaulted) -> _Findings:
    """How a second run without a crash differs from the first one."""
    one, other = baseline.seen.run_id, again.seen.run_id
    both = f"{one} and {other}, both without a crash,"
    isolate = f"if {other} met what {one} had left, {_ISOLATE}"
    leaked = differ(baseline.seen, again.seen, at_start=True)
    if leaked:
        yield "not_isolated", f"{other} began with what {one} had left: {leaked}; {_ISOLATE}"
        return
    if again.seen.problem:
        failed = f"a second run without a crash, {other}, failed: {again.seen.problem}"
        yield "not_repeatable", f"{failed}; {isolate}"
        return
    names = dict.fromkeys([*baseline.effects.names, *again.effects.names])
    had = {name: (baseline.effects.count(name), again.effects.count(name)) for name in names}
    changed = [f"{name} {one} and {two}" for name, (one, two) in had.items() if one != two]
    if changed:
        kind = "not_isolated" if all(two <= one for one, two in had.values()) else "not_repeatable"
        yield kind, f"{both} had different effects: {', '.join(changed)}; {isolate}"
        return
    drifted = "" if baseline.seen.blurred else differ(baseline.seen, again.seen)
    if drifted:
        advice = f"leave out of state() what is never the same; {isolate}"
        yield "not_repeatable", f"{both} ended in different states: {drifted}; {advice}"


def _crash(
    factory: Factory,
    items: Sequence[Any],
    dying: MortalContext,
    baseline: _Unfaulted,
    again: _Unfaulted,
) -> _Findings:
    """One crash, one resume, and what they came to."""
    crashed = watch(factory, items, dying)
    leaked = differ(baseline.seen, crashed, at_start=True)
    if leaked:
        one, other = baseline.seen.run_id, dying.run_id
        yield "not_isolated", f"{other} did not begin as {one} did: {leaked}; {_ISOLATE}"
    elif not dying.died and crashed.problem:
        yield "run_crashed", f"it failed before it came to the crash: {crashed.problem}"
    elif not dying.died:
        ended = f"the run ended after {dying.calls} effects and was never crashed"
        yield "crash_not_reached", f"{ended}; if it met what another run had left, {_ISOLATE}"
    elif dying.outlived:
        yield "crash_swallowed", f"{dying.outlived}; {_SWALLOWED[dying.crash]}"
    else:
        _bury()
        resumed = watch(factory, items, MortalContext(dying.run_id, dying.effects))
        if resumed.problem:
            yield "resume_crashed", f"the resumed run failed: {resumed.problem}"
        effects = tally(dying.effects.effects)
        yield from judge_tally(baseline.effects, again.effects, effects)
        if not resumed.problem and not baseline.seen.blurred:
            yield from _judge_state(baseline.seen, resumed)


def _bury() -> None:
    """Let go of what a dead process held, an open transaction perhaps, as the kernel would.

    Nobody has closed anything. That is what a crash is, and no reason to warn.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def _judge_state(baseline: Seen, resumed: Seen) -> _Findings:
    if resumed.blurred:
        yield "state_not_comparable", resumed.blurred
        return
    differing = differ(baseline, resumed)
    if not differing:
        return
    had_something = baseline.ended is not None and not holds_nothing(baseline.ended)
    if had_something and (resumed.ended is None or holds_nothing(resumed.ended)):
        yield "state_lost", f"nothing is left of the state: {differing}"
    else:
        yield "resume_diverged", differing
