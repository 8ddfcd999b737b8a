"""A saved call of a tool that is gone is answered with an error, and the run ends well.

Needs langgraph and langgraph-checkpoint-sqlite. A model asks for a tool, the process ends before
the tool runs, and the application comes back without that tool.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


@tool
def charge_card(amount: int) -> str:
    """Charge the customer's card."""
    return f"charged ${amount}"


def model(state: MessagesState) -> dict[str, Any]:
    """Ask for a charge, then thank."""
    if isinstance(state["messages"][-1], ToolMessage):
        return {"messages": [AIMessage("Thank you!")]}
    call = {"name": "charge_card", "args": {"amount": 42}, "id": "call_1"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def build(saver: SqliteSaver, tools: list[Any], **options: Any) -> Any:
    """The graph of LangGraph's own pages."""
    graph = StateGraph(MessagesState)
    graph.add_node("model", model)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile(checkpointer=saver, **options)


if __name__ == "__main__":
    config = {"configurable": {"thread_id": "order-42"}}
    with TemporaryDirectory() as folder:
        with SqliteSaver.from_conn_string(str(Path(folder) / "checkpoints.sqlite")) as saver:
            # The process ends where the tool would begin.
            first = build(saver, [charge_card], interrupt_before=["tools"])
            first.invoke({"messages": [HumanMessage("Charge my card.")]}, config)
            # The next release of the application has no such tool.
            said = build(saver, []).invoke(None, config)["messages"]
        for message in said[2:]:
            print(f"{type(message).__name__}: {message.content}")
