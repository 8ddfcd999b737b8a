"""Subjects with a known defect each, and two without: what the selftest is run on."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from plugpull.conformance.effects import Context
from plugpull.conformance.life import Factory

__all__ = ["INPUTS", "PLANTED", "Planted"]

#: What each subject is to work on.
INPUTS = ("order-1", "order-2", "order-3")

Store = dict[str, Any]


class Orders:
    """Charges each order under a key of its own, and then notes that it is done."""

    def __init__(self, ctx: Context, store: Store) -> None:
        self.ctx = ctx
        self.store = store
        store.setdefault("done", [])

    def step(self, order: str) -> None:
        """Charge one order, unless it is done."""
        if order not in self.store["done"]:
            self.charge(order)
            self.store["done"].append(order)

    def charge(self, order: str) -> None:
        """Call the payment service."""
        self.ctx.effect("charge", order, key=f"charge-{order}")

    def state(self) -> dict[str, Any]:
        """What has to be the same after a restart."""
        return {"done": list(self.store["done"])}


class _Asking(Orders):
    def charge(self, order: str) -> None:
        if f"charge-{order}" not in self.ctx.effects.keys():  # noqa: SIM118 - no dict
            super().charge(order)


class _Keyless(Orders):
    def charge(self, order: str) -> None:
        self.ctx.effect("charge", order)


class _FreshKey(Orders):
    attempts = itertools.count()

    def charge(self, order: str) -> None:
        self.ctx.effect("charge", order, key=f"attempt-{next(self.attempts)}")


class _NotesFirst(Orders):
    def step(self, order: str) -> None:
        if order not in self.store["done"]:
            self.store["done"].append(order)
            self.charge(order)


class _Forgetful(_Asking):
    def step(self, order: str) -> None:
        if f"charge-{order}" in self.ctx.effects.keys():  # noqa: SIM118 - no dict
            return
        self.charge(order)
        self.store["done"].append(order)


class _ForgetsAll(Orders):
    def __init__(self, ctx: Context, store: Store) -> None:
        super().__init__(ctx, store)
        store["starts"] = store.get("starts", 0) + 1

    def state(self) -> dict[str, Any]:
        return {"done": [] if self.store["starts"] > 1 else self.store["done"]}


class _Apologises(Orders):
    def __init__(self, ctx: Context, store: Store) -> None:
        if store:
            ctx.effect("apology", key="apology")
        super().__init__(ctx, store)


class _ChokesOnItsPast(Orders):
    def step(self, order: str) -> None:
        if order in self.store["done"]:
            msg = f"{order} is done already"
            raise ValueError(msg)
        super().step(order)


class _Catches(Orders):
    def charge(self, order: str) -> None:
        try:
            super().charge(order)
        except Exception as error:  # noqa: BLE001 - that is the defect
            self.store["error"] = str(error)


class _Silent(Orders):
    def charge(self, order: str) -> None:
        """Tell nobody."""


class _Broken(Orders):
    def charge(self, order: str) -> None:
        msg = f"no money for {order}"
        raise ValueError(msg)


class _BreaksWhenWatched(Orders):
    def charge(self, order: str) -> None:
        # The first two runs are those without a crash.
        if self.ctx.run_id not in ("run", "run-again"):
            msg = f"no money for {order}"
            raise ValueError(msg)
        super().charge(order)


class _StopsWhenWatched(Orders):
    def charge(self, order: str) -> None:
        if self.ctx.run_id in ("run", "run-again"):
            super().charge(order)


class _Moody(Orders):
    moods = itertools.count()

    def state(self) -> dict[str, Any]:
        return {**super().state(), "mood": next(self.moods) if self.store["done"] else 0}


class _ShowsItsLock(Orders):
    def state(self) -> dict[str, Any]:
        return {**super().state(), "lock": object()}


def _kept(kind: Callable[[Context, Store], Any]) -> Factory:
    """A factory with one store per run, as it should be."""
    stores: dict[str, Store] = {}
    return lambda ctx: kind(ctx, stores.setdefault(ctx.run_id, {}))


def _shared(kind: Callable[[Context, Store], Any]) -> Factory:
    """A factory with one store for all runs."""
    store: Store = {}
    return lambda ctx: kind(ctx, store)


@dataclass(frozen=True, slots=True)
class Planted:
    """A subject whose findings are known.

    Attributes:
        about: What it does.
        factory: Makes its factory, with stores of its own.
        kinds: The kinds of finding it has to have, and no others; empty: it has to pass.
        strict: By which rules.
        uncatchable: Whether the crash cannot be caught by ``except Exception``.
    """

    about: str
    factory: Callable[[], Factory]
    kinds: frozenset[str]
    strict: bool = True
    uncatchable: bool = False


def _planted() -> Iterator[Planted]:
    def subject(
        about: str, kind: Callable[[Context, Store], Any], *kinds: str, **more: bool
    ) -> Planted:
        return Planted(about, lambda: _kept(kind), frozenset(kinds), **more)

    yield subject("asks what has happened before it charges", _Asking, strict=False)
    yield subject("charges again on resume", Orders, "effect_replayed", strict=False)
    yield subject(
        "keeps its notes in memory only", _ForgetsAll, "effect_replayed", "state_lost", strict=False
    )
    yield subject("does not note what it finds done", _Forgetful, "resume_diverged", strict=False)
    yield subject("charges with a stable key", Orders)
    yield subject("charges without a key", _Keyless, "effect_duplicated")
    yield subject("charges with a new key at each attempt", _FreshKey, "effect_duplicated")
    yield subject("notes that it has charged before it does", _NotesFirst, "effect_lost")
    yield subject("keeps its notes in memory only", _ForgetsAll, "state_lost")
    yield subject("does not note what it finds done", _Forgetful, "resume_diverged")
    yield subject("sends one more mail when it is resumed", _Apologises, "effect_unexpected")
    yield subject("chokes on what it finds done", _ChokesOnItsPast, "resume_crashed", "effect_lost")
    yield subject("catches the crash", _Catches, "crash_swallowed")
    yield subject("would catch the crash, and cannot", _Catches, uncatchable=True)
    yield subject("has no effects", _Silent, "no_effects")
    yield subject("fails without a crash", _Broken, "baseline_crashed")
    yield subject("fails only where it is to be crashed", _BreaksWhenWatched, "run_crashed")
    yield subject("stops where it is to be crashed", _StopsWhenWatched, "crash_not_reached")
    yield subject("never ends the same way", _Moody, "not_repeatable")
    yield subject("shows what cannot be compared", _ShowsItsLock, "state_not_comparable")
    about = "finds what an earlier run has left"
    yield Planted(about, lambda: _shared(Orders), frozenset({"not_isolated"}))


#: All of them, those by crashresume's rules first.
PLANTED = tuple(_planted())
