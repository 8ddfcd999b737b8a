"""An order as a flow of CrewAI: the model is asked, the card is charged, the order is closed.

CrewAI saves the state of a flow with ``@persist``. A flow that is begun with the id of another run
has that state, and takes its methods from the start; the same state can begin a run with an id of
its own. With a checkpoint the methods that have ended are not taken again:

* https://docs.crewai.com/en/concepts/flows#flow-persistence
* https://docs.crewai.com/en/concepts/checkpointing

Usage: ``python agent.py start | resume | approve | inspect``. What a variant of target.json sets:

``PLUGPULL_SAVED``
    What is gone on with: ``persist``, ``fork`` (the same, under a new id), or
    ``checkpoint-by-hand``: those that CrewAI writes by itself come late, and may end the run.
``PLUGPULL_KEY``
    What the method sends the payment service as idempotency key: ``none``, the ``flow-id`` of the
    state, or the ``call-id`` that the model has made.
"""

from __future__ import annotations

import asyncio
import sys

from crewai.flow.persistence import persist
from kept import described, kept
from order import OrderFlow
from report import inspect, report
from settings import APPROVAL, KEEPS_CLASSES, ORDER, SAVED, STREAMED
from stores import newest_checkpoint, newest_id, persistence, set_newest_id
from streaming import stream


def run(*, restore: bool) -> None:
    """Take the flow to its end, from its start or from where it is."""
    if SAVED == "checkpoint-by-hand":
        OrderFlow().kickoff(
            inputs={"id": ORDER}, from_checkpoint=newest_checkpoint() if restore else None
        )
    elif SAVED == "fork" and restore:
        forked = persist(persistence())(OrderFlow)()
        forked.kickoff(restore_from_state_id=newest_id())
        set_newest_id(forked.state.id)
    elif APPROVAL and STREAMED:
        asyncio.run(stream(persist(persistence())(asking())(), {"id": ORDER}))
    elif APPROVAL:
        persist(persistence())(asking())().kickoff(inputs={"id": ORDER})
    else:
        persist(persistence())(OrderFlow)().kickoff(inputs={"id": ORDER})


def asking() -> type:
    """The flow that asks a person."""
    from approval import AskingFlow  # noqa: PLC0415

    return AskingFlow


def main(verb: str) -> None:
    """Start the flow, go on with it in another process, or look at what is stored."""
    if verb == "inspect":
        inspect()
    elif verb == "approve":
        from approval import approve  # noqa: PLC0415

        store = persistence()
        approve(persist(store)(asking()), store)
    elif verb in {"start", "resume"}:
        if KEEPS_CLASSES and verb == "start":
            report({"classes": described(kept())})
        run(restore=verb == "resume")
    else:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)


if __name__ == "__main__":
    main(sys.argv[-1])
