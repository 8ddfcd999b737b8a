"""A LangGraph agent that charges a card, made ready for ``plugpull --agent``.

Take the lines marked ``# plugpull`` away and it is an agent like any other: a node that asks the
model, a ``ToolNode``, checkpoints in an SQLite file. Seven lines in four steps make it one that
plugpull can kill and resume. The tool comes in two versions, so one of the seven is there twice.

    plugpull --agent "python examples/langgraph_agent/agent.py no-key"
    plugpull --agent "python examples/langgraph_agent/agent.py tool-call-id"
"""

import os
import sys
import uuid
from pathlib import Path
from typing import Annotated, Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from plugpull import record_effect  # plugpull: step 1, report the effect


@tool("charge_card")
def charge_without_key(amount: int) -> str:
    """Charge the customer's card."""
    record_effect("charge_card")  # plugpull: step 1, where the payment service is called
    return f"charged ${amount}"


@tool("charge_card")
def charge_with_call_id(amount: int, call_id: Annotated[str, InjectedToolCallId]) -> str:
    """Charge the customer's card, with the tool call's id as idempotency key."""
    record_effect("charge_card", key=call_id)  # plugpull: step 1, with the key that is sent along
    return f"charged ${amount}"


TOOLS = {"no-key": charge_without_key, "tool-call-id": charge_with_call_id}


def model(state: MessagesState) -> dict[str, Any]:
    """Stand in for a language model, so that the example costs nothing: a call, then an answer.

    A real model never gives the same call id twice, and neither does this one.
    """
    if isinstance(state["messages"][-1], ToolMessage):
        return {"messages": [AIMessage("Done. Thank you for your order!")]}
    call = {"name": "charge_card", "args": {"amount": 42}, "id": f"call_{uuid.uuid4().hex}"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


graph = StateGraph(MessagesState)
graph.add_node("model", model)
graph.add_node("tools", ToolNode([TOOLS[sys.argv[1]]], handle_tool_errors=False))
graph.add_edge(START, "model")
graph.add_conditional_edges("model", tools_condition)
graph.add_edge("tools", "model")

folder = Path(os.environ["PLUGPULL_WORKDIR"])  # plugpull: step 2, a folder that outlives the kill
config: RunnableConfig = {"configurable": {"thread_id": "order-42"}}

with SqliteSaver.from_conn_string(str(folder / "checkpoints.sqlite")) as checkpointer:
    app = graph.compile(checkpointer=checkpointer)
    order: MessagesState = {"messages": [HumanMessage("Charge my card $42.")]}
    # durability="sync" waits for every save, so the verdicts below do not depend on timing.
    if sys.argv[-1] == "start":  # plugpull: step 3, begin the run ...
        app.invoke(order, config, durability="sync")  # plugpull
    elif sys.argv[-1] == "resume":  # plugpull: step 4, ... and go on with the saved one
        app.invoke(None, config, durability="sync")  # plugpull
