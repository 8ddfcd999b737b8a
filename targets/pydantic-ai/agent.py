"""An order agent on Pydantic AI: a tool charges a card, then the order is closed.

Pydantic AI keeps no store of its own: the application takes the messages and hands them to the next
run. A run without a prompt first executes the calls its history ends on:

* https://pydantic.dev/docs/ai/core-concepts/message-history/
* https://pydantic.dev/docs/ai/core-concepts/agent/#iterating-over-an-agents-graph
* https://pydantic.dev/docs/ai/tools-toolsets/deferred-tools/#human-in-the-loop-tool-approval

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. What a variant of
target.json sets:

``PLUGPULL_HISTORY``
    When the messages are saved: at the run's end (``at-end``), there and whenever a run fails
    (``captured``), or at its nodes (``per-node``): before tools are called, and when they have
    answered. ``store`` and ``store-per-node``: the same in a ``ConversationStore``.
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the ``tool-call-id``.
``PLUGPULL_NEXT``
    What is done about calls without an answer before a new message: nothing (``plain``), the run
    goes on first (``resume``), or they are closed out (``repair``).
``PLUGPULL_RETRY``
    What is tried again: a ``tool`` that fails, or a ``model`` (there is another one to ask).
``PLUGPULL_EVENTS``
    What is streamed: the events of each ``node``, or ``all`` of the run.
``PLUGPULL_SIGTERM``
    ``cancel`` where SIGTERM cancels the run; else it ends the process.

``PLUGPULL_BATCH``, ``PLUGPULL_WORLD``, ``PLUGPULL_APPROVAL``, ``PLUGPULL_DECISIONS``,
``PLUGPULL_STREAM`` and ``PLUGPULL_STATE`` are the scenarios' own: see docs/add-a-target.md.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from approval import ask, decided
from history import Book, Conflict, FileBook, Given
from kept import described, kept
from plugpull import record_effect
from pydantic_ai import DeferredToolRequests
from report import inspect, report
from runs import run
from settings import EARLIER, HISTORY, KEEPS_CLASSES, NEXT, ORDER, QUESTION, REQUEST, STREAMED
from shop import SHOP
from streaming import stream


async def start(book: Book) -> None:
    """Begin the run, after an earlier turn if the application has something to remember."""
    if KEEPS_CLASSES:
        report({"classes": described(kept())})
        await go_on(book, REQUEST, await book.open(after=(await SHOP.run(EARLIER)).all_messages()))
    else:
        await go_on(book, REQUEST, await book.open())


async def resume(book: Book) -> None:
    """Go on from what is stored. A run of which nothing was stored is asked again."""
    if not await book.messages():
        await start(book)
    else:
        await go_on(book, None, await book.open())


async def approve(book: Book) -> None:
    """Go on from the pause with what the person has decided, if anything."""
    results = decided()
    given = await book.open(paused=True)
    await go_on(
        book, None, given if results is None else {**given, "deferred_tool_results": results}
    )


async def next_turn(book: Book) -> None:
    """Take a new message from the customer."""
    if NEXT == "resume":
        await resume(book)
    given = await book.open()
    if NEXT == "repair":
        from pydantic_ai.messages import repair_messages  # noqa: PLC0415 - from 2.53.0 on

        given = {"message_history": repair_messages(given["message_history"])}
    if await take_turn(book, QUESTION, given) is not None:
        record_effect("next_turn", key=f"{ORDER}-turn-2")


async def go_on(book: Book, prompt: str | None, given: Given) -> None:
    """Run to the end, and close the order; or to where a person is asked."""
    result = await take_turn(book, prompt, given)
    if result is not None and not isinstance(result.output, DeferredToolRequests):
        record_effect("finish_order", key=ORDER)


async def take_turn(book: Book, prompt: str | None, given: Given) -> Any:
    """Run, streamed or not, and keep what it came to; ``None`` for a run that was stopped."""
    try:
        result = await (stream if STREAMED else run)(prompt, given, book.keep)
        if result is None:
            return None
        if isinstance(result.output, DeferredToolRequests):
            await book.pause(result)
            ask(result.output)
        else:
            await book.close(result)
    except Conflict:
        # Somebody else has saved the conversation: go on from what they have.
        return await take_turn(book, None, await book.open())
    return result


def open_book() -> Book:
    """Where the conversation is kept."""
    if not HISTORY.startswith("store"):
        return FileBook()
    from conversations import StoreBook  # noqa: PLC0415 - with 2.66.0

    return StoreBook()


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
    asyncio.run(verbs[verb](open_book()))


if __name__ == "__main__":
    main(sys.argv[-1])
