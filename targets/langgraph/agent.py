"""An order agent on LangGraph: one tool charges a card, then the order is closed.

The agent is written in both of LangGraph's APIs (graph.py, functional.py). Its checkpoints are in
an SQLite file, so that another process can go on with the run, and going on is
``invoke(None, config)`` with the same thread id:

* https://docs.langchain.com/oss/python/langgraph/persistence
* https://docs.langchain.com/oss/python/langgraph/durable-execution

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. Set from outside:

``PLUGPULL_API``
    ``graph``, or ``functional``: https://docs.langchain.com/oss/python/langgraph/choosing-apis
``PLUGPULL_DURABILITY``
    ``async`` (LangGraph's default), ``sync`` or ``exit``: what is saved when.
    https://docs.langchain.com/oss/python/langgraph/checkpointers#durability-modes
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the ``tool-call-id``.
    ``ledger-first`` is the mistaken cure: no key, but a note of one's own written before the call.
``PLUGPULL_DISPATCH``
    How a turn with several calls is run: by one ``node`` for all of them, or by one task for each,
    made with ``send``, as the prebuilt agents do.
    https://docs.langchain.com/oss/python/langgraph/graph-api#send
``PLUGPULL_RETRY``
    Whether LangGraph tries failed model calls (``model``) or tools (``tool``) again.
``PLUGPULL_TOOL_ERRORS``
    Whether a tool's error ends the run (``raise``) or is its answer (``to-model``).
``PLUGPULL_ANSWERS``
    How a human's answer reaches its question: ``plain``, or ``by-id``.
``PLUGPULL_REPAIR``
    What is done about calls without an answer before a new message: ``none``, ``answer`` them, or
    ``resume`` the run that was cut off.
``PLUGPULL_SERIALIZER``
    ``default``, or ``allow-list``: which classes may be made again from a checkpoint.

``PLUGPULL_BATCH``, ``PLUGPULL_WORLD``, ``PLUGPULL_APPROVAL``, ``PLUGPULL_DECISIONS``,
``PLUGPULL_STREAM`` and ``PLUGPULL_STATE`` are the scenarios' own: see docs/add-a-target.md.
"""

from __future__ import annotations

import inspect
import sys
from typing import Any

import functional
import graph
import streaming
from approval import decide, keep_questions
from kept import described, kept
from langchain_core.messages import HumanMessage
from plugpull import record_effect
from saver import opened
from settings import API, CONFIG, DURABILITY, KEEPS_CLASSES, ORDER, REPAIR, STREAMED
from shutdown import Drained, drained_by_sigterm
from stored import report, report_stored
from unanswered import answers_for_unanswered

build = functional.build if API == "functional" else graph.build


def durability(app: Any) -> dict[str, Any]:
    """The argument that sets the durability, as the installed release spells it.

    ``durability`` came with 0.6.0. From 0.3.27 to 0.5 there was ``checkpoint_during``, whose
    ``True`` is today's ``async``; before that nothing could be chosen, and checkpoints were saved
    in the background as ``async`` saves them. Waiting for a save is new in 0.6.0.

    Raises:
        SystemExit: The release cannot do what was asked for.
    """
    known = inspect.signature(app.invoke).parameters
    if "durability" in known:
        return {"durability": DURABILITY}
    if DURABILITY != "async":
        message = f"this LangGraph has no durability={DURABILITY!r}: it came with 0.6.0"
        raise SystemExit(message)
    return {"checkpoint_during": True} if "checkpoint_during" in known else {}


def go_on(app: Any, given: Any) -> None:
    """Run until the end, or until a human is asked; ``None`` goes on from where the run is."""
    options = {**durability(app), **drained_by_sigterm()}
    try:
        if STREAMED:
            streaming.stream(app, build, given, options)
        else:
            app.invoke(given, CONFIG, **options)
    except Drained as stopped:
        # The checkpoint is saved; the next process goes on from there.
        print(f"stopped: {stopped}", file=sys.stderr)
    else:
        keep_questions(app.get_state(CONFIG))


def start(app: Any) -> None:
    """Begin the run."""
    request: dict[str, Any] = {"messages": [HumanMessage("Charge my card $42 for order 42.")]}
    if KEEPS_CLASSES:
        request |= kept()
        report({"classes": described(request)})
    go_on(app, request)


def take_next_turn(app: Any) -> None:
    """Send a new message in the same conversation: a new input on the same thread.

    https://docs.langchain.com/oss/python/langgraph/add-memory
    """
    if REPAIR == "resume":
        go_on(app, None)
    repair = answers_for_unanswered(app.get_state(CONFIG)) if REPAIR == "answer" else []
    go_on(app, {"messages": [*repair, HumanMessage("Is my order on its way?")]})
    record_effect("next_turn", key=f"{ORDER}-turn-2")


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    with opened() as checkpointer:
        app = build(checkpointer)
        if verb == "start":
            start(app)
        elif verb == "resume":
            go_on(app, None)
        elif verb == "approve":
            decide(app, lambda given: go_on(app, given))
        elif verb == "next-turn":
            take_next_turn(app)
        elif verb == "inspect":
            report_stored(app)
        else:
            message = f"unknown verb: {verb}"
            raise SystemExit(message)


if __name__ == "__main__":
    main(sys.argv[-1])
