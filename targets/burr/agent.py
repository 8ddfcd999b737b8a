"""An order agent on Burr: an action charges a card, then the order is closed.

Burr saves the state after each action. Another process loads it and goes on with the action that
comes next, or with the one that failed:

* https://burr.apache.org/concepts/state-persistence/
* https://burr.apache.org/concepts/state-machine/
* https://burr.apache.org/concepts/streaming-actions/

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. What a variant of
target.json sets:

``PLUGPULL_STORE``
    ``sqlite`` or ``tracker``: where the state is saved.
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, the ``step`` (the
    application's id and the sequence id, which Burr gives the action), or the ``call-id`` that the
    model has made and the state holds.
``PLUGPULL_TOOLS``
    Who makes the calls of a turn: ``one-action``, or ``parallel`` applications.
``PLUGPULL_RESUME``
    ``next-action``, or ``entrypoint``: with ``resume_at_next_action=False``.
``PLUGPULL_NEXT``
    What a new message begins with: the run goes on first (``resume``), or it does not (``plain``).
``PLUGPULL_SERDE``
    Whether the application's classes are ``registered``.

``PLUGPULL_BATCH``, ``PLUGPULL_WORLD``, ``PLUGPULL_APPROVAL``, ``PLUGPULL_DECISIONS``,
``PLUGPULL_STREAM`` and ``PLUGPULL_STATE`` are the scenarios' own: see docs/add-a-target.md.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from burr.core.application import Application
from graph import HALT, shop
from kept import described, kept
from plugpull import fault, record_effect
from report import at_rest, inspect, report
from settings import KEEPS_CLASSES, NEXT, ORDER, QUESTION, REQUEST, STORE, STREAMED
from stores import open_store, open_tracker

Inputs = dict[str, Any]


def open_shop() -> tuple[Application[Any], Any]:
    """The application where its saved state is, and what it is saved in."""
    if STORE == "tracker":
        tracker = open_tracker()
        return shop(tracker).with_tracker(tracker, params=None).build(), tracker
    persister = open_store()
    return shop(persister).with_state_persister(persister).build(), persister


def run(app: Application[Any], inputs: Inputs | None = None) -> None:
    """Run to where something is needed from outside."""
    if not STREAMED:
        app.run(halt_before=HALT, inputs=inputs)
        return
    answered = False
    for step, results in app.stream_iterate(halt_before=HALT, inputs=inputs):
        answered = answered or step.name == "tools"
        for _piece in results:
            fault("chunk:last-answer" if answered else "chunk:first-answer")


def start(app: Application[Any]) -> None:
    """Begin with what the customer says."""
    if KEEPS_CLASSES:
        app.update_state(app.state.update(**kept()))
        report({"classes": described(kept())})
    run(app, {"message": REQUEST})
    finish(app)


def resume(app: Application[Any]) -> None:
    """Go on with what is stored; a run of which nothing was stored is begun."""
    if not app.state["messages"]:
        start(app)
        return
    if not at_rest(app):
        run(app)
    finish(app)


def approve(app: Application[Any]) -> None:
    """Go on with what a person has decided, if anything."""
    decided = json.loads(os.environ.get("PLUGPULL_DECISIONS", "[]"))
    run(app, {"decisions": decided} if decided else {})
    finish(app)


def next_turn(app: Application[Any]) -> None:
    """Take a new message from the customer."""
    if NEXT == "resume":
        resume(app)
    run(app, {"message": QUESTION})
    record_effect("next_turn", key=f"{ORDER}-turn-2")


def finish(app: Application[Any]) -> None:
    """Close the order, if the model has nothing more to do for it."""
    if at_rest(app):
        record_effect("finish_order", key=ORDER)


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    verbs = {"start": start, "resume": resume, "approve": approve, "next-turn": next_turn}
    app, persister = open_shop()
    if verb == "inspect":
        inspect(app, persister)
    elif verb in verbs:
        verbs[verb](app)
    else:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)


if __name__ == "__main__":
    main(sys.argv[-1])
