"""Small subjects for the tests of the strict rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from plugpull import Context, conform

__all__ = ["Step", "careful", "kinds", "small_subject"]

Step = Callable[[Any, Any], Any]


def small_subject(
    step: Step, *, state: Callable[[Any], Any] | None = None
) -> Callable[[Context], Any]:
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


def careful(self: Any, item: str) -> None:
    """Charge with a stable key, and then note it: good by the strict rules."""
    if item not in self.done:
        self.ctx.effect("charge", item, key=item)
        self.done.append(item)


def kinds(factory: Callable[[Context], Any], inputs: Any = "ab", **more: Any) -> set[str]:
    """The kinds of finding that a subject has by the strict rules."""
    return {one.kind for one in conform(factory, inputs, strict=True, **more).findings}
