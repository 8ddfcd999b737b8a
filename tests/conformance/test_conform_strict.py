"""``strict=True``: every hole of the drop-in's rules is closed, each shown by a planted defect."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from plugpull import Context, InjectedCrash, InjectedKill, conform
from plugpull.conformance.planted import INPUTS, PLANTED, Planted
from plugpull.conformance.report import UNJUDGED
from plugpull.errors import UsageError

Step = Callable[[Any, str], Any]


def _subject(step: Step, *, state: Callable[[Any], Any] | None = None) -> Callable[[Context], Any]:
    """A factory for a subject with a store per run, ``self.done``, and this ``step``."""
    stores: dict[str, list[str]] = {}

    class Subject:
        def __init__(self, ctx: Context) -> None:
            self.ctx = ctx
            self.done = stores.setdefault(ctx.run_id, [])

        def step(self, item: str) -> Any:
            return step(self, item)

    if state is not None:
        Subject.state = state  # type: ignore[attr-defined]
    return Subject


def _careful(self: Any, item: str) -> None:
    if item not in self.done:
        self.ctx.effect("charge", item, key=item)
        self.done.append(item)


def _kinds(factory: Callable[[Context], Any], inputs: Any = "ab", **more: Any) -> set[str]:
    return {one.kind for one in conform(factory, inputs, strict=True, **more).findings}


# -- planted defects -------------------------------------------------------------------------------


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
    kinds = {kind for planted in PLANTED for kind in planted.kinds}
    # It takes the code's old context, which the drop-in test covers.
    assert kinds >= UNJUDGED
    explained = Path(__file__).parents[2] / "docs" / "findings-explained.md"
    text = explained.read_text(encoding="utf-8")
    assert [kind for kind in sorted(kinds) if f"### {kind}\n" not in text] == []


# -- where it crashes, and what counts as an effect ------------------------------------------------


def test_it_crashes_before_and_after_each_effect() -> None:
    """C21: what was recorded at the crash is one less before the effect than after it."""
    seen: list[tuple[str, int]] = []
    run = _subject(_careful)

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

    report = conform(_subject(notes_first), "a", strict=True)
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
    assert not conform(_subject(_careful), "abc").passed
    assert conform(_subject(_careful), "abc", strict=True).passed


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

    assert _kinds(_subject(both)) == set()
    assert _kinds(_subject(forgets_the_mail)) == {"effect_lost"}


def test_keys_made_anew_and_kept_are_counted_not_compared() -> None:
    """A key that is random, but noted before it is used, is as good as a fixed one."""
    numbers = iter(range(1000))
    kept: dict[tuple[str, str], str] = {}

    def keeps_its_key(self: Any, item: str) -> None:
        if item not in self.done:
            key = kept.setdefault((self.ctx.run_id, item), f"key-{next(numbers)}")
            self.ctx.effect("charge", key=key)
            self.done.append(item)

    assert _kinds(_subject(keeps_its_key)) == set()


def test_an_empty_key_is_a_key() -> None:
    """As the provider has it: two calls with the key "" are one effect."""

    def empty(self: Any, item: str) -> None:
        if item not in self.done:
            self.ctx.effect("charge", key="")
            self.done.append(item)

    assert _kinds(_subject(empty), "a") == set()


@pytest.mark.parametrize("bad", [("", "k"), (7, "k"), ("charge", [1])])
def test_an_effect_that_no_provider_takes_is_an_error(bad: tuple[Any, Any]) -> None:
    """A name that is no text, or a key that cannot be compared, is said to be one."""
    kind, key = bad
    report = conform(_subject(lambda self, _: self.ctx.effect(kind, key=key)), "a", strict=True)
    assert [one.kind for one in report.findings] == ["baseline_crashed"]


# -- crashes that do not crash ---------------------------------------------------------------------


def _raises_another(self: Any, item: str) -> None:
    try:
        _careful(self, item)
    except InjectedCrash as error:
        msg = "the tool failed"
        raise ValueError(msg) from error


def _tries_again(self: Any, item: str) -> None:
    for attempt in (1, 2, 3):
        try:
            _careful(self, item)
        except InjectedCrash:
            if attempt == 3:
                raise


@pytest.mark.parametrize(
    ("step", "words"),
    [(_raises_another, "raised ValueError in its place"), (_tries_again, "tried again")],
)
def test_a_crash_that_was_caught_is_an_error_however_it_ends(step: Step, words: str) -> None:
    """What a dead process cannot do is no evidence; a crash that cannot be caught is."""
    report = conform(_subject(step), "ab", strict=True)
    assert {one.kind for one in report.errors} == {"crash_swallowed"}
    assert not report.failures
    assert words in str(report)
    assert _kinds(_subject(step), uncatchable=True) == set()


def test_catching_even_the_kill_is_an_error() -> None:
    """``except BaseException`` around the effect."""

    def catches_all(self: Any, item: str) -> None:
        try:
            _careful(self, item)
        except BaseException:  # noqa: BLE001
            return

    assert _kinds(_subject(catches_all), uncatchable=True) == {"crash_swallowed"}


def test_nothing_is_recorded_after_the_crash() -> None:
    """A swallowed crash leaves no effects behind that a dead process could not have had."""
    logs: dict[str, list[str]] = {}

    def swallows(self: Any, item: str) -> None:
        with suppress(InjectedCrash):
            self.ctx.effect("charge", key=item)
        logs[self.ctx.run_id] = self.ctx.effects.keys()

    conform(_subject(swallows), "abc", strict=True)
    assert logs["run-2"] == ["a", "b"]
    assert logs["run-2-before"] == ["a"]


def test_parallel_tools_may_all_die() -> None:
    """Threads and tasks that die beside the first one are no swallowed crash."""

    def in_threads(self: Any, item: str) -> None:
        with ThreadPoolExecutor(2) as pool:
            calls = [pool.submit(_careful, self, f"{item}{n}") for n in range(4)]
        for call in calls:
            call.result()

    async def in_tasks(self: Any, item: str) -> None:
        async def one(name: str) -> None:
            await asyncio.sleep(0)
            _careful(self, name)

        await asyncio.gather(*(one(f"{item}{n}") for n in range(4)))

    def as_set(self: Any) -> Any:
        return set(self.done)

    for step in (in_threads, in_tasks):
        for uncatchable in (False, True):
            report = conform(
                _subject(step, state=as_set), "ab", strict=True, uncatchable=uncatchable
            )
            assert report.crash_points == 16
            assert report.passed, str(report)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="exception groups came with Python 3.11")
def test_a_crash_in_a_task_group_is_a_crash() -> None:
    """A group that holds nothing but the crash has swallowed nothing."""

    async def in_group(self: Any, item: str) -> None:
        async def one(name: str) -> None:
            _careful(self, name)

        async with asyncio.TaskGroup() as group:  # type: ignore[attr-defined,unused-ignore]
            for number in range(2):
                group.create_task(one(f"{item}{number}"))

    for uncatchable in (False, True):
        assert _kinds(_subject(in_group), uncatchable=uncatchable) == set()


# -- what else goes wrong --------------------------------------------------------------------------


@pytest.mark.parametrize("raised", [ValueError("no"), SystemExit(3), asyncio.CancelledError()])
def test_whatever_a_resume_raises_is_a_finding(raised: BaseException) -> None:
    """C18: nothing of the subject's escapes; the place is named."""

    def chokes(self: Any, item: str) -> None:
        if item in self.done:
            raise raised
        _careful(self, item)

    report = conform(_subject(chokes), "ab", strict=True)
    assert {one.kind for one in report.findings} == {"resume_crashed", "effect_lost"}
    assert f"{type(raised).__name__}" in str(report)
    assert "test_conform_strict.py" in str(report)


def test_an_exception_that_depends_on_the_order_is_a_finding() -> None:
    """A resume that sees "a" again after "b" is how such a subject is found."""

    def minds_the_order(self: Any, item: str) -> None:
        if self.done and item < self.done[-1]:
            msg = f"{item} came after {self.done[-1]}"
            raise RuntimeError(msg)
        _careful(self, item)

    report = conform(_subject(minds_the_order), "abc", strict=True)
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
        conform(_subject(interrupted), "a", strict=True)


def test_a_subject_that_keeps_its_old_context_is_told_so() -> None:
    """One subject for all starts: its process has ended, and it goes on."""
    made: list[Any] = []

    def factory(ctx: Context) -> Any:
        made.append(_subject(_careful)(ctx))
        return made[0]

    report = conform(factory, "ab", strict=True)
    assert not report.passed
    # The first life's state is what the second one begins with.
    assert [one.kind for one in report.findings] == ["not_isolated"]

    def restarted(ctx: Context) -> Any:
        if ctx.run_id == "run-1" and made:
            return made.pop()
        subject = _subject(_careful)(ctx)
        if ctx.run_id == "run-1":
            made.append(subject)
        return subject

    made.clear()
    report = conform(restarted, "ab", strict=True)
    assert "of a process of run-1 that has ended" in str(report)
    assert {one.kind for one in report.findings} == {"resume_crashed", "effect_lost"}


# -- runs that reach into each other ---------------------------------------------------------------


def test_a_shared_store_is_found_by_its_effects_alone() -> None:
    """C21: without a state to compare, the second run's missing effects tell."""
    done: set[str] = set()

    class Subject:
        def __init__(self, ctx: Context) -> None:
            self._ctx = ctx

        def step(self, item: str) -> None:
            if item not in done:
                self._ctx.effect("charge", key=item)
                done.add(item)

    report = conform(Subject, "ab", strict=True)
    assert [one.kind for one in report.findings] == ["not_isolated"]
    assert "charge 2 and 0" in str(report)
    assert "chosen by ctx.run_id" in str(report)


def test_a_shared_store_that_would_hide_a_loss_is_found() -> None:
    """The effects come from the log and the state from the shared store: both look right."""
    done: set[str] = set()

    def asks(self: Any, item: str) -> None:
        if item not in self.ctx.effects.keys():  # noqa: SIM118
            self.ctx.effect("charge", key=item)
            done.add(item)

    assert _kinds(_subject(asks, state=lambda _: set(done))) == {"not_isolated"}


def test_inputs_that_are_changed_reach_into_the_next_run() -> None:
    """A subject that ticks off its inputs does not start afresh."""

    def ticks_off(self: Any, item: dict[str, bool]) -> None:
        if not item.get("done"):
            self.ctx.effect("charge")
            item["done"] = True

    assert _kinds(_subject(ticks_off), [{}, {}]) == {"not_isolated"}


def test_a_run_id_in_the_state_is_no_difference() -> None:
    """A path or a thread's name made from it is meant to differ."""

    def state(self: Any) -> Any:
        return {"db": Path("/runs") / f"{self.ctx.run_id}.db", "thread": self.ctx.run_id}

    assert _kinds(_subject(_careful, state=state)) == set()


def test_a_dead_process_holds_no_transaction(tmp_path: Path) -> None:
    """A real database: what the crashed life had open is rolled back before the resume."""

    class Subject:
        def __init__(self, ctx: Context) -> None:
            self.ctx = ctx
            self._db = sqlite3.connect(tmp_path / f"{ctx.run_id}.db", timeout=0)
            self._db.execute("CREATE TABLE IF NOT EXISTS done (item)")
            self._itself = self

        def step(self, item: str) -> None:
            with self._db:
                self._db.execute("BEGIN IMMEDIATE")
                if not self._db.execute("SELECT 1 FROM done WHERE item = ?", item).fetchone():
                    self._db.execute("INSERT INTO done VALUES (?)", item)
                    self.ctx.effect("charge", key=item)

        def state(self) -> Any:
            return self._db.execute("SELECT * FROM done ORDER BY item").fetchall()

    report = conform(Subject, "ab", strict=True)
    assert report.passed, str(report)


# -- async subjects, and mistakes ------------------------------------------------------------------


def test_async_subjects_are_waited_for() -> None:
    """A coroutine that nobody awaits would have no effects, and pass by that."""
    stores: dict[str, list[str]] = {}
    left: list[str] = []

    async def background() -> None:
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError:
            left.append("cancelled")
            raise

    class Subject:
        def __init__(self, ctx: Context) -> None:
            self._ctx = ctx
            self._done = stores.setdefault(ctx.run_id, [])
            self._task: Any = None

        async def step(self, item: str) -> None:
            self._task = self._task or asyncio.create_task(background())
            await asyncio.sleep(0)
            if item not in self._done:
                self._ctx.effect("charge", key=item)
                self._done.append(item)

        async def state(self) -> Any:
            return list(self._done)

    async def factory(ctx: Context) -> Subject:
        return Subject(ctx)

    report = conform(factory, "ab", strict=True)
    assert report.crash_points == 4
    assert report.passed, str(report)
    assert left == ["cancelled"] * 10
    assert conform(factory, "ab", "lenient").crash_points == 2


def test_inside_a_running_loop_the_way_out_is_named() -> None:
    """An event loop cannot wait for another one."""

    async def step(self: Any, item: str) -> None:
        self.ctx.effect("charge", key=item)

    async def test() -> None:
        conform(_subject(step), "a", strict=True)

    with pytest.raises(UsageError, match="not async def"):
        asyncio.run(test())


def test_uncatchable_needs_strict() -> None:
    """The drop-in's rules know one crash, which is a RuntimeError."""
    with pytest.raises(UsageError, match="strict=True"):
        conform(_subject(_careful), "a", uncatchable=True)
    assert not issubclass(InjectedKill, Exception)


def test_no_inputs_are_named_as_the_reason_for_no_effects() -> None:
    """An empty list of inputs is the likeliest mistake of a test."""
    assert "no inputs" in str(conform(_subject(_careful), [], strict=True))


def test_a_state_that_has_effects_is_an_error() -> None:
    """Looking at a subject must change nothing."""
    factory = _subject(_careful, state=lambda self: self.ctx.effect("looked"))
    report = conform(factory, "a", strict=True)
    assert [one.kind for one in report.findings] == ["baseline_crashed"]
    assert "state() is to be read" in str(report)
