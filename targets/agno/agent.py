"""An order agent on Agno: a tool looks the order up, another one charges a card.

The framework saves a run in the agent's database when it ends, pauses or fails, or after each turn
of tools as well (``checkpoint="tool-batch"``); a new process goes on with it by its id:

* https://docs.agno.com/examples/agents/checkpointing/crash-recovery
* https://docs.agno.com/hitl/overview

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. What a variant of
target.json sets:

``PLUGPULL_CHECKPOINT``
    The agent's ``checkpoint``: ``runs`` (its default) or ``tool-batch``.
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the ``run-id``.
``PLUGPULL_CONTINUE``
    With what a paused run is continued: its ``run-id``, or the ``run-output`` that was returned.
``PLUGPULL_NEXT``
    ``resume`` where a run that did not end is continued before a new message; else ``plain``.
``PLUGPULL_RETRY``
    Who tries again: the ``model``'s call, or the ``agent``'s run. ``stop``: a tool that cannot be
    sure has the run stopped.

``PLUGPULL_BATCH``, ``PLUGPULL_WORLD``, ``PLUGPULL_APPROVAL``, ``PLUGPULL_DECISIONS``,
``PLUGPULL_STREAM`` and ``PLUGPULL_STATE`` are the scenarios' own: see docs/add-a-target.md.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from approval import decided, keep
from kept import described, kept
from plugpull import record_effect
from report import inspect, report
from settings import KEEPS_CLASSES, NEXT, ORDER, QUESTION, REQUEST, RUN, SESSION, STREAMED
from shop import build
from streaming import stream


async def start(shop: Any) -> None:
    """Begin the run, under an id that the application knows."""
    given: dict[str, Any] = {"session_id": SESSION, "run_id": RUN}
    if KEEPS_CLASSES:
        report({"classes": described(kept())})
        given["session_state"] = kept()
    await go_on(shop, shop.arun, REQUEST, **given)


async def resume(shop: Any) -> None:
    """Go on with the saved run. One of which nothing was saved is begun again."""
    run = await saved_run(shop)
    if run is None:
        await start(shop)
    elif run.is_paused:
        keep(run)
    elif status(run) == "COMPLETED":
        # A run that has ended is not continued but forked.
        record_effect("finish_order", key=ORDER)
    else:
        await go_on(shop, shop.acontinue_run, run_id=RUN, session_id=SESSION)


async def approve(shop: Any) -> None:
    """Go on from the pause with what the person has decided, if anything."""
    await go_on(shop, shop.acontinue_run, **decided())


async def next_turn(shop: Any) -> None:
    """Take a new message from the customer."""
    if NEXT == "resume":
        await resume(shop)
    result = await shop.arun(QUESTION, session_id=SESSION)
    refuse_failed(result)
    record_effect("next_turn", key=f"{ORDER}-turn-2")


async def saved_run(shop: Any) -> Any:
    """The run as it is saved; ``None`` where it is not."""
    session = await shop.aget_session(session_id=SESSION)
    return None if session is None else session.get_run(RUN)


async def go_on(shop: Any, run: Any, *given: Any, **named: Any) -> None:
    """Run to the end, and close the order; or to where a person is asked."""
    if STREAMED:
        events = run(*given, stream=True, stream_events=True, yield_run_output=True, **named)
        result = await stream(shop, events)
    else:
        result = await run(*given, **named)
    if result is None:
        return
    refuse_failed(result)
    if result.is_paused:
        keep(result)
    else:
        record_effect("finish_order", key=ORDER)


def refuse_failed(result: Any) -> None:
    """The framework returns a run that failed as it returns any other.

    Raises:
        SystemExit: This one failed, or was cancelled.
    """
    if status(result) in {"ERROR", "CANCELLED"}:
        message = f"the run ended with {status(result)}: {result.content}"
        raise SystemExit(message)


def status(run: Any) -> str:
    """How far a run has come."""
    return str(getattr(run.status, "value", run.status))


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    verbs = {
        "start": start,
        "resume": resume,
        "approve": approve,
        "next-turn": next_turn,
        "inspect": inspect,
    }
    if verb not in verbs:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)
    asyncio.run(verbs[verb](build()))


if __name__ == "__main__":
    main(sys.argv[-1])
