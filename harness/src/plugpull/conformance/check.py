"""``conform``: crash a subject at every effect, start it again, compare with a run without a crash.

The rules here are those of crashresume 0.1.0, so that what was written for it goes on working; a
test holds both against each other. ``strict=True`` has rules of its own, in
:mod:`plugpull.conformance.strict`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

from plugpull.conformance.effects import Context, EffectLog, InjectedCrash
from plugpull.conformance.life import Factory, Life
from plugpull.conformance.report import ConformanceReport, Finding
from plugpull.conformance.state import is_empty, snapshot
from plugpull.conformance.strict import check_strictly
from plugpull.errors import UsageError

__all__ = ["conform"]


def conform(
    factory: Factory,
    inputs: Iterable[Any],
    run_id: str = "run",
    *,
    strict: bool = False,
    uncatchable: bool = False,
) -> ConformanceReport:
    """Check that a subject survives a crash at each of its effects.

    The subject runs once to its end. Then, for every effect of that run, it is made anew, crashed
    there, made anew once more as a restarted process would be, and given all inputs again.

    Args:
        factory: Makes the subject at each start. Called with a :class:`Context`; what has to
            survive a restart belongs into a store chosen by ``context.run_id``.
        inputs: What ``subject.step`` is called with, in order.
        run_id: The name of the run without a crash. Crash point ``k`` and its resume share
            ``run_id-k``.
        strict: Crash before each effect as well as after it; count effects as a provider with
            idempotency keys does; report what could not be judged instead of passing it. See
            docs/test-your-agent.md.
        uncatchable: With ``strict``, crash by an exception that ``except Exception`` does not
            catch, for frameworks that turn a tool's exceptions into messages.

    Raises:
        Exception: Without ``strict``, whatever the subject raises, apart from the injected crash.
        UsageError: ``uncatchable`` without ``strict``, or an ``async`` subject inside a running
            event loop.
    """
    items = list(inputs)
    if strict:
        return check_strictly(factory, items, run_id, uncatchable=uncatchable)
    if uncatchable:
        raise UsageError("uncatchable=True needs strict=True", then="pass both")
    baseline = EffectLog()
    baseline_state = _run(factory, items, Context(run_id, baseline))
    calls = len(baseline.effects)
    report = ConformanceReport(calls)
    for point in range(1, calls + 1):
        own_id, log = f"{run_id}-{point}", EffectLog()
        with suppress(InjectedCrash):
            _run(factory, items, Context(own_id, log, point), look=False)
        try:
            state = _run(factory, items, Context(own_id, log))
        except InjectedCrash:
            text = "resume run raised InjectedCrash again"
            report.findings.append(Finding("resume_crashed", point, text))
            continue
        _judge_keys(report, point, _keys(baseline), _keys(log))
        _judge_state(report, point, baseline_state, state)
    return report


def _run(factory: Factory, items: Sequence[Any], context: Context, *, look: bool = True) -> Any:
    life = Life()
    try:
        life.start(factory, context)
        life.work(items)
        return life.settle(snapshot(life.subject)) if look else None
    finally:
        life.end()


def _keys(log: EffectLog) -> list[str]:
    # An empty key is no key here.
    return [effect.key for effect in log.effects if effect.key]


def _judge_keys(
    report: ConformanceReport, point: int, baseline: Sequence[str], final: Sequence[str]
) -> None:
    def replayed(detail: str) -> None:
        report.findings.append(Finding("effect_replayed", point, detail))

    met: set[str] = set()
    for key in final:
        if key in met:
            replayed(f"key {key!r} issued more than once")
        met.add(key)
    usual, count = Counter(baseline), Counter(final)
    for key in sorted(key for key in count if count[key] > usual[key]):
        # Said once in a report, and by the text alone: that is what its users' reports look like.
        said = (one.detail for one in report.findings if one.kind == "effect_replayed")
        if not any(key in detail for detail in said):
            replayed(f"key {key!r} appears more often than in baseline")
    for key in sorted(usual.keys() - count.keys()):
        detail = f"key {key!r} never re-issued after resume"
        report.findings.append(Finding("effect_lost", point, detail))


def _judge_state(report: ConformanceReport, point: int, baseline: Any, final: Any) -> None:
    if baseline is None or final is None:
        return
    if is_empty(final) and not is_empty(baseline):
        detail = f"final state {final!r} is empty but baseline state was {baseline!r}"
        report.findings.append(Finding("state_lost", point, detail))
    elif final != baseline:
        detail = f"final state {final!r} != baseline {baseline!r}"
        report.findings.append(Finding("resume_diverged", point, detail))
