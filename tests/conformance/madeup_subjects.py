"""Subjects drawn by lot, each the same in every run, to hold two checkers against each other."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Plan"]

#: What ``state()`` makes of the list of finished inputs; the names stand for having no state().
SHAPES = [list, tuple, sorted, set, frozenset, len, lambda _: None, "attributes", "slots"]


@dataclass(frozen=True, slots=True)
class Call:
    """One effect of a step.

    Attributes:
        kind: Its name.
        key: Its key, a format of the input and of the number of the start; ``None``: none.
        catches: Whether the subject catches the crash there.
    """

    kind: str
    key: str | None
    catches: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """How a subject behaves. Covers all that the rules look at, and more than is sensible.

    Attributes:
        inputs: What it is to work on.
        calls: The effects of each input.
        skips: What it looks at to see whether something is done: ``never``, ``log``, ``notes``,
            ``both``.
        notes_first: Whether it notes an input before its effects.
        shared: Whether all runs share one store.
        reused: Whether a resume gets the subject that crashed, with its old context.
        forgets: Whether its notes are gone when it is started again.
        exhausted: Whether it does nothing when it is started again.
        shape: See :data:`SHAPES`.
    """

    inputs: list[str]
    calls: dict[str, list[Call]]
    skips: str
    notes_first: bool
    shared: bool
    reused: bool
    forgets: bool
    exhausted: bool
    shape: Any

    @classmethod
    def drawn(cls, seed: int) -> Plan:
        """The plan of that number."""
        dice = random.Random(seed)
        inputs = [f"i{number}" for number in range(dice.randint(0, 4))]
        keys = dice.choice([("{0}",), ("same", "{0}"), ("", "{0}"), ("{0}-{1}",), ("{1}", "{0}")])
        calls = {
            item: [
                Call(dice.choice("ab"), dice.choice([*keys, None]), dice.random() < 0.3)
                for _ in range(dice.randint(0, 2))
            ]
            for item in inputs
        }
        seldom = [dice.random() < 0.15 for _ in range(4)]
        skips = dice.choice(["never", "log", "notes", "both"])
        return cls(inputs, calls, skips, dice.random() < 0.5, *seldom, dice.choice(SHAPES))

    def factory(self) -> Callable[[Any], Any]:
        """A factory with stores of its own."""
        stores: dict[str, dict[str, Any]] = {}
        subjects: dict[str, Any] = {}
        kind: Any = {"attributes": Subject, "slots": Slotted}.get(str(self.shape), Stateful)

        def make(ctx: Any) -> Any:
            store = stores.setdefault("all" if self.shared else ctx.run_id, {"n": 0, "done": []})
            subject = kind(self, ctx, store)
            return subjects.setdefault(ctx.run_id, subject) if self.reused else subject

        return make


class Subject:
    """Does what its plan says; shows its attributes."""

    def __init__(self, plan: Plan, ctx: Any, store: dict[str, Any]) -> None:
        self.ctx = ctx
        self._plan = plan
        store["n"] += 1
        self._start = store["n"]
        if plan.forgets and self._start > 1:
            store["done"] = []
        self.done = store["done"]

    def step(self, item: str) -> None:
        """Work on one input."""
        if self._plan.exhausted and self._start > 1:
            return
        if self._plan.skips in ("notes", "both") and item in self.done:
            return
        if self._plan.notes_first:
            self.done.append(item)
        for call in self._plan.calls[item]:
            self._call(item, call)
        if not self._plan.notes_first:
            self.done.append(item)

    def _call(self, item: str, call: Call) -> None:
        key = None if call.key is None else call.key.format(item, self._start)
        if self._plan.skips in ("log", "both") and key in list(self.ctx.effects.keys()):
            return
        try:
            self.ctx.effect(call.kind, item, key=key)
        except RuntimeError:
            if not call.catches:
                raise


class Stateful(Subject):
    """The same, with a state."""

    def state(self) -> Any:
        """The finished inputs, in some shape."""
        return self._plan.shape(self.done)


class Slotted:
    """The same, with nothing to show."""

    __slots__ = ("step",)

    def __init__(self, plan: Plan, ctx: Any, store: dict[str, Any]) -> None:
        self.step = Subject(plan, ctx, store).step
