"""An order agent on Google ADK: a tool charges a card, then the order is closed.

The app is resumable: what a run does is appended to its session event by event, and a new process
goes on with it by the invocation's id, which stands in each event:

* https://google.github.io/adk-docs/runtime/resume/
* https://google.github.io/adk-docs/tools-custom/confirmation/

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. What a variant of
target.json sets:

``PLUGPULL_SERVICE``
    The session service: ``sqlite`` (``SqliteSessionService``) or ``database``
    (``DatabaseSessionService``, on SQLite too).
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the
    ``function-call-id``.
``PLUGPULL_ASKS``
    How a person is asked: by a tool's ``confirmation``, or by a ``long-running`` tool of its own.
``PLUGPULL_NEXT``
    What is done about an unfinished invocation before a new message: nothing (``plain``), or it is
    gone on with first (``resume``).
``PLUGPULL_RETRY``
    ``tool`` where a tool that fails is tried again.
``PLUGPULL_STOP``
    How a streamed run is stopped whose client has gone: its events are closed (``close``), or it is
    aborted (``abort``).

``PLUGPULL_BATCH``, ``PLUGPULL_WORLD``, ``PLUGPULL_APPROVAL``, ``PLUGPULL_DECISIONS``,
``PLUGPULL_STREAM`` and ``PLUGPULL_STATE`` are the scenarios' own: see docs/add-a-target.md.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

from approval import ask, decided
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.runners import Runner
from google.adk.sessions import BaseSessionService
from google.genai import types
from history import ended
from kept import described, kept
from plugpull import record_effect
from report import inspect, report
from sessions import open_sessions, place, stored
from settings import KEEPS_CLASSES, NEXT, ORDER, QUESTION, REQUEST, STOP, STREAMED
from shop import app
from streaming import send


async def start(sessions: BaseSessionService) -> None:
    """Begin the conversation."""
    if KEEPS_CLASSES:
        report({"classes": described(kept())})
    if await stored(sessions) is None:
        await sessions.create_session(**place())
    await go_on(sessions, new_message=said(REQUEST))


async def resume(sessions: BaseSessionService) -> None:
    """Go on with the last invocation. A run of which nothing was stored is asked again."""
    session = await stored(sessions)
    if session is None or not session.events:
        await start(sessions)
    else:
        await go_on(sessions, invocation_id=session.events[-1].invocation_id)


async def approve(sessions: BaseSessionService) -> None:
    """Go on from the pause with what the person has decided, if anything."""
    await go_on(sessions, **decided())


async def next_turn(sessions: BaseSessionService) -> None:
    """Take a new message from the customer."""
    if NEXT == "resume":
        await resume(sessions)
    if await take_turn(sessions, new_message=said(QUESTION)):
        record_effect("next_turn", key=f"{ORDER}-turn-2")


async def go_on(sessions: BaseSessionService, **given: Any) -> None:
    """Run to the end, and close the order; or to where a person is asked."""
    if await take_turn(sessions, **given):
        record_effect("finish_order", key=ORDER)


async def take_turn(sessions: BaseSessionService, **given: Any) -> bool:
    """Run, streamed or not; whether the conversation came to an end."""
    runner = Runner(app=app(), session_service=sessions)
    abort = asyncio.Event() if STOP == "abort" else None
    if abort is not None:
        given["abort_signal"] = abort
    mode = StreamingMode.SSE if STREAMED else StreamingMode.NONE
    events = runner.run_async(
        **{key: value for key, value in place().items() if key != "app_name"},
        **given,
        run_config=RunConfig(streaming_mode=mode),
    )
    if STREAMED:
        await send(events, abort)
    else:
        async for _ in events:
            pass
    session = await stored(sessions)
    history = session.events if session else []
    return not ask(history) and ended(history)


def said(text: str) -> types.Content:
    """What the customer says."""
    return types.Content(role="user", parts=[types.Part(text=text)])


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
    asyncio.run(verbs[verb](open_sessions()))


if __name__ == "__main__":
    main(sys.argv[-1])
