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
"""

from __future__ import annotations

import inspect
import json
import os
import sys
import uuid
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from plugpull import record_effect

ORDER = "order-42"


class OrderState(MessagesState):
    """The conversation, and whether the order was closed."""

    closed: bool


@tool
def charge_card(amount: int, memo: str, tool_call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Charge the customer's card."""
    kind = os.environ.get("PLUGPULL_KEY", "none")
    if kind == "ledger-first":
        ledger = workdir() / "ledger.txt"
        if ledger.exists():
            return "already charged"
        ledger.write_text(ORDER, encoding="utf-8")
    record_effect("charge_card", key=tool_call_id if kind == "tool-call-id" else None)
    return f"charged ${amount} ({memo})"


def ask_model(state: OrderState) -> dict[str, Any]:
    """Stand in for the language model: one tool call, then an answer.

    Like a real model it never says the same thing twice: each call has a new id and new wording.
    """
    wording = uuid.uuid4().hex[:8]
    if isinstance(state["messages"][-1], ToolMessage):
        return {"messages": [AIMessage(f"Your card was charged. Thank you! ({wording})")]}
    call = {
        "name": "charge_card",
        "args": {"amount": 42, "memo": f"order 42, {wording}"},
        "id": f"call_{uuid.uuid4().hex}",
    }
    return {"messages": [AIMessage("", tool_calls=[call])]}


def close_order(state: OrderState) -> dict[str, Any]:  # noqa: ARG001
    """End the run: tell the shop that the order is done. Safe to repeat, thanks to its key."""
    record_effect("finish_order", key=ORDER)
    return {"closed": True}


def next_node(state: OrderState) -> str:
    """Run the tool that the model asked for, or close the order."""
    last = state["messages"][-1]
    return "tools" if isinstance(last, AIMessage) and last.tool_calls else "close"


def build(checkpointer: Any) -> Any:
    """Compile the graph on a checkpointer."""
    graph = StateGraph(OrderState)
    graph.add_node("model", ask_model)
    # A failing payment must end the run; by default some releases turn it into text for the model.
    graph.add_node("tools", ToolNode([charge_card], handle_tool_errors=False))
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
    text = json.dumps({"history": history, "finished": finished, "output": output})
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
