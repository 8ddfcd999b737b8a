"""An order agent on the OpenAI Agents SDK.

The tool that charges the card needs a person's approval. The run pauses and its state is kept as
JSON; the person approves, adds a remark perhaps, and the run goes on. A process that takes the run
up again begins with the state that was kept. A run that fails keeps its newest state as well:

* pause, approve, run again: https://openai.github.io/openai-agents-python/human_in_the_loop/
* add input before resuming: https://openai.github.io/openai-agents-python/results/
* a Session: https://openai.github.io/openai-agents-python/sessions/
* streams, and how they are stopped: https://openai.github.io/openai-agents-python/streaming/

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. The person decides at
once, unless there is an approval to wait for (``PLUGPULL_APPROVAL``): then ``start`` ends at the
pause. What a variant of target.json sets:

``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the ``tool-call-id``.
``PLUGPULL_APPROVE``
    Whether the person approves ``all`` that waits, or one call after the other (``one-by-one``):
    then the run goes on with what is approved and pauses again, and that is kept too.
``PLUGPULL_SESSION``
    ``sqlite`` for the SDK's own Session; else the application keeps the history at a run's end.
``PLUGPULL_GATE``
    ``no`` for tools that need nobody's approval.
``PLUGPULL_KEEP``
    When the state is kept: at each ``pause``, or ``always``, which is whenever a run fails too.
``PLUGPULL_WRITES``
    Which writes announce themselves: those of the ``session``, or ``all``, the state's too.
``PLUGPULL_NEXT``
    How a new message gets in: as a ``new-run``, or as ``input`` for the kept state.
``PLUGPULL_STOP``
    How a stream is stopped: ``immediate`` or ``after-turn``.
``PLUGPULL_CONTEXT``
    What the application's context is: an ``object``, or one with a ``serializer`` of its own.
``PLUGPULL_GUARD``
    ``yes`` for an agent with a guardrail on its output, and tools that may end a run.
``PLUGPULL_NAMES``
    ``same`` where the agent that is a tool has the name of the agent that calls it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from agents import Runner
from agents.tracing import set_trace_provider
from agents.tracing.provider import DefaultTraceProvider
from approval import decide, decide_all
from desk import KEPT, context, describe
from model import QUESTION, STREAMED
from order import APPROVAL, ORDER, REQUEST, SHOP
from plugpull import record_effect
from report import inspect, report
from saved import State, answer_file, load, load_history, save, save_history, state_file
from sessions import Session, open_session
from streaming import STOP, stream

KEEP = os.environ.get("PLUGPULL_KEEP", "always")


async def start(session: Session | None) -> None:
    """Ask, wait for the person, and go on with their approval and remark."""
    if KEPT:
        report({"classes": describe(context())})
    result = await run(REQUEST, session, context=context())
    if result is None or not result.interruptions:
        finish(result, session)
        return
    state = result.to_state()
    await save(state)
    if APPROVAL:
        return
    if "PLUGPULL_STAGED_INPUT" in os.environ:
        state.add_input(os.environ["PLUGPULL_STAGED_INPUT"])
    decide_all(state)
    await go_on(state, session)


async def resume(session: Session | None) -> None:
    """Take up the kept state. A run that failed before it was kept is asked again."""
    if not state_file().exists():
        await start(session)
        return
    state = await load()
    if not APPROVAL:
        decide_all(state)
    await go_on(state, session)


async def approve(session: Session | None) -> None:
    """Take up the kept state with what the person has decided, if anything."""
    state = await load()
    decide(state)
    await go_on(state, session)


async def go_on(state: State, session: Session | None) -> None:
    """Run to the end or the next pause. If that fails, keep the newest state and fail."""
    try:
        result = await run(state, session)
    except Exception:
        if KEEP == "always":
            await save(state)
        raise
    if result is None or not result.interruptions:
        finish(result, session)
        return
    paused = result.to_state()
    await save(paused)
    if not APPROVAL:
        decide_all(paused)
        await go_on(paused, session)


async def next_turn(session: Session | None) -> None:
    """Take a new message from the customer."""
    waits = state_file().exists() and not answer_file().exists()
    if os.environ.get("PLUGPULL_NEXT") == "input" and waits:
        state = await load()
        state.add_input(QUESTION)
        decide_all(state)
        await go_on(state, session)
    elif session is None:
        result = await Runner.run(SHOP, [*load_history(), {"role": "user", "content": QUESTION}])
        save_history(result.to_input_list())
    else:
        await Runner.run(SHOP, QUESTION, session=session)
    record_effect("next_turn", key=f"{ORDER}-turn-2")


async def run(given: Any, session: Session | None, **options: Any) -> Any:
    """Run, streamed or not; ``None`` for a stream that did not come to its end."""
    if not STREAMED:
        return await Runner.run(SHOP, given, session=session, **options)
    running = await stream(given, session=session, **options)
    if running.cut_off:
        return None
    if running.stopped and running.result.final_output is None:
        if STOP == "after_turn":
            await save(running.result.to_state())
        return None
    return running.result


def finish(result: Any, session: Session | None) -> None:
    """Close the order, unless the run was stopped before its end."""
    if result is None:
        return
    if session is None:
        save_history(result.to_input_list())
    record_effect("finish_order", key=ORDER)
    answer_file().write_text(str(result.final_output), encoding="utf-8")


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    # No key is read and nothing is sent: the model is ours, and the SDK's tracing is off. With a
    # provider of our own it does not even make the client that would send the traces.
    os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
    set_trace_provider(DefaultTraceProvider())
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
    asyncio.run(verbs[verb](open_session(ORDER)))


if __name__ == "__main__":
    main(sys.argv[-1])
