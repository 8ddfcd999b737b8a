"""``strict=True``: runs that reach into each other, async subjects, and mistakes."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from plugpull import Context, InjectedKill, conform
from plugpull.errors import UsageError
from small import careful, kinds, small_subject


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

    report = conform(small_subject(asks, state=lambda _: set(done)), "ab", strict=True)
    assert [one.kind for one in report.findings] == ["not_isolated"]
    assert report.crash_points == 0


def test_inputs_that_are_changed_reach_into_the_next_run() -> None:
    """A subject that ticks off its inputs does not start afresh."""

    def ticks_off(self: Any, item: dict[str, bool]) -> None:
        if not item.get("done"):
            self.ctx.effect("charge")
            item["done"] = True

    assert kinds(small_subject(ticks_off), [{}, {}]) == {"not_isolated"}


def test_a_run_id_in_the_state_is_no_difference() -> None:
    """A path or a thread's name made from it is meant to differ."""

    def state(self: Any) -> Any:
        return {"db": Path("/runs") / f"{self.ctx.run_id}.db", "thread": self.ctx.run_id}

    assert kinds(small_subject(careful, state=state)) == set()


def test_a_dead_process_holds_no_transaction(tmp_path: Path) -> None:
    """A real database: what the crashed life had open is rolled back before the resume."""

    class Subject:
        def __init__(self, ctx: Context) -> None:
            self.ctx = ctx
            self._db = sqlite3.connect(tmp_path / f"{ctx.run_id}.db", timeout=0)
            self._db.execute("CREATE TABLE IF NOT EXISTS done (item)")
            self._itself = self

        def step(self, item: str) -> None:
            # No "with": it would roll back by itself, as no killed process does.
            self._db.execute("BEGIN IMMEDIATE")
            if not self._db.execute("SELECT 1 FROM done WHERE item = ?", item).fetchone():
                self._db.execute("INSERT INTO done VALUES (?)", item)
                self.ctx.effect("charge", key=item)
            self._db.commit()

        def state(self) -> Any:
            return self._db.execute("SELECT * FROM done ORDER BY item").fetchall()

    report = conform(Subject, "ab", strict=True)
    assert report.passed, str(report)


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
        conform(small_subject(step), "a", strict=True)

    with pytest.raises(UsageError, match="not async def"):
        asyncio.run(test())


def test_uncatchable_needs_strict() -> None:
    """The drop-in's rules know one crash, which is a RuntimeError."""
    with pytest.raises(UsageError, match="strict=True"):
        conform(small_subject(careful), "a", uncatchable=True)
    assert not issubclass(InjectedKill, Exception)


def test_no_inputs_are_named_as_the_reason_for_no_effects() -> None:
    """An empty list of inputs is the likeliest mistake of a test."""
    assert "no inputs" in str(conform(small_subject(careful), [], strict=True))


def test_a_state_that_has_effects_is_an_error() -> None:
    """Looking at a subject must change nothing."""
    factory = small_subject(careful, state=lambda self: self.ctx.effect("looked"))
    report = conform(factory, "a", strict=True)
    assert [one.kind for one in report.findings] == ["baseline_crashed"]
    assert "state() is to be read" in str(report)
