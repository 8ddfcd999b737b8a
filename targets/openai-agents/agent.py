"""An order agent on the OpenAI Agents SDK, with its conversation in a Session.

The tool that charges the card needs a person's approval. The run pauses and its state is kept as
JSON; the person approves, adds a remark perhaps, and the run goes on. A process that takes the run
up again begins with the state that was kept. Where there is a Session, a run that its store fails
keeps its newest state as well:

* pause, approve, run again: https://openai.github.io/openai-agents-python/human_in_the_loop/
* add input before resuming: https://openai.github.io/openai-agents-python/results/
* a Session of one's own: https://openai.github.io/openai-agents-python/sessions/

Usage: ``python agent.py start | resume | inspect``. Set from outside:

``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the ``tool-call-id``.
``PLUGPULL_APPROVE``
    Whether the person approves ``all`` that waits, or one call after the other (``one-by-one``):
    then the run goes on with what is approved and pauses again, and that is kept too.
``PLUGPULL_BATCH``
    For how many charges the model asks in one turn.
``PLUGPULL_WORLD``
    What has changed since the run was saved: ``tool-schema-changed``, ``tool-removed`` or
    ``model-renamed``.
``PLUGPULL_STAGED_INPUT``
    The remark that is added to the paused run; without it there is none.
``PLUGPULL_STORE``
    Where the Session's store is; without it the run has no Session, and its history is in a file.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from agents import Agent, Model, ModelResponse, Runner, RunState, Tool, Usage, function_tool
from agents.memory import SessionABC
from agents.tool_context import ToolContext
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
)
from plugpull import record_effect
from plugpull.session_store import STORE_VARIABLE, StoreClient

ORDER = "order-42"
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


class FakeModel(Model):
    """Stand in for the language model: charges, then an answer.

    Like a real model it never says the same thing twice: each item has a new id and new wording.
    What failed it asks for again.
    """

    # The SDK hands over the first two by name or by place, and more from release to release.
    async def get_response(
        self,
        system_instructions: str | None,  # noqa: ARG002
        input: str | list[Any],  # noqa: A002
        *_: Any,
        **__: Any,
    ) -> ModelResponse:
        """Ask for each charge until its output is in the input, then thank the customer."""
        items = input if isinstance(input, list) else []
        calls = [item for item in items if item.get("type") == "function_call"]
        charged = {
            item["call_id"]
            for item in items
            if item.get("type") == "function_call_output" and "charged" in str(item["output"])
        }
        made = {
            json.loads(call["arguments"])["payment"] for call in calls if call["call_id"] in charged
        }
        missing = [one for one in (range(1, BATCH + 1) or [0]) if one not in made]
        output: list[Any] = [last_words(charged=not missing)]
        if missing and tools() and len(calls) < PATIENCE * max(BATCH, 1):
            output = [charge_request(payment) for payment in missing]
        return ModelResponse(output=output, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        """Streaming is not used here."""
        message = "this model answers in one piece"
        raise RuntimeError(message)


def charge_request(payment: int) -> ResponseFunctionToolCall:
    """The model's wish to make a payment."""
    memo = f"order 42, {uuid.uuid4().hex[:8]}"
    amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    return ResponseFunctionToolCall(
        id=f"fc_{uuid.uuid4().hex}",
        call_id=f"call_{uuid.uuid4().hex}",
        type="function_call",
        name="charge_card",
        arguments=json.dumps({**amount, "memo": memo, "payment": payment}),
        status="completed",
    )


def last_words(*, charged: bool) -> ResponseOutputMessage:
    """What the model says in the end."""
    said = "Your card was charged. Thank you!" if charged else "I could not charge your card."
    text = f"{said} ({uuid.uuid4().hex[:8]})"
    return ResponseOutputMessage(
        id=f"msg_{uuid.uuid4().hex}",
        type="message",
        role="assistant",
        status="completed",
        content=[ResponseOutputText(type="output_text", text=text, annotations=[])],
    )


class StoredSession(SessionABC):
    """A Session whose items are in a database on another machine."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.store = StoreClient(session_id)

    async def get_items(self, limit: int | None = None) -> list[Any]:
        """The newest ``limit`` items, or all of them, oldest first."""
        return await asyncio.to_thread(self.store.get_items, limit)

    async def add_items(self, items: list[Any]) -> None:
        """Append items."""
        await asyncio.to_thread(self.store.add_items, items)

    async def pop_item(self) -> Any:
        """Take the newest item back."""
        return await asyncio.to_thread(self.store.pop_item)

    async def clear_session(self) -> None:
        """Forget everything."""
        await asyncio.to_thread(self.store.clear)


# Without failure_error_function=None an exception becomes text for the model, and the run goes on
# as if the payment service had answered.
@function_tool(needs_approval=True, failure_error_function=None)
def charge_card(context: ToolContext[None], amount: int, memo: str, payment: int) -> str:
    """Charge the customer's card."""
    charge(context, payment)
    return f"charged ${amount} ({memo})"


@function_tool(name_override="charge_card", needs_approval=True, failure_error_function=None)
def charge_in_cents(context: ToolContext[None], cents: int, memo: str, payment: int) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    charge(context, payment)
    return f"charged {cents} cents ({memo})"


def charge(context: ToolContext[None], payment: int) -> None:
    """Call the payment service; where there are several payments, each has its own name there."""
    by_call = os.environ.get("PLUGPULL_KEY", "none") == "tool-call-id"
    name = f"charge_card_{payment}" if payment else "charge_card"
    record_effect(name, key=context.tool_call_id if by_call else None)


def tools() -> list[Tool]:
    """The agent's tools, in the world as it is now."""
    if WORLD == "tool-removed":
        return []
    return [charge_in_cents if WORLD == "tool-schema-changed" else charge_card]


AGENT = Agent(name="Shop", model=FakeModel(), tools=tools())


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])


def state_file() -> Path:
    """Where the paused or failed run is kept."""
    return workdir() / "state.json"


def answer_file() -> Path:
    """Where the final answer is kept: it is there when the run came to its end."""
    return workdir() / "answer.txt"


def history_file() -> Path:
    """Where the conversation is kept at the end of a run without a Session."""
    return workdir() / "history.json"


def save(state: RunState[Any, Any]) -> None:
    """Keep the state of the run for another process; a crash leaves the old one or the new one."""
    draft = state_file().with_suffix(".new")
    draft.write_text(json.dumps(state.to_json()), encoding="utf-8")
    draft.replace(state_file())


async def start(session: StoredSession | None) -> None:
    """Ask, wait for the person, and go on with their approval and remark."""
    paused = await Runner.run(AGENT, "Charge my card $42 for order 42.", session=session)
    state = paused.to_state()
    save(state)
    if "PLUGPULL_STAGED_INPUT" in os.environ:
        state.add_input(os.environ["PLUGPULL_STAGED_INPUT"])
    await approve(state, session)


async def approve(state: RunState[Any, Any], session: StoredSession | None) -> None:
    """Give the person's approval to whatever waits for it, and go on."""
    one_by_one = os.environ.get("PLUGPULL_APPROVE", "all") == "one-by-one"
    for question in state.get_interruptions()[: 1 if one_by_one else None]:
        state.approve(question)
    await go_on(state, session)


async def resume(session: StoredSession | None) -> None:
    """Take up the kept state. A run that failed before it was kept is asked again."""
    if not state_file().exists():
        await start(session)
        return
    state = await RunState.from_json(AGENT, json.loads(state_file().read_text(encoding="utf-8")))
    await approve(state, session)


async def go_on(state: RunState[Any, Any], session: StoredSession | None) -> None:
    """Run to the end or the next pause. If the Session's store fails, keep the state and fail."""
    try:
        result = await Runner.run(AGENT, state, session=session)
    except Exception:
        save(state)
        raise
    if result.interruptions:
        paused = result.to_state()
        save(paused)
        await approve(paused, session)
        return
    if session is None:
        history_file().write_text(json.dumps(result.to_input_list()), encoding="utf-8")
    record_effect("finish_order", key=ORDER)
    answer_file().write_text(str(result.final_output), encoding="utf-8")


def entry(item: dict[str, Any]) -> dict[str, str | None]:
    """What one stored item is: the user's words, a call, its answer, or the model's words."""
    kind = {
        "function_call": "call",
        "function_call_output": "answer",
        "user": "user",
        "assistant": "message",
    }.get(item.get("role") or item.get("type", ""), "system")
    return {"kind": kind, "id": item.get("call_id")}


async def inspect(session: StoredSession | None) -> None:
    """Look at what is stored."""
    if session is not None:
        report(await session.get_items())
    elif history_file().exists():
        report(json.loads(history_file().read_text(encoding="utf-8")))
    else:
        report([])


def report(items: list[Any]) -> None:
    """Write down what the conversation holds, and whether the run came to its end."""
    history = [entry(item) for item in items]
    finished = answer_file().exists()
    output = {"kinds": [one["kind"] for one in history], "closed": finished}
    schemas = {tool.name: getattr(tool, "params_json_schema", None) for tool in tools()}
    world = {"model": MODEL, "tools": schemas}
    text = json.dumps({"history": history, "finished": finished, "output": output, "world": world})
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(text, encoding="utf-8")


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    # No key is read and nothing is sent: the model is ours, and the SDK's tracing is off.
    os.environ["OPENAI_AGENTS_DISABLE_TRACING"] = "1"
    verbs = {"start": start, "resume": resume, "inspect": inspect}
    if verb not in verbs:
        message = f"unknown verb: {verb}"
        raise SystemExit(message)
    session = StoredSession(ORDER) if STORE_VARIABLE in os.environ else None
    asyncio.run(verbs[verb](session))


if __name__ == "__main__":
    main(sys.argv[-1])
