"""One life of a subject: from the call of its factory to its end, with an event loop if needed."""

from __future__ import annotations

import inspect
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plugpull.conformance.effects import Context, InjectedKill
from plugpull.errors import UsageError

if TYPE_CHECKING:
    import asyncio

__all__ = ["Factory", "Life", "describe", "is_ours_to_judge", "leaves"]

#: Makes the subject as a fresh process would: any object with a method ``step(input)``.
Factory = Callable[[Context], Any]

_PACKAGE = str(Path(__file__).parents[1]) + os.sep


class Life:
    """The subject between one start and its end.

    ``async def`` factories, ``step`` and ``state`` are run to their end, all in one event loop
    per life, because that is what a process has.
    """

    def __init__(self) -> None:
        self.subject: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def start(self, factory: Factory, context: Context) -> None:
        """Call the factory."""
        self.subject = self.settle(factory(context))

    def work(self, inputs: Sequence[Any]) -> None:
        """Hand it every input, in order."""
        for item in inputs:
            self.settle(self.subject.step(item))

    def settle(self, value: Any) -> Any:
        """The value itself, or what a coroutine comes to.

        Raises:
            UsageError: Called from within a running event loop, which cannot be waited for.
        """
        if not inspect.iscoroutine(value):
            return value
        import asyncio  # noqa: PLC0415 - subjects without async do not pay for it

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            pass
        else:
            value.close()
            raise UsageError(
                "conform cannot wait for an async subject from inside a running event loop",
                then="call it in a plain function: def test_...(conform), not async def",
            )
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
        return self._loop.run_until_complete(value)

    def end(self) -> None:
        """Let go of the subject, which has closed nothing, and of what it left in its loop."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            self.subject = None
        loop, self._loop = self._loop, None
        if loop is None:
            return
        import asyncio  # noqa: PLC0415

        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions in a group, or the exception itself."""
    # Asked by attribute: before 3.11 groups come from packages of their own.
    inner = getattr(error, "exceptions", None)
    if isinstance(inner, tuple) and inner:
        for each in inner:
            yield from leaves(each)
    else:
        yield error


def is_ours_to_judge(error: BaseException) -> bool:
    """Whether an exception is the subject's, not Ctrl-C's nor the test runner's."""
    if isinstance(error, UsageError):
        return False
    cancelled = getattr(sys.modules.get("asyncio"), "CancelledError", SystemExit)
    return all(
        isinstance(each, (Exception, InjectedKill, SystemExit, cancelled)) for each in leaves(error)
    )


def describe(error: BaseException) -> str:
    """An exception in one line, with the place where the subject, not plugpull, raised it."""
    first = next(leaves(error))
    said = " ".join(str(first).split())
    name = type(first).__name__
    text = f"{name}: {said}" if said else name
    frames = [
        frame
        for frame in traceback.extract_tb(first.__traceback__)
        if not frame.filename.startswith(_PACKAGE)
    ]
    if frames:
        last = frames[-1]
        text += f" ({Path(last.filename).name}:{last.lineno}, in {last.name})"
    return text
