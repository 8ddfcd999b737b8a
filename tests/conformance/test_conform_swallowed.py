"""``strict=True``: a crash that did not crash is no evidence; what else is raised is a finding."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from plugpull import Context, InjectedCrash, conform
from small import Step, careful, kinds, small_subject


def _raises_another(self: Any, item: str) -> None:
    try:
        careful(self, item)
    except InjectedCrash as error:
        msg = "the tool failed"
        raise ValueError(msg) from error


def _tries_again(self: Any, item: str) -> None:
    for attempt in (1, 2, 3):
        try:
            careful(self, item)
        except InjectedCrash:
            if attempt == 3:
                raise


@pytest.mark.parametrize(
    ("step", "words"),
    [(_raises_another, "raised ValueError in its place"), (_tries_again, "tried again")],
)
def test_a_crash_that_was_caught_is_an_error_however_it_ends(step: Step, words: str) -> None:
    """What a dead process cannot do is no evidence; a crash that cannot be caught is."""
    report = conform(small_subject(step), "ab", strict=True)
    assert {one.kind for one in report.errors} == {"crash_swallowed"}
    assert not report.failures
    assert words in str(report)
    assert kinds(small_subject(step), uncatchable=True) == set()


def test_catching_even_the_kill_is_an_error() -> None:
    """``except BaseException`` around the effect."""

    def catches_all(self: Any, item: str) -> None:
        try:
            careful(self, item)
        except BaseException:  # noqa: BLE001
            return

    assert kinds(small_subject(catches_all), uncatchable=True) == {"crash_swallowed"}


def test_nothing_is_recorded_after_the_crash() -> None:
    """A swallowed crash leaves no effects behind that a dead process could not have had."""
    logs: dict[str, list[str]] = {}

    def swallows(self: Any, item: str) -> None:
        with suppress(InjectedCrash):
            self.ctx.effect("charge", key=item)
        logs[self.ctx.run_id] = self.ctx.effects.keys()

    conform(small_subject(swallows), "abc", strict=True)
    assert logs["run-2"] == ["a", "b"]
    assert logs["run-2-before"] == ["a"]


def test_parallel_tools_may_all_die() -> None:
    """Threads and tasks that die beside the first one are no swallowed crash."""

    def in_threads(self: Any, item: str) -> None:
        with ThreadPoolExecutor(2) as pool:
            calls = [pool.submit(careful, self, f"{item}{n}") for n in range(4)]
        for call in calls:
            call.result()

    async def in_tasks(self: Any, item: str) -> None:
        async def one(name: str) -> None:
            await asyncio.sleep(0)
            careful(self, name)

        await asyncio.gather(*(one(f"{item}{n}") for n in range(4)))

    def in_one_thread(self: Any, item: str) -> None:
        # The last to die in the thread is the first to be heard of.
        with ThreadPoolExecutor(1) as pool:
            calls = [pool.submit(careful, self, f"{item}{n}") for n in range(4)]
        for call in reversed(calls):
            call.result()

    def as_set(self: Any) -> Any:
        return set(self.done)

    for step in (in_threads, in_one_thread, in_tasks):
        for uncatchable in (False, True):
            report = conform(
                small_subject(step, state=as_set), "ab", strict=True, uncatchable=uncatchable
            )
            assert report.crash_points == 16
            assert report.passed, str(report)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with Python 3.11")
def test_a_crash_in_a_task_group_is_a_crash() -> None:
    """A group that holds nothing but the crash has swallowed nothing."""

    async def in_group(self: Any, item: str) -> None:
        async def one(name: str) -> None:
            careful(self, name)

        async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined,unused-ignore]
            for number in range(2):
                group.create_task(one(f"{item}{number}"))

    for uncatchable in (False, True):
        assert kinds(small_subject(in_group), uncatchable=uncatchable) == set()


@pytest.mark.parametrize("raised", [ValueError("no"), SystemExit(3), asyncio.CancelledError()])
def test_whatever_a_resume_raises_is_a_finding(raised: BaseException) -> None:
    """C18: nothing of the subject's escapes; the place is named."""

    def chokes(self: Any, item: str) -> None:
        if item in self.done:
            raise raised
        careful(self, item)

    try:
        report = conform(small_subject(chokes), "ab", strict=True)
    except BaseException as error:  # noqa: BLE001 - SystemExit would end the tests
        pytest.fail(f"it got through: {error!r}")
    assert {one.kind for one in report.findings} == {"resume_crashed", "effect_lost"}
    assert f"{type(raised).__name__}" in str(report)
    assert "(test_conform_swallowed.py:" in str(report)


def test_an_exception_that_depends_on_the_order_is_a_finding() -> None:
    """A resume that sees "a" again after "b" is how such a subject is found."""

    def minds_the_order(self: Any, item: str) -> None:
        if self.done and item < self.done[-1]:
            msg = f"{item} came after {self.done[-1]}"
            raise RuntimeError(msg)
        careful(self, item)

    report = conform(small_subject(minds_the_order), "abc", strict=True)
    assert [(one.kind, one.crash_after, one.when) for one in report.findings] == [
        *(("resume_crashed", 3, "before"), ("effect_lost", 3, "before")),
        ("resume_crashed", 3, "after"),
    ]


@pytest.mark.parametrize("raised", [KeyboardInterrupt, pytest.skip.Exception, GeneratorExit])
def test_ctrl_c_and_the_test_runners_words_get_through(raised: type[BaseException]) -> None:
    """They are not the subject's to raise, and not ours to keep."""

    def interrupted(self: Any, item: str) -> None:
        raise raised

    with pytest.raises(raised):
        conform(small_subject(interrupted), "a", strict=True)


def test_a_subject_that_keeps_its_old_context_is_told_so() -> None:
    """One subject for all starts: its process has ended, and it goes on."""
    made: list[Any] = []

    def factory(ctx: Context) -> Any:
        made.append(small_subject(careful)(ctx))
        return made[0]

    report = conform(factory, "ab", strict=True)
    assert not report.passed
    # The first life's state is what the second one begins with.
    assert [one.kind for one in report.findings] == ["not_isolated"]

    def restarted(ctx: Context) -> Any:
        if ctx.run_id == "run-1" and made:
            return made.pop()
        subject = small_subject(careful)(ctx)
        if ctx.run_id == "run-1":
            made.append(subject)
        return subject

    made.clear()
    report = conform(restarted, "ab", strict=True)
    assert "of a process of run-1 that has ended" in str(report)
    assert {one.kind for one in report.findings} == {"resume_crashed", "effect_lost"}
