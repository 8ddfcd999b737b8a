"""An order agent on Strands Agents: a tool charges a card, then the order is closed.

The conversation is saved by a session manager. An agent that is built again with the same session
has it back, and goes on when it is called: without a prompt, or with one.

* https://strandsagents.com/docs/user-guide/sdk/agents/session-management/
* https://strandsagents.com/docs/api/python/strands.experimental.checkpoint.checkpoint/
* https://strandsagents.com/docs/user-guide/sdk/interrupts/

Usage: ``python agent.py start | resume | approve | next-turn | inspect``. What is set from outside
is in ``settings.py``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from approval import keep_pause, rounds
from plugpull import record_effect
from report import inspect
from sessions import kind_of
from settings import (
    CONTINUE,
    ORDER,
    QUESTION,
    REQUEST,
    STREAMED,
    TOLD_TO_CONTINUE,
    workdir,
)
from shop import build
from streaming import stream


def start() -> None:
    """Begin the run and take it to its end, or to where it waits for a human."""
    finish(run(build(), REQUEST))


def resume() -> None:
    """Go on with what is saved. A run of which nothing was saved is asked again.

    One that ends with the model's words is over: an agent that is called then would ask the model
    for more of them.
    """
    agent = build()
    kept = workdir() / "checkpoint.json"
    if not agent.messages:
        finish(run(agent, REQUEST))
    elif kind_of(agent.messages[-1]) == "message":
        record_effect("finish_order", key=ORDER)
    elif TOLD_TO_CONTINUE:
        finish(run(agent, CONTINUE))
    elif kept.exists():
        finish(run(agent, from_checkpoint(json.loads(kept.read_text(encoding="utf-8")))))
    else:
        finish(run(agent, None))


def approve() -> None:
    """Hand in what a human decided, and go on."""
    agent = build()
    for responses in rounds():
        finish(run(agent, responses))


def next_turn() -> None:
    """Say something new in the same conversation."""
    run(build(), QUESTION)
    record_effect("next_turn", key=f"{ORDER}-turn-2")


def run(agent: Any, prompt: Any) -> Any:
    """Call the agent, streamed or not; with checkpoints, again and again until it is done."""
    if STREAMED:
        return asyncio.run(stream(agent, prompt))
    result = agent(prompt)
    while result.stop_reason == "checkpoint":
        kept = workdir() / "checkpoint.json"
        draft = kept.with_suffix(".new")
        draft.write_text(json.dumps(result.checkpoint.to_dict()), encoding="utf-8")
        draft.replace(kept)
        result = agent(from_checkpoint(result.checkpoint.to_dict()))
    return result


def from_checkpoint(checkpoint: dict[str, Any]) -> dict[str, Any]:
    """What an agent is called with that is to go on from a checkpoint."""
    return {"checkpointResume": {"checkpoint": checkpoint}}


def finish(result: Any) -> None:
    """Close the order, or write down what the run waits for."""
    if result is not None and result.stop_reason == "interrupt":
        keep_pause(result.interrupts)
    elif result is not None:
        record_effect("finish_order", key=ORDER)


VERBS = {
    "start": start,
    "resume": resume,
    "approve": approve,
    "next-turn": next_turn,
    "inspect": inspect,
}

if __name__ == "__main__":
    if sys.argv[-1] not in VERBS:
        message = f"unknown verb: {sys.argv[-1]}"
        raise SystemExit(message)
    VERBS[sys.argv[-1]]()
