"""An order agent on LangGraph: one tool charges a card, then the order is closed.

The graph is the one LangGraph's own pages build: a node that asks the model, a ``ToolNode``, and
an edge back. Its checkpoints are in an SQLite file, so that another process can go on with the
run, and going on is ``invoke(None, config)`` with the same thread id:

* https://docs.langchain.com/oss/python/langgraph/persistence
* https://docs.langchain.com/oss/python/langgraph/durable-execution

Usage: ``python agent.py start | resume | inspect``. Set from outside:

``PLUGPULL_DURABILITY``
    ``async`` (LangGraph's default) or ``sync``: whether a step waits until the checkpoint before
    it is saved. https://docs.langchain.com/oss/python/langgraph/checkpointers
``PLUGPULL_KEY``
    What the tool sends the payment service as idempotency key: ``none``, or the ``tool-call-id``.
    ``ledger-first`` is the mistaken cure: no key, but a note of one's own written before the call.
``PLUGPULL_DISPATCH``
    How a turn with several calls is run: by one ``node`` for all of them, or by one task for each,
    made with ``send``, as the prebuilt agents do.
    https://docs.langchain.com/oss/python/langgraph/graph-api#send
``PLUGPULL_BATCH``
    For how many charges the model asks in one turn.
``PLUGPULL_WORLD``
    What has changed since the run was saved: ``tool-schema-changed``, ``tool-removed`` or
    ``model-renamed``.
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool, InjectedToolCallId, tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from langgraph.types import Send
from plugpull import record_effect

ORDER = "order-42"
BATCH = int(os.environ.get("PLUGPULL_BATCH", "0"))
WORLD = os.environ.get("PLUGPULL_WORLD", "")
MODEL = "shop-2" if WORLD == "model-renamed" else "shop-1"

# After so many turns with calls that failed the model gives up.
PATIENCE = 3


class OrderState(MessagesState):
    """The conversation, and whether the order was closed."""

    closed: bool


@tool
def charge_card(
    amount: int, memo: str, payment: int, tool_call_id: Annotated[str, InjectedToolCallId]
) -> str:
    """Charge the customer's card."""
    charge(payment, tool_call_id)
    return f"charged ${amount} ({memo})"


@tool("charge_card")
def charge_in_cents(
    cents: int, memo: str, payment: int, tool_call_id: Annotated[str, InjectedToolCallId]
) -> str:
    """Charge the customer's card: what ``charge_card`` has become in another world."""
    charge(payment, tool_call_id)
    return f"charged {cents} cents ({memo})"


def charge(payment: int, tool_call_id: str) -> None:
    """Call the payment service; where there are several payments, each has its own name there."""
    kind = os.environ.get("PLUGPULL_KEY", "none")
    if kind == "ledger-first":
        ledger = workdir() / "ledger.txt"
        if ledger.exists():
            return
        ledger.write_text(ORDER, encoding="utf-8")
    name = f"charge_card_{payment}" if payment else "charge_card"
    record_effect(name, key=tool_call_id if kind == "tool-call-id" else None)


def tools() -> list[BaseTool]:
    """The agent's tools, in the world as it is now."""
    if WORLD == "tool-removed":
        return []
    return [charge_in_cents if WORLD == "tool-schema-changed" else charge_card]


def ask_model(state: OrderState) -> dict[str, Any]:
    """Stand in for the language model: charges, then an answer.

    Like a real model it never says the same thing twice: each call has a new id and new wording.
    What failed it asks for again.
    """
    said = state["messages"]
    turns = [one for one in said if isinstance(one, AIMessage) and one.tool_calls]
    failed = {one.tool_call_id for one in said if isinstance(one, ToolMessage) and failure(one)}
    calls = [call for turn in turns for call in turn.tool_calls]
    made = {call["args"]["payment"] for call in calls if call["id"] not in failed}
    missing = [one for one in (range(1, BATCH + 1) or [0]) if one not in made]
    wording = uuid.uuid4().hex[:8]
    if missing and tools() and len(turns) < PATIENCE:
        answer = AIMessage("", tool_calls=[wish(payment, wording) for payment in missing])
    elif missing:
        answer = AIMessage(f"I could not charge your card. ({wording})")
    else:
        answer = AIMessage(f"Your card was charged. Thank you! ({wording})")
    answer.response_metadata = {"model_name": MODEL}
    return {"messages": [answer]}


def failure(message: ToolMessage) -> bool:
    """Whether a call came to nothing."""
    return message.status == "error"


def wish(payment: int, wording: str) -> ToolCall:
    """The model's wish to make a payment."""
    amount = {"cents": 4200} if WORLD == "tool-schema-changed" else {"amount": 42}
    return ToolCall(
        name="charge_card",
        args={**amount, "memo": f"order 42, {wording}", "payment": payment},
        id=f"call_{uuid.uuid4().hex}",
    )


def close_order(state: OrderState) -> dict[str, Any]:  # noqa: ARG001
    """End the run: tell the shop that the order is done. Safe to repeat, thanks to its key."""
    record_effect("finish_order", key=ORDER)
    return {"closed": True}


def next_node(state: OrderState) -> str | list[Send]:
    """Run the tools that the model asked for, or close the order."""
    last = state["messages"][-1]
    if not isinstance(last, AIMessage) or not last.tool_calls:
        return "close"
    if os.environ.get("PLUGPULL_DISPATCH", "node") == "send":
        return [Send("tools", [{**call, "type": "tool_call"}]) for call in last.tool_calls]
    return "tools"


def build(checkpointer: Any) -> Any:
    """Compile the graph on a checkpointer."""
    graph = StateGraph(OrderState)
    graph.add_node("model", ask_model)
    # A failing payment must end the run; by default some releases turn it into text for the model.
    graph.add_node("tools", ToolNode(tools(), handle_tool_errors=False))
    graph.add_node("close", close_order)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", next_node, ["tools", "close"])
    graph.add_edge("tools", "model")
    graph.add_edge("close", END)
    return graph.compile(checkpointer=checkpointer)


def durability(app: Any) -> dict[str, Any]:
    """The argument that sets the durability, as the installed release spells it.

    ``durability`` came with 0.6.0. From 0.3.27 to 0.5 there was ``checkpoint_during``, whose
    ``True`` is today's ``async``; before that nothing could be chosen, and checkpoints were saved
    in the background as ``async`` saves them. Waiting for a save is new in 0.6.0.

    Raises:
        SystemExit: The release cannot do what was asked for.
    """
    mode = os.environ.get("PLUGPULL_DURABILITY", "async")
    known = inspect.signature(app.invoke).parameters
    if "durability" in known:
        return {"durability": mode}
    if mode != "async":
        message = f"this LangGraph has no durability={mode!r}: it came with 0.6.0"
        raise SystemExit(message)
    return {"checkpoint_during": True} if "checkpoint_during" in known else {}


def workdir() -> Path:
    """The folder that outlives this process."""
    return Path(os.environ["PLUGPULL_WORKDIR"])


def entries(message: AnyMessage) -> list[dict[str, str | None]]:
    """What one stored message is: the user's words, a call, its answer, or the model's words."""
    if isinstance(message, ToolMessage):
        return [{"kind": "answer", "id": message.tool_call_id}]
    if isinstance(message, AIMessage):
        calls: list[dict[str, str | None]] = [
            {"kind": "call", "id": call["id"]} for call in message.tool_calls
        ]
        return calls or [{"kind": "message", "id": None}]
    return [{"kind": "user" if isinstance(message, HumanMessage) else "system", "id": None}]


def report(values: dict[str, Any]) -> None:
    """Write down what the newest checkpoint holds."""
    history = [entry for message in values.get("messages", []) for entry in entries(message)]
    finished = bool(values.get("closed"))
    output = {"kinds": [entry["kind"] for entry in history], "closed": finished}
    world = {"model": MODEL, "tools": {one.name: list(one.args) for one in tools()}}
    text = json.dumps({"history": history, "finished": finished, "output": output, "world": world})
    Path(os.environ["PLUGPULL_REPORTED"]).write_text(text, encoding="utf-8")


def main(verb: str) -> None:
    """Start the run, go on with it in another process, or look at what is stored."""
    config = {"configurable": {"thread_id": ORDER}}
    with SqliteSaver.from_conn_string(str(workdir() / "checkpoints.sqlite")) as checkpointer:
        app = build(checkpointer)
        if verb == "start":
            request = {"messages": [HumanMessage("Charge my card $42 for order 42.")]}
            app.invoke(request, config, **durability(app))
        elif verb == "resume":
            app.invoke(None, config, **durability(app))
        elif verb == "inspect":
            report(app.get_state(config).values)
        else:
            message = f"unknown verb: {verb}"
            raise SystemExit(message)


if __name__ == "__main__":
    main(sys.argv[-1])
