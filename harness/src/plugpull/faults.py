"""The agent's side of a fault point: where a target lets itself be interrupted.

A tool's call to the provider is a fault point by itself. What happens elsewhere inside a process,
a save, an answer of the model, a piece of a stream, has to be announced, and this is how: the
target says ``fault("model:after-tool")`` and waits for word. Word comes over the provider's socket,
so that the kernel tells the harness which process stands at the point, and a process that is killed
there was there. No target breaks itself.

Only the points that a scenario asks about are announced (``PLUGPULL_FAULTS``); at all others, and
outside plugpull, nothing happens at once.
"""

from __future__ import annotations

import os
from types import TracebackType

from plugpull.effects import PROVIDER_VARIABLE
from plugpull.wire import call

__all__ = [
    "CANCEL",
    "CLOSE",
    "FAIL",
    "FAULTS_VARIABLE",
    "GO_ON",
    "StoreWrite",
    "fault",
    "store_write",
]

#: Environment variable with the beginnings of the points that are asked about, between commas.
FAULTS_VARIABLE = "PLUGPULL_FAULTS"

#: Nothing happens here.
GO_ON = "go-on"
#: The call that the point stands for fails: :func:`fault` raises.
FAIL = "fail"
#: The client has gone, and the task that works for it is cancelled.
CANCEL = "cancel"
#: The client wants no more of the stream, which is closed as the framework's documentation says.
CLOSE = "close"


def fault(point: str) -> str:
    """Stand at a fault point and wait for word.

    Args:
        point: Its name, made from what happens there and not from a count: ``model:after-tool``.

    Returns:
        :data:`GO_ON`, or :data:`CANCEL` or :data:`CLOSE` where the target follows a client.

    Raises:
        ConnectionError: What happens here fails, as a service's answer that never comes.
    """
    asked = os.environ.get(FAULTS_VARIABLE, "")
    if not any(point.startswith(one) for one in asked.split(",") if one):
        return GO_ON
    answer = call(os.environ[PROVIDER_VARIABLE], {"fault": point})
    word = str(answer.get("do", ""))
    if word == FAIL:
        msg = f"no connection to the service behind {point}"
        raise ConnectionError(msg)
    if word not in {GO_ON, CANCEL, CLOSE}:
        msg = f"the harness answered {answer!r} at the fault point {point}"
        raise ValueError(msg)
    return word


class StoreWrite:
    """One write to a store that the framework lets its users plug in: see :func:`store_write`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        fault(f"write:{self._name}:begin")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # A write that failed by itself has no end of which anybody could be told.
        if error is None:
            fault(f"write:{self._name}:end")


def store_write(name: str) -> StoreWrite:
    """Wrap a write, so that it can be lost, or be made and not acknowledged, or be killed in.

    ::

        def put(self, config, checkpoint, metadata, new_versions):
            with store_write(f"save:{metadata['step']}"):
                return super().put(config, checkpoint, metadata, new_versions)

    Args:
        name: What is written, by its content and never by its number: ``save:`` and a step, or
            ``writes:`` and the kinds, where a framework stores a step's results by themselves.

    Raises:
        ConnectionError: On entry: the write is lost, and must not be made. On exit: it was made,
            and its acknowledgement is lost.
    """
    return StoreWrite(name)
